from .completions import Completions, completed, live_cells
from .copies import WeightedCopies, expected_copies, family_copies
from .em import ObservedRows, filled_parents, trained_on_known
from .recording import RecordingRates, missed_shares

__all__ = [
    "Completions",
    "ObservedRows",
    "RecordingRates",
    "WeightedCopies",
    "completed",
    "expected_copies",
    "family_copies",
    "filled_parents",
    "live_cells",
    "missed_shares",
    "trained_on_known",
]
