from .by_label import label_report
from .curves import (
    macro_average_precision,
    macro_roc_auc,
    micro_average_precision,
    micro_roc_auc,
    sample_roc_auc,
)
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
from .precision_recall import (
    macro_precision,
    macro_recall,
    micro_precision,
    micro_recall,
    sample_precision,
    sample_recall,
)
from .propensities import Propensities
from .ranking import (
    ndcg_at_k,
    normalized_coverage,
    one_error,
    precision_at_k,
    ranking_loss,
    sample_average_precision,
)
from .scoring import label_scorers, scorers

__all__ = [
    "Propensities",
    "label_report",
    "macro_average_precision",
    "macro_roc_auc",
    "micro_average_precision",
    "micro_roc_auc",
    "sample_roc_auc",
    "macro_precision",
    "macro_recall",
    "micro_precision",
    "micro_recall",
    "sample_precision",
    "sample_recall",
    "ndcg_at_k",
    "one_error",
    "precision_at_k",
    "sample_average_precision",
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
