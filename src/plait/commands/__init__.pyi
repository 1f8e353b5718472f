from .answer_tables import Predictions
from .audit import audit_labels
from .bench import ready_plan, run_benchmark
from .convert import convert_data
from .demo import Demonstration, digits_with_tags, run_demonstration, show_demonstration
from .describe import DependentPair, describe_data, strongest_pairs
from .evaluate import Evaluation, cross_validate, evaluate_methods
from .explore import explore_rows
from .fit import fit_model
from .methods import make_method, method_names
from .predict import answer_rows, predict_rows
from .report import report_results
from .reproduce import reproduce_paper
from .select import Selection, choose_features, select_features
from .warm_up import warm_up_kernels

__all__ = [
    "digits_with_tags",
    "DependentPair",
    "Demonstration",
    "Evaluation",
    "Predictions",
    "Selection",
    "answer_rows",
    "audit_labels",
    "choose_features",
    "convert_data",
    "cross_validate",
    "describe_data",
    "evaluate_methods",
    "explore_rows",
    "fit_model",
    "make_method",
    "method_names",
    "predict_rows",
    "ready_plan",
    "report_results",
    "reproduce_paper",
    "run_benchmark",
    "run_demonstration",
    "select_features",
    "show_demonstration",
    "strongest_pairs",
    "warm_up_kernels",
]
