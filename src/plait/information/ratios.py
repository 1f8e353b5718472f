"""Mutual information as a share of entropy, between 0 and 1.

Normalised mutual information NI(A;B) = I(A;B) / min(H(A), H(B)) [PACC 25], and symmetric uncertainty
SU(A,B) = 2 I(A;B) / (H(A) + H(B)); 0 where the entropy is 0.
"""

from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.information.contents import pair_contents
from plait.information.dependence import amounts_shared, pair_of_columns

__all__ = [
    "normalized_mutual_information",
    "normalized_mutual_information_matrix",
    "symmetric_uncertainty",
    "symmetric_uncertainty_matrix",
]


def normalized_mutual_information(a: Any, b: Any, *, weights: Any = None) -> float:
    """Return which share of the less uncertain variable the other one tells, between 0 and 1.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable.
    weights : array of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    float

    Examples
    --------
    >>> normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return float(_normalized(pair_of_columns(a, b, weights))[0, 0])


def normalized_mutual_information_matrix(
    X: Any, Y: Any = None, *, weights: Any = None, n_jobs: int | None = None
) -> Floats:
    """Return NI(X_i;Y_j) for all pairs of columns, shape (x columns, y columns).

    Takes what `mutual_information_matrix` takes; the base of logarithms does not matter.

    Parameters
    ----------
    X, Y : what `count_pairs` takes, or PairCounts as X
        Columns of symbols; all pairs of columns of X where Y is None.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> normalized_mutual_information_matrix([[0, 5], [0, 5], [1, 5]])
    array([[1., 0.],
           [0., 0.]])
    """
    return _normalized(pair_contents(X, Y, weights, n_jobs))


def _normalized(contents: Any) -> Floats:
    whole = contents.logs.whole
    smaller = np.minimum((whole - contents.x)[:, None], (whole - contents.y)[None, :])
    shared = amounts_shared(contents, 1.0)
    return np.divide(shared, smaller, out=np.zeros_like(shared), where=smaller > 0)


def symmetric_uncertainty(a: Any, b: Any, *, weights: Any = None) -> float:
    """Return the share of uncertainty that two variables have in common, between 0 and 1.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable.
    weights : array of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    float

    Examples
    --------
    >>> symmetric_uncertainty([0, 0, 1, 1], [3, 3, 8, 8])
    1.0
    """
    return float(_symmetric(pair_of_columns(a, b, weights))[0, 0])


def symmetric_uncertainty_matrix(X: Any, Y: Any = None, *, weights: Any = None, n_jobs: int | None = None) -> Floats:
    """Return SU(X_i,Y_j) for all pairs of columns, shape (x columns, y columns).

    Takes what `mutual_information_matrix` takes; the base of logarithms does not matter.

    Parameters
    ----------
    X, Y : what `count_pairs` takes, or PairCounts as X
        Columns of symbols; all pairs of columns of X where Y is None.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> symmetric_uncertainty_matrix([[0, 5], [0, 5], [1, 5]])
    array([[1., 0.],
           [0., 0.]])
    """
    return _symmetric(pair_contents(X, Y, weights, n_jobs))


def _symmetric(contents: Any) -> Floats:
    whole = contents.logs.whole
    both = (whole - contents.x)[:, None] + (whole - contents.y)[None, :]
    shared = amounts_shared(contents, 1.0)
    return np.divide(2.0 * shared, both, out=np.zeros_like(shared), where=both > 0)
