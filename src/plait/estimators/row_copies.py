"""Rows for the rooms that count: as many copies as the weight of a row says."""

from typing import Any

import numpy as np

__all__ = ["repeated_rows"]


def repeated_rows(X: Any, Y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return X and Y with every row as often as its weight, where weights are whole numbers (10 on average at most).

    Other weights cannot be counted: then rows that weigh nothing are left out, and the others stand once.

    Examples
    --------
    >>> repeated_rows(np.array([[5.0], [6.0], [7.0]]), np.array([[1], [0], [1]]), np.array([2.0, 0.0, 1.0]))[0].ravel()
    array([5., 5., 7.])
    """
    if sample_weight is None:
        return X, Y
    weights = np.asarray(sample_weight)
    whole = np.all(weights == np.floor(weights)) and weights.sum() <= 10 * weights.size
    rows = np.repeat(np.arange(weights.size), weights.astype(np.int64)) if whole else np.flatnonzero(weights > 0)
    return (X, Y) if rows.size == 0 or np.array_equal(rows, np.arange(weights.size)) else (X[rows], Y[rows])
