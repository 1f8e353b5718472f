"""The methods that the papers compare with.

Takes X, Y; hands on fitted classifiers: scikit-learn estimators, one file for each method.
"""

from plait.baselines.calibrated_label_ranking import CalibratedLabelRanking
from plait.baselines.classifier_chain_monte_carlo import ClassifierChainMonteCarlo
from plait.baselines.heterogeneous_stacking import HeterogeneousStacking
from plait.baselines.homer import HOMER
from plait.baselines.iblr import IBLR
from plait.baselines.label_powerset import LabelPowerset
from plait.baselines.lift import LIFT
from plait.baselines.max_margin_output_coding import MaxMarginOutputCoding
from plait.baselines.mlknn import MLkNN
from plait.baselines.naive_bayes import MultilabelNaiveBayes
from plait.baselines.pairwise_crf import PairwiseCRF
from plait.baselines.pruned_sets import PrunedSets
from plait.baselines.rakel import RAkEL

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
