from .label_metrics import (
    exact_match,
    hamming_loss,
    hamming_score,
    jaccard_accuracy,
    loss_metric,
    macro_f1,
    micro_f1,
    sample_f1,
    subset_loss,
)
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
    "loss_metric",
    "macro_f1",
    "micro_f1",
    "normalized_coverage",
    "ranking_loss",
    "sample_f1",
    "scorers",
    "subset_loss",
]
