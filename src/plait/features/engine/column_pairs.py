"""What one column shares with every other: counts in the rows of its planes, by walking them or by AND of bits."""

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from plait.core.arrays import Array, Bits, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.counts import Codes, PackedCodes, SparseCodes, joint_counts
from plait.counts.codes import MANY_CELLS, common_ones, n_ones, packed_bits
from plait.counts.counting import kernels_count
from plait.information import CountLogs, logs_of
from plait.information.contents import column_contents, table_contents

__all__ = [
    "ColumnPairs",
    "Plane",
    "cells_within",
    "counts_within",
    "every_count",
    "plane_of",
    "shared_amounts",
    "same_form",
]

_count_kernels = lazy_module("plait.features.engine._count_kernels")

_kernels = lazy_module("plait.counts._kernels")


# Row numbers (uint32) or bits (uint64) of one plane.
Plane: TypeAlias = Array


# Nanoseconds of counting one entry, and one word of bits; only their proportion matters.
_PER_ENTRY, _PER_WORD = 1.2, 0.12
# Bytes that bits made from sparse rows may take.
_MOST_BYTES = 1 << 28


def plane_of(codes: Codes, plane: int) -> Plane:
    """Return where one plane holds."""
    if isinstance(codes, PackedCodes):
        return codes.words[plane]
    starts, rows = codes.by_plane
    return rows[starts[plane] : starts[plane + 1]]


def counts_within(plane: Plane, codes: Codes) -> Array:
    """Return in how many rows of one plane each plane of `codes` holds; both are in the same form."""
    if not kernels_pay(codes.n_rows * codes.vocabulary.n_planes, 2 * MANY_CELLS):
        return n_ones(codes.packed().words & _words_of(plane, codes)).astype(np.uint32)
    counts = np.zeros(codes.vocabulary.n_planes, dtype=np.uint32)
    if isinstance(codes, PackedCodes):
        _kernels.joint_packed(plane.reshape(1, -1), codes.words, False, counts.reshape(1, -1))
    else:
        _count_kernels.count_within(plane, codes.indptr, codes.indices, counts)
    return counts


def cells_within(plane: Plane, x: Codes, y: Codes) -> Array:
    """Return in how many rows of one plane each pair of a plane of `x` and one of `y` holds; all in the same form."""
    if not kernels_count(x, y):
        return common_ones(x.packed().words, y.packed().words & _words_of(plane, x)).astype(np.uint32)
    cells = np.zeros((x.vocabulary.n_planes, y.vocabulary.n_planes), dtype=np.uint32)
    if isinstance(x, PackedCodes) and isinstance(y, PackedCodes):
        _kernels.joint_packed(x.words, y.words & plane, False, cells)
    elif isinstance(x, SparseCodes) and isinstance(y, SparseCodes):
        _count_kernels.pairs_within(plane, x.indptr, x.indices, y.indptr, y.indices, cells)
    return cells


def _words_of(plane: Plane, codes: Codes) -> Bits:
    """Return as bits one plane that is in the form of `codes`."""
    if isinstance(codes, PackedCodes):
        return plane
    flags = np.zeros((1, codes.n_rows), dtype=np.bool_)
    flags[0, plane] = True
    return packed_bits(flags)[0]


def same_form(x: Codes, y: Codes | None = None) -> Any:
    """Return x, or x and y, both by rows or both as bits: bits for bits, small data, and where rows would be slower.

    The cost of walking the rows of a plane that was chosen in proportion to its size is compared with that of AND
    with all others.
    """
    n_words = (x.n_rows + 63) // 64
    n_planes = x.vocabulary.n_planes
    others = 1.0 if y is None else y.nnz / max(x.n_rows, 1)
    by_rows = _PER_ENTRY * float((x.totals.astype(np.float64) ** 2).sum()) / max(x.n_rows, 1) * others
    by_bits = _PER_WORD * n_planes * n_words * (1 if y is None else y.vocabulary.n_planes)
    small = not kernels_pay(x.n_rows * n_planes, 2 * MANY_CELLS)
    packs = small or isinstance(x, PackedCodes) or (by_bits < by_rows and 8 * n_planes * n_words <= _MOST_BYTES)
    if y is None:
        return x.packed() if packs else x
    return (x.packed(), y.packed()) if packs else (x, y.sparse())


