from .completions import Completions, completed, live_cells
from .copies import WeightedCopies, expected_copies, family_copies
from .em import ObservedRows, filled_parents, trained_on_known
from .imputation import imputed_labels
from .mixture_em import MixtureSteps, mixture_on_known
from .recording import RecordingRates, missed_shares

__all__ = [
    "Completions",
    "MixtureSteps",
    "ObservedRows",
    "RecordingRates",
    "WeightedCopies",
    "completed",
    "expected_copies",
    "family_copies",
    "filled_parents",
    "imputed_labels",
    "live_cells",
    "missed_shares",
    "mixture_on_known",
    "trained_on_known",
]
