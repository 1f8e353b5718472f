"""Symmetric uncertainty SU(A,B) = 2 I(A;B) / (H(A) + H(B)), 0 where both entropies are 0."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.information.contents import pair_contents
from plait.information.dependence import amounts_shared, pair_of_columns

__all__ = ["symmetric_uncertainty", "symmetric_uncertainty_matrix"]


def symmetric_uncertainty(a: Any, b: Any, *, weights: Any = None) -> float:
    """Return the share of uncertainty that two variables have in common, between 0 and 1.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable.
    weights : array of shape (n_samples,), optional
        How much each row counts.

    Examples
    --------
    >>> symmetric_uncertainty([0, 0, 1, 1], [3, 3, 8, 8])
    1.0
    """
    return float(_ratio(pair_of_columns(a, b, weights))[0, 0])


def symmetric_uncertainty_matrix(
    X: Any, Y: Any = None, *, weights: Any = None, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return SU(X_i,Y_j) for all pairs of columns, shape (x columns, y columns).

    Takes what `mutual_information_matrix` takes; the base of logarithms does not matter.

    Examples
    --------
    >>> symmetric_uncertainty_matrix([[0, 5], [0, 5], [1, 5]])
    array([[1., 0.],
           [0., 0.]])
    """
    return _ratio(pair_contents(X, Y, weights, n_jobs))


def _ratio(contents: Any) -> npt.NDArray[np.float64]:
    whole = contents.logs.whole
    both = (whole - contents.x)[:, None] + (whole - contents.y)[None, :]
    shared = amounts_shared(contents, 1.0)
    return np.divide(2.0 * shared, both, out=np.zeros_like(shared), where=both > 0)
