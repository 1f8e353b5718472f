from .calibration import (
    CalibrationCurve,
    TemperatureScaling,
    brier_score,
    calibration_curve,
    joint_calibration_curve,
)
from .conformal import Conformal
from .label_audit import Audit, audit
from .loss_scores_display import LossScoresDisplay
from .neighbour_sets import ErrorRates, Suspicions, suspicions
from .thresholds import CardinalityThreshold, TunedThresholds

__all__ = [
    "Audit",
    "CalibrationCurve",
    "CardinalityThreshold",
    "Conformal",
    "ErrorRates",
    "LossScoresDisplay",
    "Suspicions",
    "TemperatureScaling",
    "TunedThresholds",
    "audit",
    "brier_score",
    "calibration_curve",
    "joint_calibration_curve",
    "suspicions",
]
