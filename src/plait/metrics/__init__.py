"""Score predictions against the truth.

Takes `Y_true` and predicted labels, scores or log-probabilities; hands on numbers and scikit-learn scorers.

Notation
--------
Y_true, Y_pred : labels, 0 or 1, shape (n_samples, n_labels); dense, sparse, nested lists or frames
scores         : one number per label, the larger the more relevant, same shape
s              : number of relevant labels of a row

A name that ends in `loss`, and `normalized_coverage`, is the better the smaller; all others the larger.
"""

from plait.metrics.f1 import macro_f1, micro_f1, sample_f1
from plait.metrics.label_sets import exact_match, hamming_loss, hamming_score, jaccard_accuracy, subset_loss
from plait.metrics.likelihood import cll_loss
from plait.metrics.ranking import normalized_coverage, ranking_loss
from plait.metrics.scoring import label_scorers, scorers

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
