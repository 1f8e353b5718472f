"""What discretisers read off the columns of a matrix: moments, distinct values, and the values sorted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.counts.codes import MANY_CELLS, MANY_ENTRIES

__all__ = ["ColumnProfile", "SortedColumns", "profile_columns", "sorted_columns"]

_kernels = lazy_module("plait.counts.discretizers._kernels")


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """Numbers for each column; missing values are left out of all but `n_missing`.

    Parameters
    ----------
    n_rows : int
    n_missing, n_values : ndarray of int64, shape (n_columns,)
        Entries that are NaN; entries that are neither NaN nor 0.
    total : ndarray of float64
        Sum of the values.
    first, second : ndarray of float64
        Up to two distinct non-zero values, in order of appearance.
    n_nonzero : ndarray of int64
        Distinct non-zero values: 0, 1, 2, or 3 for three and more.
    """

    n_rows: int
    n_missing: Ints
    n_values: Ints
    total: Floats
    first: Floats
    second: Floats
    n_nonzero: Ints

    @property
    def n_present(self) -> Ints:
        """Entries that are not NaN."""
        return self.n_rows - self.n_missing

    @property
    def n_zeros(self) -> Ints:
        """Entries that are 0, stored or not."""
        return self.n_present - self.n_values

    @property
    def n_distinct(self) -> Ints:
        """Distinct values, 0 among them where it occurs; exact up to 2."""
        return self.n_nonzero + (self.n_zeros > 0)

    def mean(self) -> Floats:
        """Return the mean of each column (0 where all is missing)."""
        return self.total / np.maximum(self.n_present, 1)

    def moments(self, X: Any) -> tuple[Floats, Floats]:
        """Return the mean and the sample standard deviation of each column of X, 0 for fewer than two values.

        Columns whose squares are beyond float64 are divided by a power of two first, which changes no digit.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            mean, squares = self.mean(), self._squares(X)
        deviation = np.sqrt(squares / np.maximum(self.n_present - 1, 1))
        beyond = np.flatnonzero(~((squares > _LEAST_SQUARES) & (squares < np.inf)) & (self.n_distinct > 1))
        if beyond.size:
            part = _dense_columns(X, beyond)
            exponents = np.frexp(np.nanmax(np.abs(part), axis=0))[1]
            part = np.ldexp(part, -exponents)
            profile = profile_columns(part)
            spread = np.sqrt(profile._squares(part) / np.maximum(profile.n_present - 1, 1))
            mean[beyond], deviation[beyond] = np.ldexp(profile.mean(), exponents), np.ldexp(spread, exponents)
        return mean, deviation

    def _squares(self, X: Any) -> Floats:
        """Return the sum over each column of (x - mean)^2."""
        mean = self.mean()
        squares = np.zeros(mean.size)
        if not _kernels_serve(X):
            columns, values = _present(*_nonzero(X))
            squares += np.bincount(columns, np.square(values - mean[columns]), minlength=mean.size)
        elif sparse.issparse(X):
            _kernels.spread_entries(X.indices, X.data, mean, squares)
        else:
            _kernels.spread_dense(X, mean, squares)
        squares += self.n_zeros * mean**2
        return squares


# Below this, digits of squares are lost to underflow.
_LEAST_SQUARES = 1e-250


def _dense_columns(X: Any, columns: Ints) -> Floats:
    part = X[:, columns]
    return np.ascontiguousarray(part.toarray() if sparse.issparse(part) else part, dtype=np.float64)


def profile_columns(X: Any) -> ColumnProfile:
    """Return the profile of a dense or CSR matrix; both give the same bits."""
    if not _kernels_serve(X):
        return _plain_profile(X)
    n_rows, n_columns = X.shape
    n_missing, n_values, n_nonzero = (np.zeros(n_columns, dtype=np.int64) for _ in range(3))
    total, first, second = (np.zeros(n_columns) for _ in range(3))
    if sparse.issparse(X):
        _kernels.see_entries(X.indices, X.data, n_missing, n_values, total, first, second, n_nonzero)
    else:
        _kernels.see_dense(X, n_missing, n_values, total, first, second, n_nonzero)
    return ColumnProfile(n_rows, n_missing, n_values, total, first, second, n_nonzero)


def _plain_profile(X: Any) -> ColumnProfile:
    n_rows, n_columns = X.shape
    columns, values = _nonzero(X)
    n_missing = np.bincount(columns[np.isnan(values)], minlength=n_columns)
    columns, values = _present(columns, values)
    n_values = np.bincount(columns, minlength=n_columns)
    total = np.bincount(columns, values, minlength=n_columns).astype(np.float64, copy=False)
    first, second = np.zeros(n_columns), np.zeros(n_columns)
    # What is assigned last stays, so that backwards it is the first value.
    first[columns[::-1]] = values[::-1]
    others = values != first[columns]
    second[columns[others][::-1]] = values[others][::-1]
    more = others & (values != second[columns])
    n_nonzero = np.zeros(n_columns, dtype=np.int64)
    for n_seen, where in enumerate((columns, columns[others], columns[more]), start=1):
        n_nonzero[where] = n_seen
    return ColumnProfile(n_rows, n_missing, n_values, total, first, second, n_nonzero)


def _kernels_serve(X: Any) -> bool:
    return kernels_pay(X.nnz, MANY_ENTRIES) if sparse.issparse(X) else kernels_pay(X.size, MANY_CELLS)


def _nonzero(X: Any) -> tuple[Array, Floats]:
    """Return the columns and values of all entries but zeros, in the order of rows."""
    if sparse.issparse(X):
        stored = X.data != 0
        return X.indices[stored], X.data[stored].astype(np.float64)
    flat = X.ravel()
    places = np.flatnonzero(flat)
    return places % X.shape[1], flat[places].astype(np.float64)


def _present(columns: Array, values: Floats) -> tuple[Array, Floats]:
    there = ~np.isnan(values)
    return columns[there], values[there]


# Entries of a dense matrix that are sorted at a time.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class SortedColumns:
    """Some columns with their entries ascending by value, NaN last.

    Parameters
    ----------
    columns : ndarray of int64, shape (n,)
        Which columns.
    starts : ndarray of int64, shape (n + 1,)
        The entries of the k-th are `starts[k] .. starts[k + 1] - 1`; what is not listed is 0.
    rows, values : ndarray
        Row and value of each entry.
    """

    columns: Ints
    starts: Ints
    rows: Ints
    values: Floats


def sorted_columns(X: Any, columns: Ints) -> Iterator[SortedColumns]:
    """Yield some columns of a dense or CSR matrix, sorted, in blocks that fit the memory."""
    if sparse.issparse(X):
        by_column = X[:, columns].tocsc() if columns.size < X.shape[1] else X.tocsc()
        values, rows = by_column.data.astype(np.float64), by_column.indices.astype(np.int64)
        starts = by_column.indptr.astype(np.int64)
        if kernels_pay(values.size, MANY_ENTRIES):
            _kernels.sort_columns(starts, rows, values)
        else:
            order = np.lexsort((values, np.repeat(np.arange(columns.size), np.diff(starts))))
            rows, values = rows[order], values[order]
        yield SortedColumns(columns, starts, rows, values)
        return
    width = max(1, _BLOCK // max(X.shape[0], 1))
    for first in range(0, columns.size, width):
        some = columns[first : first + width]
        block = np.ascontiguousarray(X[:, some].T, dtype=np.float64)
        order = np.argsort(block, axis=1)
        values = np.take_along_axis(block, order, axis=1)
        yield SortedColumns(some, np.arange(some.size + 1) * X.shape[0], order.ravel(), values.ravel())
