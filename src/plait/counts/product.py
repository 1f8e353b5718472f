"""Joint counts of two sets of planes, by the product that suits what they are.

Sparse rows are multiplied entry by entry; bits by AND and popcount; weighted dense planes by BLAS. The choice depends
on sizes and numbers of entries alone, and all ways give the same integers.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.counts._kernels import joint_packed, joint_rows, joint_rows_weighted
from plait.counts.codes import Codes, PackedCodes, SparseCodes

__all__ = ["joint_counts", "joint_weights"]

# Nanoseconds of one elementary step, measured on one core; only their proportions matter.
_PER_INCREMENT = 1.2
_PER_ENTRY_MOVED = 3.0
_PER_WORD = 0.12
# Bytes that bits made from sparse rows may take.
_MOST_BYTES = 1 << 28
_DENSE_ROWS = 4096


def joint_counts(a: Codes, b: Codes) -> npt.NDArray[Any]:
    """Return the number of rows in which plane p of `a` and plane r of `b` hold, shape (a planes, b planes).

    The result is `int32` (`int64` from 2**31 rows), in either memory order.
    """
    if _bits_are_cheaper(a, b):
        return _from_bits(a.packed(), a.packed() if b is a else b.packed())
    return _from_rows(a.sparse(), b.sparse())


def joint_weights(a: Codes, b: Codes, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the weight of the rows in which both planes hold, in the dtype of the weights (`int64` or `float64`)."""
    if weights.dtype == np.float64 and isinstance(a, PackedCodes) and isinstance(b, PackedCodes):
        return _from_blas(a.sparse(), b.sparse(), weights)
    return _from_rows(a.sparse(), b.sparse(), weights)


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


def _from_bits(a: PackedCodes, b: PackedCodes) -> npt.NDArray[Any]:
    shape = (a.vocabulary.n_planes, b.vocabulary.n_planes)
    joint: npt.NDArray[Any] = np.zeros(shape, dtype=_counter(a.n_rows))
    joint_packed(a.words, b.words, a is b, joint)
    return joint


def _from_rows(a: SparseCodes, b: SparseCodes, weights: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
    # The side with fewer entries is the cheaper one to transpose; the other is read row by row as it is.
    if b.nnz < a.nnz:
        return _from_rows(b, a, weights).T
    shape = (a.vocabulary.n_planes, b.vocabulary.n_planes)
    joint: npt.NDArray[Any] = np.zeros(shape, dtype=_counter(a.n_rows) if weights is None else weights.dtype)
    if weights is None:
        joint_rows(*a.by_plane, b.indptr, b.indices, joint)
    else:
        joint_rows_weighted(*a.by_plane, b.indptr, b.indices, weights, joint)
    return joint


def _from_blas(a: SparseCodes, b: SparseCodes, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    joint = np.zeros((a.vocabulary.n_planes, b.vocabulary.n_planes))
    for first in range(0, a.n_rows, _DENSE_ROWS):
        last = min(first + _DENSE_ROWS, a.n_rows)
        joint += (_dense(a, first, last) * weights[first:last, None]).T @ _dense(b, first, last)
    return joint


def _dense(code: SparseCodes, first: int, last: int) -> npt.NDArray[np.float64]:
    block = np.zeros((last - first, code.vocabulary.n_planes))
    ends = code.indptr[first : last + 1]
    block[np.repeat(np.arange(last - first), np.diff(ends)), code.indices[ends[0] : ends[-1]]] = 1.0
    return block
