"""By how much a learner divides each column of X, so that the penalty treats columns alike."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Bools, Floats, Ints

__all__ = ["ColumnMoments", "column_means", "column_scales"]


# A column whose deviation is below this share of its size is constant up to rounding and is not scaled.
_CONSTANT = 1e-12
_LARGE = 1e6
_TINY = 1e-100
# Mostly-zero columns whose sizes differ by less than this factor keep their proportions: those of word weights (inverse
# document frequencies) are meant.
_ALIKE = 10.0**0.5
# Among dense columns a column counts as filled to this share at least, or single values would become very large.
_LEAST_SHARE = 0.1


def column_scales(X: Any, standardize: bool | str, weights: Floats | None = None) -> Floats:
    """Return what to divide the columns of X by: standard deviations (ddof 0), or ones.

    With "auto", columns of 0 and 1 only keep their scale, and columns with more zeros than other values (word counts)
    are divided by the root mean square of these values, so that they are comparable with columns of 0 and 1; or of all
    their rows, so that they are comparable with columns of unit deviation, where most of the columns to be scaled are
    such. Where that is within half a decade of its median over such columns, they are divided by the median. With
    "balanced", what "auto" gives is multiplied by one number, so that the variances of the divided columns sum to one.
    The answer depends on the values alone, not on whether X is stored dense or sparse. Constant columns keep their
    scale unless they are large.

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
    array([1.   , 2.236, 7.   ])
    """
    rows = np.ones(X.shape[0]) if weights is None else weights
    if standardize is False or rows.sum() <= 0:
        return np.ones(X.shape[1])
    deviations, sizes = _moments(X, rows)
    binary, filled = np.zeros(len(sizes), dtype=np.bool_), sizes
    if standardize in ("auto", "balanced"):
        binary, filled = _binary(X, sizes), _filled(X, rows)
    squares = partial(_squares, X, rows, sizes=sizes)
    return _scales(standardize, rows.sum(), deviations, sizes, binary, filled, squares)


def _scales(
    standardize: bool | str,
    n_rows: float,
    deviations: Floats,
    sizes: Floats,
    binary: Any,
    filled: Floats,
    squares: Callable[[Ints], Floats],
) -> Floats:
    """Return the scales by what is known of the columns; `squares` gives sums of (value / size)^2 of some of them."""
    scales = np.ones(len(sizes))
    varying = deviations > _CONSTANT * sizes
    chosen = varying
    if standardize in ("auto", "balanced"):
        numbers = varying & ~binary
        rare = numbers & (2 * filled < n_rows)
        chosen = numbers & ~rare
        shares = np.maximum(filled / n_rows, _LEAST_SHARE) if chosen.sum() > rare.sum() else np.ones_like(filled)
        found = squares(np.flatnonzero(rare))
        scales[rare] = _alike(sizes[rare] * np.sqrt(found / filled[rare] * shares[rare]))
    scales[chosen] = deviations[chosen]
    # What rounding leaves of a large constant is large, too.
    scales[~varying & (sizes > _LARGE)] = sizes[~varying & (sizes > _LARGE)]
    if standardize == "balanced" and varying.any():
        scales[varying] *= np.linalg.norm(deviations[varying] / scales[varying])
    return scales


@dataclass(frozen=True, eq=False)
class ColumnMoments:
    """What scales are made from, additive over rows: numbers of rows and values, means, deviations, sizes.

    Parameters
    ----------
    n_rows : float
        Number of rows, or what they weigh.
    means, apart : ndarray of shape (n_columns,)
        Means, and sums of squared distances from them.
    sizes : ndarray of shape (n_columns,)
        Largest absolute values.
    binary : ndarray of bool
        Which columns hold 0 and 1 only.
    filled, squares : ndarray of shape (n_columns,)
        How many values are not 0, and the sums of their squares.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 7.0], [1.0, 3.0, 0.0], [1.0, 5.0, 0.0], [0.0, 7.0, 0.0]])
    >>> (ColumnMoments.of(X[:1]) + ColumnMoments.of(X[1:])).scales("auto").round(3)
    array([1.   , 2.236, 7.   ])
    """

    n_rows: float
    means: Floats
    apart: Floats
    sizes: Floats
    binary: Bools
    filled: Floats
    squares: Floats

    @classmethod
    def of(cls, X: Any, weights: Floats | None = None) -> "ColumnMoments":
        """Return the moments of some rows; a row counts as often as its weight, which is not 0, says."""
        if not X.shape[0]:
            nothing = np.zeros(X.shape[1])
            return cls(0, nothing, nothing, nothing, np.ones(X.shape[1], dtype=np.bool_), nothing, nothing)
        rows = np.ones(X.shape[0]) if weights is None else weights
        mass = float(rows.sum())
        deviations, sizes = _moments(X, rows)
        squares = _squares(X, rows, np.arange(X.shape[1]), np.ones(X.shape[1]))
        apart = mass * np.square(deviations)
        means = np.asarray(rows @ X).ravel() / mass
        return cls(mass, means, apart, sizes, _binary(X, sizes), _filled(X, rows), squares)

    def __add__(self, other: "ColumnMoments") -> "ColumnMoments":
        if not (self.n_rows and other.n_rows):
            return self if self.n_rows else other
        n_rows = self.n_rows + other.n_rows
        gap = other.means - self.means
        # Chan, Golub and LeVeque: sums of squares around the mean of both.
        return ColumnMoments(
            n_rows,
            self.means + gap * (other.n_rows / n_rows),
            self.apart + other.apart + np.square(gap) * (self.n_rows * other.n_rows / n_rows),
            np.maximum(self.sizes, other.sizes),
            self.binary & other.binary,
            self.filled + other.filled,
            self.squares + other.squares,
        )

    def scales(self, standardize: bool | str) -> Floats:
        """Return what `column_scales` returns of all rows, up to rounding."""
        if standardize is False or not self.n_rows:
            return np.ones(len(self.means))
        deviations = np.sqrt(self.apart / self.n_rows)

        def squares(columns: Ints) -> Floats:
            return self.squares[columns] / np.square(self.sizes[columns])

        return _scales(standardize, self.n_rows, deviations, self.sizes, self.binary, self.filled, squares)


def _alike(sizes: Floats) -> Floats:
    """Return the sizes, those near their median replaced by it."""
    if not sizes.size:
        return sizes
    middle = np.median(sizes)
    return np.where((sizes < _ALIKE * middle) & (middle < _ALIKE * sizes), middle, sizes)


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
    # The stored entries as they are, and the zeros, which all lie at the same distance from the mean. Of a column
    # without zeros rounding of sums of weights must not make some: large constants would seem to vary.
    zeros = np.maximum(rows.sum() - filled, 0.0)
    zeros[np.bincount(X.indices, minlength=entries) == X.shape[0]] = 0.0
    variances = (apart + zeros * means**2) / rows.sum()
    return np.asarray(np.sqrt(variances))


def _binary(X: Any, sizes: Floats) -> Bools:
    """Return which columns hold 0 and 1 only."""
    binary = (sizes == 0) | (sizes == 1)
    if sparse.issparse(X):
        binary[X.indices[(X.data != 0) & (X.data != 1)]] = False
    else:
        values = X[:, binary]
        binary[binary] = ((values == 0) | (values == 1)).all(axis=0)
    return np.asarray(binary)


def _filled(X: Any, rows: Floats) -> Floats:
    """Return how many values of every column are not 0."""
    if not sparse.issparse(X):
        return np.asarray(rows @ (X != 0))
    filled = np.bincount(X.indices, np.repeat(rows, np.diff(X.indptr)) * (X.data != 0), minlength=X.shape[1])
    return np.asarray(filled, dtype=np.float64)


def _squares(X: Any, rows: Floats, columns: Ints, sizes: Floats) -> Floats:
    """Return the sums of (value / size)^2 of some columns."""
    if not sparse.issparse(X):
        return np.asarray(rows @ np.square(X[:, columns] / sizes[columns]))
    units = np.where(sizes > 0, sizes, 1.0)[X.indices]
    squares = np.repeat(rows, np.diff(X.indptr)) * np.square(X.data / units)
    return np.asarray(np.bincount(X.indices, squares, minlength=X.shape[1])[columns], dtype=np.float64)
