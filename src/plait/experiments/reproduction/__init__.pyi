from .compared_cells import ComparedCell, Tally, compare_with_paper, tally
from .repeated_tests import FoldOutcome, RepeatedRanks, repeated_outcomes, repeated_ranks

__all__ = [
    "ComparedCell",
    "FoldOutcome",
    "RepeatedRanks",
    "Tally",
    "compare_with_paper",
    "repeated_outcomes",
    "repeated_ranks",
    "tally",
]
