"""Metrics that compare the true label set of a row with the predicted one, averaged over rows."""

from typing import Any

import numpy as np

from plait.metrics.overlaps import row_overlap

__all__ = ["exact_match", "hamming_loss", "hamming_score", "jaccard_accuracy", "subset_loss"]


def exact_match(Y_true: Any, Y_pred: Any) -> float:
    """Share of rows whose whole label set is right; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> exact_match([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    return _share_of_right_rows("exact_match", Y_true, Y_pred)


def subset_loss(Y_true: Any, Y_pred: Any) -> float:
    """Share of rows whose label set is wrong anywhere: 1 - `exact_match`; 0 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> subset_loss([[1, 0], [1, 1], [0, 0], [0, 1]], [[1, 0], [0, 1], [0, 0], [0, 1]])
    0.25
    """
    return 1.0 - _share_of_right_rows("subset_loss", Y_true, Y_pred)


def hamming_score(Y_true: Any, Y_pred: Any) -> float:
    """Share of single labels that are right; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> hamming_score([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.75
    """
    wrong, total = _wrong_labels("hamming_score", Y_true, Y_pred)
    return (total - wrong) / total


def hamming_loss(Y_true: Any, Y_pred: Any) -> float:
    """Share of single labels that are wrong: 1 - `hamming_score`; 0 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.25
    """
    wrong, total = _wrong_labels("hamming_loss", Y_true, Y_pred)
    return wrong / total


def jaccard_accuracy(Y_true: Any, Y_pred: Any) -> float:
    """Mean over rows of labels in both sets divided by labels in either; 1 is best.

    Two empty sets agree: 0/0 counts as 1. The literature also calls this "accuracy" [PACC 22].

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> jaccard_accuracy([[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]])
    0.75
    """
    both, true, predicted, _ = row_overlap("jaccard_accuracy", Y_true, Y_pred)
    either = true + predicted - both
    ratio = np.divide(both, either, out=np.ones(both.size), where=either > 0)
    return float(ratio.mean())


def _share_of_right_rows(owner: str, Y_true: Any, Y_pred: Any) -> float:
    both, true, predicted, _ = row_overlap(owner, Y_true, Y_pred)
    return float(np.mean((both == true) & (both == predicted)))


def _wrong_labels(owner: str, Y_true: Any, Y_pred: Any) -> tuple[int, int]:
    """Return the number of wrong labels and of all labels."""
    both, true, predicted, n_labels = row_overlap(owner, Y_true, Y_pred)
    wrong = int(true.sum() + predicted.sum() - 2 * both.sum())
    return wrong, both.size * n_labels
