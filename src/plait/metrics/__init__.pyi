from .f1 import macro_f1, micro_f1, sample_f1
from .label_sets import exact_match, hamming_loss, hamming_score, jaccard_accuracy, subset_loss
from .likelihood import cll_loss
from .ranking import normalized_coverage, ranking_loss
from .scoring import label_scorers, scorers

__all__ = [
    "cll_loss",
    "exact_match",
    "hamming_loss",
    "hamming_score",
    "jaccard_accuracy",
    "label_scorers",
    "macro_f1",
    "micro_f1",
    "normalized_coverage",
    "ranking_loss",
    "sample_f1",
    "scorers",
    "subset_loss",
]
