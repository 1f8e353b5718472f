from .compared_cells import ComparedCell, Tally, compare_with_paper, tally
from .outcome_tables import reproduction_text, write_reproduction
from .paper_methods import CardinalityThreshold, NominalNaiveBayes, OneAgainstRest
from .paper_plans import paper_plan
from .repeated_tests import FoldOutcome, RepeatedPair, RepeatedRanks, repeated_outcomes, repeated_pairs, repeated_ranks
from .rerun import Reproduction, read_reproduction, run_paper

__all__ = [
    "CardinalityThreshold",
    "ComparedCell",
    "FoldOutcome",
    "NominalNaiveBayes",
    "OneAgainstRest",
    "RepeatedPair",
    "RepeatedRanks",
    "Reproduction",
    "Tally",
    "compare_with_paper",
    "paper_plan",
    "read_reproduction",
    "repeated_outcomes",
    "repeated_pairs",
    "repeated_ranks",
    "reproduction_text",
    "run_paper",
    "tally",
    "write_reproduction",
]
