from .compared_cells import ComparedCell, Tally, compare_with_paper, n_printed, tally
from .facts import COLUMNS
from .leaking_codes import CodesAndNumbers, SelectedNaiveBayes
from .made_pages import write_index, write_paper
from .outcome_tables import reproduction_record, reproduction_text
from .paper_methods import CardinalityThreshold, FewerRows, OneAgainstRest
from .paper_plans import paper_plan, plan_names
from .repeated_tests import FoldOutcome, RepeatedPair, RepeatedRanks, repeated_outcomes, repeated_pairs, repeated_ranks
from .rerun import Reproduction, read_reproduction, read_results, run_paper
from .run_ledger import Measured, measured_means

__all__ = [
    "COLUMNS",
    "CardinalityThreshold",
    "CodesAndNumbers",
    "ComparedCell",
    "FewerRows",
    "FoldOutcome",
    "Measured",
    "OneAgainstRest",
    "RepeatedPair",
    "RepeatedRanks",
    "Reproduction",
    "SelectedNaiveBayes",
    "Tally",
    "compare_with_paper",
    "measured_means",
    "n_printed",
    "paper_plan",
    "plan_names",
    "read_reproduction",
    "read_results",
    "repeated_outcomes",
    "repeated_pairs",
    "repeated_ranks",
    "reproduction_record",
    "reproduction_text",
    "run_paper",
    "tally",
    "write_index",
    "write_paper",
]
