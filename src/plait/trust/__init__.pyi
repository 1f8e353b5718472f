from .conformal import Conformal
from .label_audit import Audit, audit
from .neighbour_sets import ErrorRates, Suspicions, suspicions

__all__ = ["Audit", "Conformal", "ErrorRates", "Suspicions", "audit", "suspicions"]
