from .counted_ones import CountedOnes, synth2
from .hypercubes import HYPERCUBE_PRESETS, Hypercubes, hypercube_preset, make_hypercubes
from .label_network import LabelNetwork, make_label_network
from .label_patterns import make_copied_labels, make_independent_labels, make_xor_labels
from .probability_trees import ProbabilityTrees, random_probability_trees
from .sparse_scores import SparseScores, synth1_like
from .tagged_text import make_tagged_text

__all__ = [
    "HYPERCUBE_PRESETS",
    "Hypercubes",
    "LabelNetwork",
    "CountedOnes",
    "ProbabilityTrees",
    "SparseScores",
    "hypercube_preset",
    "make_copied_labels",
    "make_hypercubes",
    "make_independent_labels",
    "make_label_network",
    "make_tagged_text",
    "make_xor_labels",
    "random_probability_trees",
    "synth1_like",
    "synth2",
]
