"""Find the few features each label needs.

Takes X, Y and optionally a `LabelGraph`; hands on a `FeatureMask`: boolean `support` (n_labels, n_features), with the
order in which features were chosen and their scores. Every selector is a scikit-learn transformer too.

Notation
--------
X_m, f   : a feature          Y_j, l : a label          Pa_j : parents of label j in the graph
S, S_j   : features chosen so far, for all labels or for label j
ranking  : features in the order chosen; scores[t] is the criterion's value when ranking[t] was chosen
"""

from plait.features.ami import AMI
from plait.features.correlation_subset import CorrelationSubset
from plait.features.d2f import D2F
from plait.features.feature_mask import FeatureMask
from plait.features.gain_ratio import GainRatio
from plait.features.general_criterion import JMI, MIM, MLFS, MRMR
from plait.features.label_dependent_features import LabelDependentFeatures
from plait.features.llsf import LLSF
from plait.features.mddm import MDDM
from plait.features.mdmr import MDMR
from plait.features.mlig import MLIG
from plait.features.pearson_subset import PearsonSubset
from plait.features.pmu import PMU
from plait.features.pruned_relieff import PrunedReliefF
from plait.features.scls import SCLS
from plait.features.selector import InformationSelector, SelectionWarning, Selector
from plait.features.wrapper import Wrapper

__all__ = [
    "AMI",
    "D2F",
    "JMI",
    "LLSF",
    "MDDM",
    "MDMR",
    "MIM",
    "MLFS",
    "MLIG",
    "MRMR",
    "PMU",
    "SCLS",
    "CorrelationSubset",
    "FeatureMask",
    "GainRatio",
    "InformationSelector",
    "LabelDependentFeatures",
    "PearsonSubset",
    "PrunedReliefF",
    "SelectionWarning",
    "Selector",
    "Wrapper",
]
