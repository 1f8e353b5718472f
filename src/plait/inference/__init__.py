"""Search, sum or sample a distribution over label sets.

Takes a `LabelDistribution`; hands on a `LabelSupport`: label vectors with weights, marginals where they are known,
whether the answer is exact, and what it cost.

Notation
--------
prefix    : values of the first t labels of the chain's order; a node of the probability tree [PCC 13]
mode      : the most probable label vector
wanted    : what is asked for: "mode", "marginals", or "distribution" (label vectors that stand for all of P)
"""

from plait.inference.annealing import Annealing
from plait.inference.auto import Auto
from plait.inference.beam import Beam
from plait.inference.best_first import BestFirst, SearchWarning
from plait.inference.enumeration import enumerated_marginals
from plait.inference.exhaustive import Exhaustive
from plait.inference.greedy import Greedy
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.max_product import MaxProduct
from plait.inference.monte_carlo import MonteCarlo
from plait.inference.polytree_entropy import entropy, family_marginals
from plait.inference.polytree_sampling import sample_given
from plait.inference.sum_product import SumProduct, exact_marginals

__all__ = [
    "Annealing",
    "Auto",
    "Beam",
    "BestFirst",
    "Exhaustive",
    "Greedy",
    "Inference",
    "LabelSupport",
    "MaxProduct",
    "MonteCarlo",
    "SearchWarning",
    "SumProduct",
    "entropy",
    "enumerated_marginals",
    "exact_marginals",
    "family_marginals",
    "sample_given",
]
