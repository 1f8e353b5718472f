"""Columns scaled so that differences between rows lie in [0, 1], as whole numbers whose sums are exact.

Nearest neighbours of rows with few distinct values have many ties. As whole numbers, distances are the same to the
last bit for dense and sparse rows and any order of adding, so that ties stay ties.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.features.number_matrix import column_bounds

__all__ = ["WholeDifferences"]

# A multiple of 1 to 16: steps of small whole numbers, such as 1/3 of a range, come out exact.
_MANY_DIVISORS = 720720
_LARGEST_SUM = 1 << 52


@dataclass(frozen=True, eq=False)
class WholeDifferences:
    """A matrix in which the difference of two rows is the sum of |a - b| over columns, in units of 1 / unit.

    Parameters
    ----------
    values : ndarray or CSR matrix of shape (n_samples, n_parts)
        Whole numbers as `float64`; every sum of differences stays below 2**53.
    owner : ndarray of int, shape (n_parts,)
        The original column of each part: a numeric column has one, a nominal one has several.
    unit : int
        A difference of `unit` is the whole range of a numeric column, or two different nominal values.
    """

    values: Any
    owner: npt.NDArray[np.int64]
    unit: int

    @classmethod
    def of(cls, X: Any, nominal: npt.NDArray[np.bool_]) -> "WholeDifferences":
        """Scale a matrix of numbers, dense or CSR, with the given columns taken as names of things."""
        unit = _MANY_DIVISORS
        while unit * 2 * (X.shape[1] + 1) <= _LARGEST_SUM:
            unit *= 2
        numeric = np.flatnonzero(~nominal)
        parts = [_ranged(X[:, numeric], unit)]
        owners = [numeric]
        for column in np.flatnonzero(nominal):
            parts.append(_named(X[:, [column]], unit // 2))
            owners.append(np.full(parts[-1].shape[1], column))
        return cls(_side_by_side(parts), np.concatenate(owners), unit)


def _side_by_side(parts: list[Any]) -> Any:
    if not sparse.issparse(parts[0]):
        return parts[0] if len(parts) == 1 else np.hstack(parts)
    rows = sparse.csr_matrix(sparse.hstack(parts, format="csr"))
    rows.sort_indices()
    if rows.nnz < 1 << 31:  # scikit-learn's distances take no wider numbers
        rows.indptr, rows.indices = rows.indptr.astype(np.int32), rows.indices.astype(np.int32)
    return rows


def _ranged(X: Any, unit: int) -> Any:
    """Return (x - shift) / range in units; a column without zeros is shifted to start at 0, others need no shift."""
    low, high = column_bounds(X) if X.shape[1] else (np.zeros(0), np.zeros(0))
    width = np.where(high > low, high - low, np.inf)
    if not sparse.issparse(X):
        shift = np.where((X != 0).all(axis=0), low, 0.0)
        return np.rint((X - shift) / width * unit)
    filled = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    shift = np.where(filled, low, 0.0)
    scaled = X.copy()
    scaled.data = np.rint((X.data - shift[X.indices]) / width[X.indices] * unit)
    scaled.eliminate_zeros()
    return scaled


def _named(column: Any, half: int) -> Any:
    """Return indicators, half a unit each, of every value but 0, and of "not 0".

    Two different values differ in two indicators: those of both, or that of one and "not 0". Rows with 0 stay empty.
    """
    if sparse.issparse(column):
        values, numbers = np.unique(column.data, return_inverse=True)
        rows = np.repeat(np.arange(column.shape[0]), np.diff(column.indptr))
        places = np.concatenate((numbers, np.full(numbers.size, values.size)))
        shape = (column.shape[0], values.size + 1)
        return sparse.csr_matrix((np.full(places.size, float(half)), (np.tile(rows, 2), places)), shape=shape)
    values = np.unique(column[column != 0])
    return half * np.hstack((column == values, column != 0)).astype(np.float64)
