from .ami import AMI
from .correlation_subset import CorrelationSubset
from .d2f import D2F
from .feature_mask import FeatureMask
from .gain_ratio import GainRatio
from .general_criterion import JMI, MIM, MLFS, MRMR
from .given_features import GivenFeatures
from .label_dependent_features import LabelDependentFeatures
from .llsf import LLSF
from .mddm import MDDM
from .mdmr import MDMR
from .mlig import MLIG
from .pearson_subset import PearsonSubset
from .pmu import PMU
from .pruned_relieff import PrunedReliefF
from .relieff import ReliefF
from .scls import SCLS
from .selector import InformationSelector, SelectionWarning, Selector
from .wrapper import Wrapper

__all__ = [
    "AMI",
    "CorrelationSubset",
    "D2F",
    "FeatureMask",
    "GainRatio",
    "GivenFeatures",
    "InformationSelector",
    "JMI",
    "LLSF",
    "LabelDependentFeatures",
    "MDDM",
    "MDMR",
    "MIM",
    "MLFS",
    "MLIG",
    "MRMR",
    "PMU",
    "PearsonSubset",
    "PrunedReliefF",
    "ReliefF",
    "SCLS",
    "SelectionWarning",
    "Selector",
    "Wrapper",
]
