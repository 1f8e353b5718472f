from .completions import Completions, completed, live_cells
from .copies import WeightedCopies, expected_copies, family_copies
from .em import ObservedRows, filled_parents, trained_on_known

__all__ = [
    "Completions",
    "ObservedRows",
    "WeightedCopies",
    "completed",
    "expected_copies",
    "family_copies",
    "filled_parents",
    "live_cells",
    "trained_on_known",
]
