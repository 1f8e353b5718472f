"""Precision and recall of predicted labels: over all labels together, by label, and by row."""

from typing import Any

import numpy as np

from plait.core.arrays import Array, Floats
from plait.core.checks import OneOf, check_value
from plait.losses.overlap import label_overlap, row_overlap
from plait.metrics.inputs import label_pair

__all__ = [
    "macro_precision",
    "macro_recall",
    "micro_precision",
    "micro_recall",
    "sample_precision",
    "sample_recall",
    "shares",
]


def micro_precision(Y_true: Any, Y_pred: Any) -> float:
    """Share of predicted labels, of all rows together, that are right; 1 is best, and 0/0 counts as 0.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_precision([[1, 1], [1, 0]], [[1, 0], [1, 1]]).__round__(4)
    0.6667
    """
    both, _, predicted, _ = row_overlap(*label_pair("micro_precision", Y_true, Y_pred, cells=True))
    return float(shares(both.sum(), predicted.sum(), 0.0))


def micro_recall(Y_true: Any, Y_pred: Any) -> float:
    """Share of true labels, of all rows together, that are predicted; 1 is best, and 0/0 counts as 0.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_recall([[1, 1], [1, 1]], [[1, 0], [1, 1]])
    0.75
    """
    both, true, _, _ = row_overlap(*label_pair("micro_recall", Y_true, Y_pred, cells=True))
    return float(shares(both.sum(), true.sum(), 0.0))


def macro_precision(Y_true: Any, Y_pred: Any, *, zero_division: int = 0) -> float:
    """Mean over labels of the share of rows predicted to have the label that have it; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.
    zero_division : {0, 1}, default=0
        Precision of a label that is never predicted.

    Returns
    -------
    float

    Examples
    --------
    >>> macro_precision([[1, 0], [0, 1]], [[1, 0], [1, 0]])
    0.25
    """
    check_value("macro_precision", "zero_division", zero_division, [OneOf((0, 1))])
    both, _, predicted, _ = label_overlap(*label_pair("macro_precision", Y_true, Y_pred, cells=True))
    return float(shares(both, predicted, zero_division).mean())


def macro_recall(Y_true: Any, Y_pred: Any, *, zero_division: int = 0) -> float:
    """Mean over labels of the share of rows with the label that are predicted to have it; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.
    zero_division : {0, 1}, default=0
        Recall of a label that no row has.

    Returns
    -------
    float

    Examples
    --------
    >>> macro_recall([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.75
    """
    check_value("macro_recall", "zero_division", zero_division, [OneOf((0, 1))])
    both, true, _, _ = label_overlap(*label_pair("macro_recall", Y_true, Y_pred, cells=True))
    return float(shares(both, true, zero_division).mean())


def sample_precision(Y_true: Any, Y_pred: Any) -> float:
    """Mean over rows of the share of predicted labels that are right; 1 is best.

    A row for which nothing is predicted counts 1 where it has no label, else 0.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.

    Returns
    -------
    float

    Examples
    --------
    >>> sample_precision([[1, 0], [0, 0], [1, 0]], [[1, 1], [0, 0], [0, 0]])
    0.5
    """
    both, true, predicted, _ = row_overlap(*label_pair("sample_precision", Y_true, Y_pred))
    return float(shares(both, predicted, true == 0).mean())


def sample_recall(Y_true: Any, Y_pred: Any) -> float:
    """Mean over rows of the share of true labels that are predicted; 1 is best.

    A row without labels counts 1 where none is predicted, else 0.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.

    Returns
    -------
    float

    Examples
    --------
    >>> sample_recall([[1, 1], [0, 0], [0, 0]], [[1, 0], [0, 0], [1, 0]])
    0.5
    """
    both, true, predicted, _ = row_overlap(*label_pair("sample_recall", Y_true, Y_pred))
    return float(shares(both, true, predicted == 0).mean())


def shares(parts: Any, wholes: Any, of_nothing: Any) -> Floats:
    """Return parts / wholes; `of_nothing` where the whole is 0."""
    parts, wholes = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    start: Array = np.broadcast_to(np.asarray(of_nothing, dtype=np.float64), parts.shape).copy()
    return np.divide(parts, wholes, out=start, where=wholes > 0)
