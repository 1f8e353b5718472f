"""Counting: arrays, memory maps, chunks of rows and Dask arrays, all to the same table.

Joint counts of two sets of planes are made by the product that suits what they are: sparse rows are multiplied entry by
entry, or 64 rows at a time as bits; bits by AND and popcount; weighted dense planes by BLAS. The choice depends on
sizes and numbers of entries alone, and all ways give the same integers.
"""

from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Floats
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError
from plait.counts.codes import MANY_CELLS, Codes, PackedCodes, SparseCodes, common_ones
from plait.counts.encoding import encode
from plait.counts.pairs import PairCounts
from plait.counts.streams import summed
from plait.counts.vocabulary import Vocabulary

__all__ = ["checked_weights", "count_columns", "count_pairs", "joint_counts", "kernels_count", "pairs_of_codes"]

_kernels = lazy_module("plait.counts._kernels")


def count_pairs(X: Any, Y: Any = None, *, weights: Any = None) -> PairCounts:
    """Count how often the symbols of each column of X meet those of each column of Y.

    Parameters
    ----------
    X : array, sparse matrix, memory map, Dask array, Codes, or iterator of row chunks
        Discrete values, shape (n_samples, n_columns). An iterator yields `(X_chunk,)`, `(X_chunk, Y_chunk)` or
        `(X_chunk, Y_chunk, weights_chunk)`; then `Y` and `weights` stay None. Only one chunk is held at a time.
    Y : the same kinds, optional
        The other columns, for the same rows; by default the columns of X itself.
    weights : array of shape (n_samples,), optional
        How much each row counts. Whole numbers give integer tables, others give float tables.

    Returns
    -------
    PairCounts
        The same table, bit for bit, whichever way the rows came in (float weights: up to rounding).

    Examples
    --------
    >>> X, Y = np.array([[0, 1], [1, 1], [1, 0]]), np.array([[1], [1], [0]])
    >>> count_pairs(X, Y).joint
    array([[1],
           [2]])
    >>> count_pairs(iter([(X[:1], Y[:1]), (X[1:], Y[1:])])) == count_pairs(X, Y)
    True
    """
    return summed(_pairs, X, Y, weights)


def count_columns(X: Any, *, weights: Any = None) -> PairCounts:
    """Count how often each symbol of each column occurs: `PairCounts` with no columns on the right.

    Takes what `count_pairs` takes; chunks are `(X_chunk,)` or `(X_chunk, weights_chunk)`.

    Parameters
    ----------
    X : what `count_pairs` takes
        Columns of symbols.
    weights : array of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    PairCounts

    Examples
    --------
    >>> count_columns([[0, 1], [1, 2], [1, 1]]).x_counts
    array([2, 2, 1])
    """
    return summed(_columns, X, weights)


def _pairs(X: Any, Y: Any, weights: Any) -> PairCounts:
    a = encode(X)
    return pairs_of_codes(a, a if Y is None else encode(Y), weights)


def _columns(X: Any, weights: Any) -> PairCounts:
    a = encode(X)
    nothing = SparseCodes(Vocabulary.binary(0), np.zeros(a.n_rows + 1, dtype=np.int64), np.zeros(0, dtype=np.uint32))
    return pairs_of_codes(a, nothing, weights)


def pairs_of_codes(a: Codes, b: Codes, weights: Any = None) -> PairCounts:
    """Return the tables of two encoded matrices with the same rows."""
    if a.n_rows != b.n_rows:
        raise ParameterError(
            f"plait needs X and Y to have the same number of rows, but X has {a.n_rows} and Y has {b.n_rows}. "
            "Pass rows of the same objects."
        )
    if weights is None:
        joint = joint_counts(a, b).astype(np.int64, copy=False)
        return PairCounts(a.n_rows, a.vocabulary, b.vocabulary, a.totals, b.totals, joint)
    return _weighted(a, b, checked_weights(weights, a.n_rows))


def _weighted(a: Codes, b: Codes, weights: Array) -> PairCounts:
    joint = joint_weights(a, b, weights)
    table = PairCounts(
        weights.sum().item(), a.vocabulary, b.vocabulary, _totals(a, weights), _totals(b, weights), joint
    )
    # Rows of weight 0 may have been the only ones with some symbol.
    return table if weights.all() else table.canonical()


