"""Normalised mutual information NI(A;B) = I(A;B) / min(H(A), H(B)), 0 where the smaller entropy is 0 [PACC 25]."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.information.contents import pair_contents
from plait.information.dependence import amounts_shared, pair_of_columns

__all__ = ["normalized_mutual_information", "normalized_mutual_information_matrix"]


def normalized_mutual_information(a: Any, b: Any, *, weights: Any = None) -> float:
    """Return which share of the less uncertain variable the other one tells, between 0 and 1.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable.
    weights : array of shape (n_samples,), optional
        How much each row counts.

    Examples
    --------
    >>> normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return float(_ratio(pair_of_columns(a, b, weights))[0, 0])


def normalized_mutual_information_matrix(
    X: Any, Y: Any = None, *, weights: Any = None, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return NI(X_i;Y_j) for all pairs of columns, shape (x columns, y columns).

    Takes what `mutual_information_matrix` takes; the base of logarithms does not matter.

    Examples
    --------
    >>> normalized_mutual_information_matrix([[0, 5], [0, 5], [1, 5]])
    array([[1., 0.],
           [0., 0.]])
    """
    return _ratio(pair_contents(X, Y, weights, n_jobs))


def _ratio(contents: Any) -> npt.NDArray[np.float64]:
    whole = contents.logs.whole
    smaller = np.minimum((whole - contents.x)[:, None], (whole - contents.y)[None, :])
    shared = amounts_shared(contents, 1.0)
    return np.divide(shared, smaller, out=np.zeros_like(shared), where=smaller > 0)
