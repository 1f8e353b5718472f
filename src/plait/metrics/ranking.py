"""Metrics of a ranking of the labels: they take scores, the larger the more relevant, and never labels."""

from typing import Any

import numpy as np

from plait.losses.rank import wrong_pairs
from plait.metrics.inputs import score_blocks

__all__ = ["normalized_coverage", "ranking_loss"]


def ranking_loss(Y_true: Any, scores: Any) -> float:
    """Mean over rows of the share of (relevant, irrelevant) label pairs in the wrong order; 0 is best.

    The loss `plait.losses.Rank`, but for ties: a pair with equal scores counts as a full error [SCLS 4.1]. A row whose
    labels are all relevant or all irrelevant has no pairs: it contributes 0 and stays in the mean.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores; infinite ones are legal.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> ranking_loss([[1, 0, 0], [1, 1, 1]], [[0.4, 0.6, 0.1], [0.2, 0.2, 0.2]])
    0.25
    """
    total, n_samples = 0.0, 0
    for labels, block in score_blocks("ranking_loss", "scores", Y_true, scores):
        wrong, pairs = wrong_pairs(labels == 1, block, tie=1.0)
        total += float(np.divide(wrong, pairs, out=np.zeros_like(wrong), where=pairs > 0).sum())
        n_samples += wrong.size
    return total / n_samples


def normalized_coverage(Y_true: Any, scores: Any) -> float:
    """How far down the ranking one must go to find every relevant label, minus one, per label; 0 is best.

    Labels with equal scores all get the worst rank among them. A row without relevant labels contributes 0. The
    formula is `(mean over rows of the worst rank of a relevant label, minus 1) / n_labels` [SCLS 4.1].

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores; infinite ones are legal.

    Returns
    -------
    float
        From 0 to (n_labels - 1) / n_labels.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> normalized_coverage([[1, 0, 0, 1]], [[0.9, 0.3, 0.5, 0.4]])
    0.5
    """
    total, n_samples = 0, 0
    for labels, block in score_blocks("normalized_coverage", "scores", Y_true, scores):
        worst = np.where(labels == 1, block, np.inf).min(axis=1, keepdims=True)
        reached = (block >= worst) & labels.any(axis=1, keepdims=True)
        total += int(np.count_nonzero(reached)) - int(np.count_nonzero(labels.any(axis=1)))
        n_samples += len(block)
    return total / (n_samples * block.shape[1])
