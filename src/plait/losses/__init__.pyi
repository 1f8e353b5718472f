from .expected_f1 import macro_f1_thresholds, micro_f1_threshold
from .f1 import F1
from .hamming import Hamming
from .jaccard import Jaccard
from .loss import Loss
from .rank import Rank
from .subset import Subset
from .threshold_losses import MacroF1, MicroF1

__all__ = [
    "F1",
    "Hamming",
    "Jaccard",
    "Loss",
    "MacroF1",
    "MicroF1",
    "Rank",
    "Subset",
    "macro_f1_thresholds",
    "micro_f1_threshold",
]
