"""F1, the harmonic mean of precision and recall, averaged over rows, over labels, or over all entries."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Ints
from plait.core.checks import OneOf, check_value
from plait.metrics.overlaps import label_overlap, row_overlap

__all__ = ["macro_f1", "micro_f1", "sample_f1"]


def sample_f1(Y_true: Any, Y_pred: Any) -> float:
    """Mean over rows of F1 between the true and the predicted label set; 1 is best.

    Two empty sets agree: 0/0 counts as 1.

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
    >>> sample_f1([[1, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]).__round__(4)
    0.8333
    """
    both, true, predicted, _ = row_overlap("sample_f1", Y_true, Y_pred)
    return float(_ratio(both, true, predicted, empty=1.0).mean())


def macro_f1(Y_true: Any, Y_pred: Any, *, zero_division: int = 0) -> float:
    """Mean over labels of F1; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.
    zero_division : {0, 1}, default=0
        F1 of a label that is neither true nor predicted in any row.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    Report `zero_division` with the result: where many labels are absent from a test fold, the two choices differ by
    several points.

    Examples
    --------
    >>> macro_f1([[1, 0], [1, 0]], [[1, 0], [1, 0]])
    0.5
    >>> macro_f1([[1, 0], [1, 0]], [[1, 0], [1, 0]], zero_division=1)
    1.0
    """
    check_value("macro_f1", "zero_division", zero_division, [OneOf((0, 1))])
    both, true, predicted, _ = label_overlap("macro_f1", Y_true, Y_pred)
    return float(_ratio(both, true, predicted, empty=float(zero_division)).mean())


def micro_f1(Y_true: Any, Y_pred: Any) -> float:
    """F1 over all labels of all rows taken together; 1 is best, and 0/0 counts as 0.

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
    >>> micro_f1([[1, 1], [1, 0]], [[1, 0], [1, 0]])
    0.8
    """
    both, true, predicted, _ = row_overlap("micro_f1", Y_true, Y_pred)
    size = int(true.sum() + predicted.sum())
    return 2 * int(both.sum()) / size if size else 0.0


def _ratio(both: Ints, true: Ints, predicted: Ints, empty: float) -> npt.NDArray[np.float64]:
    """Return 2 TP / (2 TP + FP + FN), where the denominator is the sum of the two set sizes [PACC 23]."""
    size = true + predicted
    return np.divide(2 * both, size, out=np.full(size.shape, empty), where=size > 0)
