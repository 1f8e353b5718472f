"""Metrics of a ranking of the labels: they take scores, the larger the more relevant, and never labels."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from plait.core.arrays import Array, Floats
from plait.core.checks import Interval, check_value
from plait.losses.rank import wrong_pairs
from plait.metrics.inputs import score_blocks

__all__ = [
    "ndcg_at_k",
    "normalized_coverage",
    "one_error",
    "precision_at_k",
    "ranking_loss",
    "sample_average_precision",
]


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


def normalized_coverage(Y_true: Any, scores: Any, *, count_from: int = 0) -> float:
    """How far down the ranking one must go to find every relevant label, minus one, per label; 0 is best.

    Labels with equal scores all get the worst rank among them. A row without relevant labels contributes 0. The
    formula is `(mean over rows of the worst rank of a relevant label, minus 1) / n_labels` [SCLS 4.1].

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores; infinite ones are legal.
    count_from : int, default=0
        What the first place of a ranking counts; 1 leaves the "minus 1" out, as the tables of [SCLS 4] have it.

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
        total += int(np.count_nonzero(reached)) - (1 - count_from) * int(np.count_nonzero(labels.any(axis=1)))
        n_samples += len(block)
    return total / (n_samples * block.shape[1])


def one_error(Y_true: Any, scores: Any) -> float:
    """Share of rows whose label with the highest score is wrong: 1 - `precision_at_k(..., k=1)`; 0 is best.

    Of several labels with the highest score, each counts for its share. A row without labels is always wrong.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> one_error([[1, 0], [0, 1]], [[0.9, 0.2], [0.6, 0.6]])
    0.25
    """
    return 1.0 - _mean_gain("one_error", Y_true, scores, np.ones(1))


def precision_at_k(Y_true: Any, scores: Any, *, k: int = 5) -> float:
    """Mean over rows of the share of the k labels with the highest scores that are right; 1 is best.

    Labels with equal scores at the border count for their share, as in a random order of them. A row with fewer than k
    labels cannot reach 1.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.
    k : int, default=5
        How many labels are looked at.

    Returns
    -------
    float

    Examples
    --------
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.2, 0.1], [0.6, 0.5, 0.1]], k=2)
    0.5
    """
    check_value("precision_at_k", "k", k, [Interval(int, 1, None)])
    return _mean_gain("precision_at_k", Y_true, scores, np.full(k, 1.0 / k))


def ndcg_at_k(Y_true: Any, scores: Any, *, k: int = 5) -> float:
    """Mean over rows of the discounted gain of the k labels with the highest scores, over the best possible.

    The label at place r counts 1 / log2(r + 1); labels with equal scores count for the mean of their places. A row
    without labels contributes 0.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.
    k : int, default=5
        How many labels are looked at.

    Returns
    -------
    float

    Examples
    --------
    >>> ndcg_at_k([[1, 0, 1]], [[0.9, 0.2, 0.1]], k=2).__round__(4)
    0.6131
    """
    check_value("ndcg_at_k", "k", k, [Interval(int, 1, None)])
    return _mean_gain("ndcg_at_k", Y_true, scores, 1.0 / np.log2(np.arange(2, k + 2)), normalized=True)


def sample_average_precision(Y_true: Any, scores: Any) -> float:
    """Mean over rows and their labels of the share of labels ranked as high that are right; 1 is best.

    scikit-learn's `label_ranking_average_precision_score`: labels with equal scores all get the worst rank among them,
    and a row without labels counts 1.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> sample_average_precision([[1, 0, 1], [0, 0, 0]], [[0.9, 0.2, 0.1], [0.6, 0.5, 0.1]]).__round__(4)
    0.9167
    """
    total, n_samples = 0.0, 0
    for labels, block in score_blocks("sample_average_precision", "scores", Y_true, scores):
        places = rankdata(-block, method="max", axis=1)
        # Irrelevant labels go behind all others: what is left is the rank among the relevant ones.
        among = rankdata(np.where(labels == 1, places, block.shape[1] + 1.0), method="max", axis=1)
        sizes = labels.sum(axis=1, dtype=np.int64)
        found = (np.where(labels == 1, among / places, 0.0)).sum(axis=1)
        total += float(np.divide(found, sizes, out=np.ones(len(block)), where=sizes > 0).sum())
        n_samples += len(block)
    return total / n_samples


def _mean_gain(owner: str, Y_true: Any, scores: Any, worth: Floats, *, normalized: bool = False) -> float:
    """Return the mean over rows of what relevant labels are worth by their places, over the most possible if asked."""
    total, n_samples = 0.0, 0
    for labels, block in score_blocks(owner, "scores", Y_true, scores):
        gains = _gains(labels, block, worth)
        if normalized:
            most = np.append(0.0, np.cumsum(worth))[np.minimum(labels.sum(axis=1, dtype=np.int64), worth.size)]
            shares = np.divide(gains, most, out=np.zeros_like(gains), where=most > 0)
            gains = np.minimum(shares, 1.0)  # sums of shared places round
        total += float(gains.sum())
        n_samples += len(block)
    return total / n_samples


def _gains(labels: Array, scores: Array, worth: Floats) -> Floats:
    """Return the worth of every row's relevant labels; equal scores share the worth of their places."""
    n_labels = labels.shape[1]
    sums = np.append(0.0, np.cumsum(np.pad(worth[:n_labels], (0, max(0, n_labels - worth.size)))))
    before = rankdata(-scores, method="min", axis=1).astype(np.int64) - 1
    last = rankdata(-scores, method="max", axis=1).astype(np.int64)
    return np.asarray(((sums[last] - sums[before]) / (last - before) * labels).sum(axis=1))
