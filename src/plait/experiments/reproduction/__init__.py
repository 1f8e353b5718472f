"""Run the experiments of the five papers again and compare cell by cell.

Takes the name of a paper and a store of results; hands on compared cells, repeated tests and their tables.
"""

from plait.experiments.reproduction.compared_cells import ComparedCell, Tally, compare_with_paper, tally
from plait.experiments.reproduction.repeated_tests import FoldOutcome, RepeatedRanks, repeated_outcomes, repeated_ranks

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
