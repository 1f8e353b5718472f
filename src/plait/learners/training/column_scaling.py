"""By how much a learner divides each column of X, so that the penalty treats columns alike."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats

__all__ = ["column_means", "column_scales"]


# A column whose deviation is below this share of its size is constant up to rounding and is not scaled.
_CONSTANT = 1e-12
_TINY = 1e-100


def column_scales(X: Any, standardize: bool | str, weights: Floats | None = None) -> Floats:
    """Return what to divide the columns of X by: standard deviations (ddof 0), or ones.

    With "auto", columns of 0 and 1 only, and columns with more zeros than other values (word counts), keep their
    scale. With "balanced", what "auto" gives is multiplied by one number, so that the variances of the divided columns
    sum to one. The answer depends on the values alone, not on whether X is stored dense or sparse. Constant columns
    keep their scale.

    Parameters
    ----------
    X : array or CSR matrix
        Features.
    standardize : bool, "auto" or "balanced"
        Whether to scale.
    weights : ndarray of shape (n_samples,), optional
        A row counts as often as its weight says.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 7.0], [1.0, 3.0, 0.0], [1.0, 5.0, 0.0], [0.0, 7.0, 0.0]])
    >>> column_scales(X, "auto").round(3)
    array([1.   , 2.236, 1.   ])
    """
    scales = np.ones(X.shape[1])
    rows = np.ones(X.shape[0]) if weights is None else weights
    if standardize is False or rows.sum() <= 0:
        return scales
    deviations, sizes = _moments(X, rows)
    chosen = deviations > _CONSTANT * sizes
    varying = chosen.copy()
    if standardize in ("auto", "balanced"):
        chosen &= ~_kept(X, rows)
    scales[chosen] = deviations[chosen]
    if standardize == "balanced" and varying.any():
        scales[varying] *= np.linalg.norm(deviations[varying] / scales[varying])
    return scales


def column_means(X: Any) -> Floats:
    """Return the means of the columns, in float64."""
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()


def _moments(X: Any, rows: Floats) -> tuple[Floats, Floats]:
    """Return standard deviations and greatest absolute values of the columns."""
    sizes = abs(X).max(axis=0)
    sizes = np.asarray(sizes.toarray() if sparse.issparse(sizes) else sizes, dtype=np.float64).ravel()
    # Squares of such columns would be no numbers, or 0.
    extreme = (sizes > 1.0 / _TINY) | ((sizes > 0) & (sizes < _TINY))
    if extreme.any():
        units = np.where(extreme, sizes, 1.0)
        X = sparse.csr_matrix(X @ sparse.diags_array(1.0 / units)) if sparse.issparse(X) else X / units
        return _deviations(X, rows) * units, sizes
    return _deviations(X, rows), sizes


def _deviations(X: Any, rows: Floats) -> Floats:
    means = np.asarray(rows @ X).ravel() / rows.sum()
    if not sparse.issparse(X):
        return np.asarray(np.sqrt(rows @ (X - means) ** 2 / rows.sum()))
    entries, of_row = X.shape[1], np.repeat(rows, np.diff(X.indptr))
    filled = np.bincount(X.indices, of_row, minlength=entries)
    apart = np.bincount(X.indices, of_row * (X.data - means[X.indices]) ** 2, minlength=entries)
    # The stored entries as they are, and the zeros, which all lie at the same distance from the mean.
    variances = (apart + np.maximum(rows.sum() - filled, 0.0) * means**2) / rows.sum()
    return np.asarray(np.sqrt(variances))


def _kept(X: Any, rows: Floats) -> npt.NDArray[np.bool_]:
    """Return which columns hold 0 and 1 only, or more zeros than other values."""
    if sparse.issparse(X):
        of_row = np.repeat(rows, np.diff(X.indptr))
        filled = np.bincount(X.indices, of_row * (X.data != 0), minlength=X.shape[1])
        others = np.bincount(X.indices, of_row * ((X.data != 0) & (X.data != 1)), minlength=X.shape[1])
    else:
        filled, others = rows @ (X != 0), rows @ ((X != 0) & (X != 1))
    return np.asarray((others == 0) | (2 * filled < rows.sum()))