def every_count(n_rows: int) -> tuple[Ints, float]:
    """Return n log2 n in whole units for n from 0 to the number of rows, and what a unit is worth in bits a row.

    The same numbers as in `plait.information.logs`, whose table ends earlier where there are millions of rows.

    Examples
    --------
    >>> table, bits = every_count(4)
    >>> (table * bits * 4).tolist()[:3]
    [0.0, 0.0, 2.0]
    """
    logs = logs_of(int(n_rows))
    if isinstance(logs, CountLogs) and logs.table.size > n_rows:
        return logs.table, logs.bits
    return logs.of(np.arange(n_rows + 1)).astype(np.int64), logs.bits


class ColumnPairs:
    """I(f;s) of all columns f with one column s, in whole units, so that equal columns have equal numbers.

    Parameters
    ----------
    codes : SparseCodes or PackedCodes
        The columns.

    Attributes
    ----------
    entropies : ndarray of int64, shape (n_columns,)
        H(f) in units.
    bits : float
        What a unit is worth.

    Examples
    --------
    >>> from plait.counts import encode
    >>> pairs = ColumnPairs(encode([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]))
    >>> (pairs.shared_with(0) * pairs.bits).tolist()
    [1.0, 0.0, 1.0]
    """

    def __init__(self, codes: Codes):
        self._codes: Codes = same_form(codes)
        self._table, self.bits = every_count(codes.n_rows)
        self._contents = column_contents(codes.vocabulary, codes.totals, codes.n_rows, logs_of(codes.n_rows))

    @cached_property
    def entropies(self) -> Ints:
        """H(f) in units."""
        return self._table[self._codes.n_rows] - self._contents

    def shared_with(self, column: int) -> Ints:
        """Return I(f;s) in units for the column s and every column f."""
        joint = self._joint_contents(column)
        return shared_amounts(joint, self._contents, self._contents[column], self._table[self._codes.n_rows])

    @cached_property
    def _all_contents(self) -> Ints:
        """Sums over the cells of all pairs, for small data."""
        codes, vocabulary = self._codes, self._codes.vocabulary
        joint = joint_counts(codes, codes)
        logs = logs_of(codes.n_rows)
        return table_contents(vocabulary, codes.totals, vocabulary, codes.totals, joint, codes.n_rows, logs)

    def _joint_contents(self, column: int) -> Ints:
        n_planes = self._codes.vocabulary.n_planes
        if not kernels_pay((self._codes.n_rows + n_planes) * n_planes, 2 * MANY_CELLS):
            return self._all_contents[column]
        codes, vocabulary = self._codes, self._codes.vocabulary
        first, last = vocabulary.offsets[column : column + 2].tolist()
        contents = np.zeros(vocabulary.n_columns, dtype=np.int64)
        if vocabulary.one_plane_each:
            joint = counts_within(plane_of(codes, first), codes)
            _count_kernels.add_pairs_binary(
                joint, codes.totals[first], codes.totals, codes.n_rows, self._table, contents
            )
            return contents
        left, zeros = codes.totals.copy(), codes.n_rows
        for p in range(first, last):
            size = int(codes.totals[p])
            inside = counts_within(plane_of(codes, p), codes)
            _count_kernels.add_pair_symbol(inside, vocabulary.offsets, size, self._table, left, contents)
            zeros -= size
        _count_kernels.add_pair_symbol(left, vocabulary.offsets, zeros, self._table, left, contents)
        return contents


def shared_amounts(joint: Ints, contents: Ints, own: Ints, whole: Any) -> Ints:
    """Turn C(f,s) into I(f;s) = C(f,s) - C(f) - C(s) + C of all rows, moved into [0, min(H(f), H(s))]."""
    # The larger content goes first, so that no difference leaves 64 bits.
    high, low = np.maximum(contents, own), np.minimum(contents, own)
    return np.maximum(np.minimum((joint - high) + (whole - low), whole - high), 0)
