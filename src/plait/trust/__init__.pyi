from .conformal import Conformal
from .label_audit import Audit, audit
from .neighbour_sets import ErrorRates, Suspicions, suspicions
from .thresholds import CardinalityThreshold, TunedThresholds

__all__ = [
    "Audit",
    "CardinalityThreshold",
    "Conformal",
    "ErrorRates",
    "Suspicions",
    "TunedThresholds",
    "audit",
    "suspicions",
]
