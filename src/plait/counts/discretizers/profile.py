"""What discretisers read off the columns of a matrix: moments, distinct values, and the values sorted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.lazy_modules import lazy_module

__all__ = ["ColumnProfile", "profile_columns", "sorted_columns"]

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

    def standard_deviation(self, X: Any) -> Floats:
        """Return the sample standard deviation of each column of X, 0 for fewer than two values."""
        mean = self.mean()
        squares = np.zeros(mean.size)
        if sparse.issparse(X):
            _kernels.spread_entries(X.indices, X.data, mean, squares)
        else:
            _kernels.spread_dense(X, mean, squares)
        squares += self.n_zeros * mean**2
        return np.sqrt(squares / np.maximum(self.n_present - 1, 1))


def profile_columns(X: Any) -> ColumnProfile:
    """Return the profile of a dense or CSR matrix; both give the same bits."""
    n_rows, n_columns = X.shape
    n_missing, n_values, n_nonzero = (np.zeros(n_columns, dtype=np.int64) for _ in range(3))
    total, first, second = (np.zeros(n_columns) for _ in range(3))
    if sparse.issparse(X):
        _kernels.see_entries(X.indices, X.data, n_missing, n_values, total, first, second, n_nonzero)
    else:
        _kernels.see_dense(X, n_missing, n_values, total, first, second, n_nonzero)
    return ColumnProfile(n_rows, n_missing, n_values, total, first, second, n_nonzero)


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
        _kernels.sort_columns(starts, rows, values)
        yield SortedColumns(columns, starts, rows, values)
        return
    width = max(1, _BLOCK // max(X.shape[0], 1))
    for first in range(0, columns.size, width):
        some = columns[first : first + width]
        block = np.ascontiguousarray(X[:, some].T, dtype=np.float64)
        order = np.argsort(block, axis=1)
        values = np.take_along_axis(block, order, axis=1)
        yield SortedColumns(some, np.arange(some.size + 1) * X.shape[0], order.ravel(), values.ravel())
