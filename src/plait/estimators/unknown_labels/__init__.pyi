from .completions import Completions, completed, live_cells
from .copies import WeightedCopies, expected_copies, family_copies, known_log_likelihood
from .em import ObservedRows, filled_parents, fitted_on_known, trained_on_known
from .imputation import imputed_labels
from .mixture_em import MixtureSteps, mixture_on_known
from .recording import RECORDING_RULES, RecordingRates, chance_given_record, missed_shares

__all__ = [
    "RECORDING_RULES",
    "Completions",
    "MixtureSteps",
    "ObservedRows",
    "RecordingRates",
    "WeightedCopies",
    "chance_given_record",
    "completed",
    "expected_copies",
    "family_copies",
    "filled_parents",
    "fitted_on_known",
    "imputed_labels",
    "known_log_likelihood",
    "live_cells",
    "missed_shares",
    "mixture_on_known",
    "trained_on_known",
]