def _totals(codes: Codes, weights: Array) -> Array:
    rows = codes.sparse()
    # Whole weights sum to less than 2**53, so that floats hold them exactly.
    amounts = np.bincount(rows.indices, np.repeat(weights, np.diff(rows.indptr)), minlength=rows.vocabulary.n_planes)
    return amounts.astype(weights.dtype)


# Above this a sum of whole numbers held as floats may already have been rounded.
_MOST_EXACT = 1 << 53


def checked_weights(weights: Any, n_rows: int) -> Array:
    """Return the weights as `int64` where all are whole numbers, else as `float64`.

    Whole weights keep every count exact: a row of weight 2 is the same as the row given twice, to the last bit.

    Parameters
    ----------
    weights : array of shape (n_rows,)
        Not negative.
    n_rows : int
        How many there must be.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> checked_weights([1.0, 2.0, 0.0], 3)
    array([1, 2, 0])
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_rows,):
        raise ParameterError(
            f"plait needs weights to hold one number for each of {n_rows} rows, but its shape is {values.shape}. "
            "Pass one weight a row."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        wrong = values[~(np.isfinite(values) & (values >= 0))][0]
        raise ParameterError(
            f"plait needs weights to be finite and not negative, but one is {wrong}. Pass 0 for rows to leave out."
        )
    whole = bool((values == np.rint(values)).all()) and values.sum() < _MOST_EXACT
    return values.astype(np.int64) if whole else values


# Without kernels, so many cells of two planes take as long to count as one cell of a matrix takes to be packed.
_CELLS_A_CELL = 128
# Nanoseconds of one elementary step, measured on one core; only their proportions matter.
_PER_INCREMENT = 1.2
_PER_ENTRY_MOVED = 3.0
_PER_WORD, _PER_LINE = 0.12, 40.0
_PER_BIT = 0.4
# Bytes that bits made from sparse rows may take.
_MOST_BYTES = 1 << 28
_DENSE_ROWS = 4096


def joint_counts(a: Codes, b: Codes) -> Array:
    """Return the number of rows in which plane p of `a` and plane r of `b` hold, shape (a planes, b planes).

    The result is `int32` (`int64` from 2**31 rows), in either memory order.

    Parameters
    ----------
    a, b : SparseCodes or PackedCodes
        Symbols of the same rows.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from plait.counts import encode
    >>> joint_counts(encode([[1], [1], [0]]), encode([[2], [0], [2]])).tolist()  # one row has both 1 and 2
    [[1]]
    """
    if not kernels_count(a, b):
        return _from_words(a.packed(), b.packed())
    if isinstance(a, SparseCodes) and isinstance(b, SparseCodes):
        return _from_sparse_codes(a, b)
    if _bits_are_cheaper(a, b):
        return _from_bits(a.packed(), a.packed() if b is a else b.packed())
    return _from_rows(a.sparse(), b.sparse())


def _from_sparse_codes(a: SparseCodes, b: SparseCodes) -> Array:
    by_rows = _PER_INCREMENT * a.nnz * b.nnz / max(a.n_rows, 1) + _PER_ENTRY_MOVED * min(a.nnz, b.nnz)
    costs = _gathering_cost(a, b), _gathering_cost(b, a)
    if by_rows <= min(costs):
        return _from_rows(a, b)
    return _gathered(a, b) if costs[0] <= costs[1] else _gathered(b, a).T


def _gathering_cost(a: SparseCodes, b: SparseCodes) -> float:
    """Return the nanoseconds of counting 64 rows at a time: words of a that hold a row meet all planes of b."""
    n_words, n_planes = max((a.n_rows + 63) // 64, 1), b.vocabulary.n_planes
    n_held = n_words * -np.expm1(-a.totals / n_words).sum()
    gathering = _PER_BIT * (a.nnz + b.nnz) + _PER_WORD * n_words * (a.vocabulary.n_planes + n_planes)
    return float(n_held * (_PER_LINE + _PER_WORD * n_planes) + gathering)


def kernels_count(a: Codes, b: Codes) -> bool:
    """Say whether two sets of planes are large enough to be counted by kernels."""
    n_packed = a.n_rows * (a.vocabulary.n_planes + b.vocabulary.n_planes)
    n_counted = a.n_rows * a.vocabulary.n_planes * b.vocabulary.n_planes
    return kernels_pay(n_packed + n_counted / _CELLS_A_CELL, 2 * MANY_CELLS)


def _from_words(a: PackedCodes, b: PackedCodes) -> Array:
    return common_ones(a.words, b.words).astype(_counter(a.n_rows))


def joint_weights(a: Codes, b: Codes, weights: Array) -> Array:
    """Return the weight of the rows in which both planes hold, in the dtype of the weights (`int64` or `float64`)."""
    if weights.dtype == np.float64 and isinstance(a, PackedCodes) and isinstance(b, PackedCodes):
        return _from_blas(a.sparse(), b.sparse(), weights)
    return _from_sparse(a.sparse(), b.sparse(), weights)


def _from_sparse(a: SparseCodes, b: SparseCodes, weights: Array) -> Array:
    """Multiply by SciPy, which adds up in the order of rows."""
    return np.asarray((_weighted_rows(a, weights).T @ _weighted_rows(b, np.ones_like(weights))).toarray())


def _weighted_rows(rows: SparseCodes, weights: Array) -> Any:
    shape = (rows.n_rows, rows.vocabulary.n_planes)
    return sparse.csr_array((np.repeat(weights, np.diff(rows.indptr)), rows.indices, rows.indptr), shape=shape)


def _bits_are_cheaper(a: Codes, b: Codes) -> bool:
    planes = (a.vocabulary.n_planes, b.vocabulary.n_planes)
    n_words = (a.n_rows + 63) // 64
    moved = [_PER_ENTRY_MOVED * code.nnz for code in (a, b)]
    by_bits = _PER_WORD * planes[0] * planes[1] * n_words
    by_rows = _PER_INCREMENT * a.nnz * b.nnz / max(a.n_rows, 1) + min(moved)
    for code, n_planes, cost in zip((a, b), planes, moved, strict=True):
        if isinstance(code, PackedCodes):
            by_rows += cost
        elif 8 * n_planes * n_words > _MOST_BYTES:
            return False
        else:
            by_bits += cost
    return by_bits < by_rows


def _counter(n_rows: int) -> type:
    return np.int32 if n_rows < 1 << 31 else np.int64


def _from_bits(a: PackedCodes, b: PackedCodes) -> Array:
    shape = (a.vocabulary.n_planes, b.vocabulary.n_planes)
    joint: Array = np.zeros(shape, dtype=_counter(a.n_rows))
    _kernels.joint_packed(a.words, b.words, a is b, joint)
    return joint


def _gathered(a: SparseCodes, b: SparseCodes) -> Array:
    joint: Array = np.zeros((a.vocabulary.n_planes, b.vocabulary.n_planes), dtype=_counter(a.n_rows))
    _kernels.joint_gathered(a.indptr, a.indices, b.indptr, b.indices, joint)
    return joint


def _from_rows(a: SparseCodes, b: SparseCodes) -> Array:
    # The side with fewer entries is the cheaper one to transpose; the other is read row by row as it is.
    if b.nnz < a.nnz:
        return _from_rows(b, a).T
    shape = (a.vocabulary.n_planes, b.vocabulary.n_planes)
    joint: Array = np.zeros(shape, dtype=_counter(a.n_rows))
    _kernels.joint_rows(*a.by_plane, b.indptr, b.indices, joint)
    return joint


def _from_blas(a: SparseCodes, b: SparseCodes, weights: Array) -> Array:
    joint = np.zeros((a.vocabulary.n_planes, b.vocabulary.n_planes))
    for first in range(0, a.n_rows, _DENSE_ROWS):
        last = min(first + _DENSE_ROWS, a.n_rows)
        joint += (_dense(a, first, last) * weights[first:last, None]).T @ _dense(b, first, last)
    return joint


def _dense(code: SparseCodes, first: int, last: int) -> Floats:
    block = np.zeros((last - first, code.vocabulary.n_planes))
    ends = code.indptr[first : last + 1]
    block[np.repeat(np.arange(last - first), np.diff(ends)), code.indices[ends[0] : ends[-1]]] = 1.0
    return block
