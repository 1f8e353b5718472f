"""By how much a learner divides each column of X, so that the penalty treats columns alike."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["column_means", "column_scales"]

Floats = npt.NDArray[np.float64]

# A column whose deviation is below this share of its size is constant up to rounding and is not scaled.
_CONSTANT = 1e-12


def column_scales(X: Any, standardize: bool | str) -> Floats:
    """Return what to divide the columns of X by: standard deviations (rows count alike, ddof 0), or ones.

    With "auto", columns of 0 and 1 only, and columns with more zeros than other values (word counts), keep their
    scale. The answer depends on the values alone, not on whether X is stored dense or sparse. Constant columns keep
    their scale.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 7.0], [1.0, 3.0, 0.0], [1.0, 5.0, 0.0], [0.0, 7.0, 0.0]])
    >>> column_scales(X, "auto").round(3)
    array([1.   , 2.236, 1.   ])
    """
    scales = np.ones(X.shape[1])
    if standardize is False or X.shape[0] == 0:
        return scales
    deviations, sizes = _moments(X)
    chosen = deviations > _CONSTANT * sizes
    if standardize == "auto":
        chosen &= ~_kept(X)
    scales[chosen] = deviations[chosen]
    return scales


def column_means(X: Any) -> Floats:
    """Return the means of the columns, in float64."""
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()


def _moments(X: Any) -> tuple[Floats, Floats]:
    """Return standard deviations and greatest absolute values of the columns."""
    means = column_means(X)
    if not sparse.issparse(X):
        deviations = np.sqrt(np.mean((X - means) ** 2, axis=0))
        return deviations, np.abs(X).max(axis=0).astype(np.float64)
    entries = np.bincount(X.indices, minlength=X.shape[1])
    apart = np.bincount(X.indices, (X.data - means[X.indices]) ** 2, minlength=X.shape[1])
    # The stored entries as they are, and the zeros, which all lie at the same distance from the mean.
    variances = (apart + (X.shape[0] - entries) * means**2) / X.shape[0]
    sizes = np.asarray(abs(X).max(axis=0).toarray()).ravel()
    return np.sqrt(variances), sizes.astype(np.float64)


def _kept(X: Any) -> npt.NDArray[np.bool_]:
    """Return which columns hold 0 and 1 only, or more zeros than other values."""
    if sparse.issparse(X):
        filled = np.bincount(X.indices, X.data != 0, minlength=X.shape[1])
        ones = np.bincount(X.indices, X.data == 1, minlength=X.shape[1])
    else:
        filled, ones = (X != 0).sum(axis=0), (X == 1).sum(axis=0)
    return np.asarray((filled == ones) | (2 * filled < X.shape[0]))
