"""From any matrix of discrete values to indicator planes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Array, Bits, Bools, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError, complaint
from plait.counts.codes import MANY_CELLS, MANY_ENTRIES, Codes, PackedCodes, SparseCodes, packed_bits
from plait.counts.vocabulary import Vocabulary, distinct_symbols

__all__ = ["encode"]

_kernels = lazy_module("plait.counts._kernels")


# Whole numbers in this range have their planes looked up in a table; anything else is sorted.
_SMALL = (-(1 << 15), 1 << 15)
# Look-up cells allowed beside the data themselves.
_TABLE_CELLS = 1 << 22
# Above so many symbols a column, bits take more memory than a list of entries.
_PACKED_SYMBOLS = 32


def encode(X: Any) -> Codes:
    """Return the symbols of a matrix as indicator planes.

    Parameters
    ----------
    X : ndarray, sparse matrix, data frame or Codes of shape (n_rows, n_columns)
        Discrete values: any numbers or truth values. Every distinct value of a column is a symbol, all NaN of a
        column are one, and entries that a sparse matrix does not store are 0. Codes are returned as they are.

    Returns
    -------
    SparseCodes or PackedCodes
        Sparse for a sparse matrix (0/1 columns share its memory), and for a dense one with more than about 32 symbols a
        column; packed otherwise.

    Examples
    --------
    >>> codes = encode([[0, 2], [1, -1], [1, 0]])
    >>> codes.vocabulary.symbols(1), codes.totals
    (array([ 0., -1.,  2.]), array([2, 1, 1]))
    """
    if isinstance(X, SparseCodes | PackedCodes):
        return X
    if sparse.issparse(X):
        return _encode_sparse(X)
    values = np.ascontiguousarray(X)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise _unusable(values)
    return _encode_dense(values.view(np.uint8) if values.dtype == np.bool_ else values)


def _unusable(values: Array) -> ParameterError:
    found = f"{values.ndim}-dimensional of dtype {values.dtype}"
    return ParameterError(
        f"plait.counts.encode needs X to be a two-dimensional matrix of numbers, but it is {found}. "
        "Pass an array of shape (n_samples, n_columns), with words coded as numbers."
    )


def _encode_sparse(X: Any) -> SparseCodes:
    rows = X.tocsr()
    if rows.dtype.kind not in "biuf":
        raise ParameterError(complaint("plait.counts.encode", "X", "a matrix of numbers", rows.dtype))
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    data = rows.data.view(np.uint8) if rows.dtype == np.bool_ else rows.data
    indptr = rows.indptr.astype(np.int64, copy=False)
    if (data == 1).all():
        return SparseCodes(Vocabulary.binary(rows.shape[1]), indptr, _unsigned(rows.indices))
    bounds = _small_integers(data)
    if bounds is not None and (bounds[1] - bounds[0] + 1) * rows.shape[1] <= max(_TABLE_CELLS, 4 * data.size):
        return _small_sparse(rows, data, indptr, *bounds)
    return _entries(indptr, rows.indices, _floats(data), rows.shape[1])


def _small_integers(values: Array) -> tuple[int, int] | None:
    """Return bounds around all values and 0 if they are whole numbers in a small range."""
    if values.size == 0:
        return 0, 0
    low, high = values.min(), values.max()
    if not (_SMALL[0] <= low and high <= _SMALL[1]):
        return None
    if values.dtype.kind == "f":
        # A few first: numbers that are not whole are mostly seen there, and the rest need not be read.
        for part in (values[:64], values):
            if (part != np.rint(part)).any():
                return None
    return min(int(low), 0), max(int(high), 0)


def _unsigned(indices: Array) -> npt.NDArray[np.uint32]:
    return indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)


def _floats(data: Array) -> Floats:
    if data.dtype.kind in "iu" and data.size and max(abs(int(data.min())), abs(int(data.max()))) > 1 << 53:
        must = "free of integers beyond 2**53"
        raise ParameterError(complaint("plait.counts.encode", "X", must, data.max(), "Number the symbols from 0."))
    return data.astype(np.float64, copy=False)


def _small_sparse(rows: Any, data: Array, indptr: Ints, low: int, high: int) -> SparseCodes:
    present = np.zeros((rows.shape[1], high - low + 1), dtype=np.bool_)
    if not kernels_pay(data.size, MANY_ENTRIES):
        places = rows.indices, data.astype(np.int64) - low
        present[places] = True
        vocabulary, table = _table(present, low)
        return _without_zeros(vocabulary, indptr, table[places])
    _kernels.mark_sparse(rows.indices, data, low, present)
    vocabulary, table = _table(present, low)
    planes = np.empty(data.size, dtype=np.int64)
    _kernels.planes_of_entries(rows.indices, data, low, table, planes)
    return _without_zeros(vocabulary, indptr, planes)


def _table(present: Bools, low: int) -> tuple[Vocabulary, Ints]:
    """Return the vocabulary of marked values and table[j, value - low] = plane, or -1 where there is none."""
    present[:, -low] = False
    empty = ~present.any(axis=1)
    if 1 - low < present.shape[1]:
        present[empty, 1 - low] = True
    else:  # nothing above 0 occurs anywhere, so the table gets a place for the symbol 1
        present = np.column_stack((present, empty))
    columns, values = np.nonzero(present)
    table = np.full(present.shape, -1, dtype=np.int64)
    table[columns, values] = np.arange(columns.size)
    offsets = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
    return Vocabulary(offsets, (values + low).astype(np.float64)), table


def _without_zeros(vocabulary: Vocabulary, indptr: Ints, planes: Ints) -> SparseCodes:
    stored = planes >= 0
    if not stored.all():
        indptr = np.concatenate(([0], np.cumsum(stored)))[indptr]
        planes = planes[stored]
    return SparseCodes(vocabulary, indptr, planes.astype(np.uint32))


def _entries(indptr: Ints, indices: Array, values: Floats, n_columns: int) -> SparseCodes:
    """Encode entries of any value by sorting them."""
    stored = values != 0
    vocabulary, planes = distinct_symbols(indices[stored].astype(np.int64), values[stored], n_columns)
    return SparseCodes(vocabulary, np.concatenate(([0], np.cumsum(stored)))[indptr], planes.astype(np.uint32))


def _encode_dense(values: Array) -> Codes:
    n_rows, n_columns = values.shape
    words = _binary_words(values)
    if words is not None:
        return PackedCodes(Vocabulary.binary(n_columns), n_rows, words)
    bounds = _small_integers(values)
    if bounds is None:
        return _dense_entries(values)
    low, high = bounds
    if (high - low + 1) * n_columns > max(_TABLE_CELLS, 4 * values.size):
        return _dense_entries(values)
    pays = kernels_pay(values.size, MANY_CELLS)
    places = np.arange(n_columns), None if pays else values.astype(np.int64) - low
    present = np.zeros((n_columns, high - low + 1), dtype=np.bool_)
    if pays:
        _kernels.mark_dense(values, low, present)
    else:
        present[places] = True
    vocabulary, table = _table(present, low)
    if vocabulary.n_planes > _PACKED_SYMBOLS * n_columns:
        return _dense_entries(values)
    if not pays:
        return PackedCodes(vocabulary, n_rows, _symbol_words(table[places], vocabulary.n_planes))
    words = np.zeros((vocabulary.n_planes, (n_rows + 63) // 64), dtype=np.uint64)
    _kernels.pack_symbols(values, low, table, words)
    return PackedCodes(vocabulary, n_rows, words)


def _symbol_words(planes: Ints, n_planes: int) -> Bits:
    """Return the bits of a matrix of planes, -1 where there is none."""
    rows, columns = np.nonzero(planes >= 0)
    flags = np.zeros((n_planes, planes.shape[0]), dtype=np.bool_)
    flags[planes[rows, columns], rows] = True
    return packed_bits(flags)


def _binary_words(values: Array) -> Bits | None:
    """Return the bits of a matrix of 0 and 1, None for any other."""
    if not kernels_pay(values.size, MANY_CELLS):
        ones = values == 1
        return packed_bits(ones.T) if (ones | (values == 0)).all() else None
    words = np.zeros((values.shape[1], (values.shape[0] + 63) // 64), dtype=np.uint64)
    return words if _kernels.pack_binary(values, words) else None


def _dense_entries(values: Array) -> SparseCodes:
    n_rows, n_columns = values.shape
    indptr = np.arange(n_rows + 1, dtype=np.int64) * n_columns
    columns = np.tile(np.arange(n_columns), n_rows)
    return _entries(indptr, columns, _floats(values.ravel()), n_columns)
