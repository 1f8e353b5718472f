from .calibrated_label_ranking import CalibratedLabelRanking
from .chain_monte_carlo import ClassifierChainMonteCarlo
from .heterogeneous_stacking import HeterogeneousStacking
from .homer import HOMER
from .iblr import IBLR
from .label_powerset import LabelPowerset
from .lift import LIFT
from .mlknn import MLkNN
from .naive_bayes import MultilabelNaiveBayes
from .output_coding import MaxMarginOutputCoding
from .pairwise_crf import PairwiseCRF
from .pruned_sets import PrunedSets
from .rakel import RAkEL

__all__ = [
    "CalibratedLabelRanking",
    "ClassifierChainMonteCarlo",
    "HOMER",
    "HeterogeneousStacking",
    "IBLR",
    "LIFT",
    "LabelPowerset",
    "MLkNN",
    "MaxMarginOutputCoding",
    "MultilabelNaiveBayes",
    "PairwiseCRF",
    "PrunedSets",
    "RAkEL",
]
