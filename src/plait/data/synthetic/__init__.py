"""Data made up by known rules, so that what a method should find is known.

Takes sizes and a `random_state`; hands on a `Dataset`, or a small object with a `Dataset` and the truth behind it.
An integer `random_state` gives the same bits every time; None gives other data on every call.
"""

from plait.data.synthetic.hypercubes import HYPERCUBE_PRESETS, Hypercubes, hypercube_preset, make_hypercubes
from plait.data.synthetic.label_network import LabelNetwork, make_label_network
from plait.data.synthetic.label_patterns import make_copied_labels, make_independent_labels, make_xor_labels
from plait.data.synthetic.ordinal_bands import OrdinalBands, synth2_like
from plait.data.synthetic.probability_trees import ProbabilityTrees, random_probability_trees
from plait.data.synthetic.sparse_scores import SparseScores, synth1_like

__all__ = [
    "HYPERCUBE_PRESETS",
    "Hypercubes",
    "LabelNetwork",
    "OrdinalBands",
    "ProbabilityTrees",
    "SparseScores",
    "hypercube_preset",
    "make_copied_labels",
    "make_hypercubes",
    "make_independent_labels",
    "make_label_network",
    "make_xor_labels",
    "random_probability_trees",
    "synth1_like",
    "synth2_like",
]
