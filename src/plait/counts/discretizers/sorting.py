"""The columns of a matrix, each sorted by value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Ints
from plait.counts.discretizers._kernels import sort_columns

__all__ = ["SortedColumns", "sorted_columns"]

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
    values: npt.NDArray[np.float64]


def sorted_columns(X: Any, columns: Ints) -> Iterator[SortedColumns]:
    """Yield some columns of a dense or CSR matrix, sorted, in blocks that fit the memory."""
    if sparse.issparse(X):
        by_column = X[:, columns].tocsc() if columns.size < X.shape[1] else X.tocsc()
        values, rows = by_column.data.astype(np.float64), by_column.indices.astype(np.int64)
        starts = by_column.indptr.astype(np.int64)
        sort_columns(starts, rows, values)
        yield SortedColumns(columns, starts, rows, values)
        return
    width = max(1, _BLOCK // max(X.shape[0], 1))
    for first in range(0, columns.size, width):
        some = columns[first : first + width]
        block = np.ascontiguousarray(X[:, some].T, dtype=np.float64)
        order = np.argsort(block, axis=1)
        values = np.take_along_axis(block, order, axis=1)
        yield SortedColumns(some, np.arange(some.size + 1) * X.shape[0], order.ravel(), values.ravel())
