"""Counting loops: arrays in, arrays out, the caller allocates.

Notation
--------
indptr, indices : the planes that hold in each row, as CSR (`int64`, `uint32`)
starts, rows    : the rows in which each plane holds, the same transposed (`int64`, `uint32`)
words           : the same as bits, `uint64` of shape (n_planes, n_words); row i is bit i % 64 of word i // 64
joint           : joint[a, b] = number (or weight) of rows in which planes a and b hold

Indices are unsigned 32-bit: Numba then leaves out its test for negative positions, which costs half of the time.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from plait.core.compilation import kernel

__all__ = [
    "add_plane_totals",
    "joint_gathered",
    "joint_packed",
    "joint_rows",
    "mark_dense",
    "mark_sparse",
    "pack_binary",
    "pack_rows",
    "pack_symbols",
    "planes_of_entries",
    "rows_by_plane",
    "unpack_rows",
    "words_per_row",
]

# Words of one plane that are worked on at a time: 4 KiB, so that a block of planes stays in the fast cache.
_BLOCK = 512


@intrinsic
def _ones(typingctx, word):  # type: ignore[no-untyped-def]
    """Return the number of one bits of a 64-bit word, by the processor's own instruction."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), build


@kernel
def add_plane_totals(indices, totals):  # type: ignore[no-untyped-def]
    """Add to each plane the number of rows in which it holds."""
    for k in range(indices.size):
        totals[indices[k]] += 1


@kernel
def rows_by_plane(indptr, indices, starts, rows):  # type: ignore[no-untyped-def]
    """Transpose; `starts` comes as zeros of size n_planes + 1. Rows of a plane stay in order."""
    add_plane_totals(indices, starts[1:])
    for p in range(1, starts.size):
        starts[p] += starts[p - 1]
    free = starts[:-1].copy()
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            p = indices[k]
            rows[free[p]] = np.uint32(i)
            free[p] += 1


@kernel
def joint_rows(starts, rows, indptr, indices, joint):  # type: ignore[no-untyped-def]
    """Add the counts of (transposed planes) x (planes by row): one short line of `joint` is in use at a time."""
    for p in range(starts.size - 1):
        line = joint[p]
        for k in range(starts[p], starts[p + 1]):
            i = rows[k]
            for m in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint32(1)])):
                line[indices[m]] += 1


@kernel
def _gather(indptr, indices, first, words):  # type: ignore[no-untyped-def]
    """Write the bits of 64 rows from the first on, a word for each plane."""
    for p in range(words.size):
        words[p] = np.uint64(0)
    for i in range(first, min(first + 64, indptr.size - 1)):
        bit = np.uint64(1) << np.uint64(i & 63)
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            words[indices[k]] |= bit


@kernel
def joint_gathered(a_indptr, a_indices, b_indptr, b_indices, joint):  # type: ignore[no-untyped-def]
    """Add the counts of (planes of a by row) x (planes of b by row): 64 rows at a time become bits in the cache."""
    left, right = np.empty(joint.shape[0], dtype=np.uint64), np.empty(joint.shape[1], dtype=np.uint64)
    for first in range(0, a_indptr.size - 1, 64):
        _gather(a_indptr, a_indices, first, left)
        _gather(b_indptr, b_indices, first, right)
        for p in range(left.size):
            word = left[p]
            if word:
                line = joint[p]
                for r in range(right.size):
                    line[r] += _ones(word & right[r])


@kernel
def joint_packed(a, b, same, joint):  # type: ignore[no-untyped-def]
    """Add popcount(a[p] & b[r]) to joint[p, r]; `same` says that a is b, so that only r >= p is worked out."""
    n_words = a.shape[1]
    for start in range(0, n_words, _BLOCK):
        end = min(start + _BLOCK, n_words)
        for p in range(a.shape[0]):
            left = a[p, start:end]
            for r in range(p if same else 0, b.shape[0]):
                right = b[r, start:end]
                count = 0
                for w in range(left.size):
                    count += _ones(left[w] & right[w])
                joint[p, r] += count
    if same:
        for p in range(a.shape[0]):
            for r in range(p):
                joint[p, r] = joint[r, p]


@kernel
def pack_rows(indptr, indices, words):  # type: ignore[no-untyped-def]
    """Set the bits of planes given by rows."""
    for i in range(indptr.size - 1):
        bit = np.uint64(1) << np.uint64(i & 63)
        w = i >> 6
        for k in range(indptr[i], indptr[i + 1]):
            words[indices[k], w] |= bit


@kernel
def words_per_row(words, indptr):  # type: ignore[no-untyped-def]
    """Fill `indptr`, which comes as zeros, with the row ends of planes given as bits."""
    for p in range(words.shape[0]):
        for w in range(words.shape[1]):
            word = words[p, w]
            while word:
                i = (w << 6) + _ones((word & (~word + np.uint64(1))) - np.uint64(1))
                indptr[i + 1] += 1
                word &= word - np.uint64(1)
    for i in range(1, indptr.size):
        indptr[i] += indptr[i - 1]


@kernel
def unpack_rows(words, indptr, indices):  # type: ignore[no-untyped-def]
    """Write the planes that hold in each row, ascending."""
    free = indptr[:-1].copy()
    for p in range(words.shape[0]):
        for w in range(words.shape[1]):
            word = words[p, w]
            while word:
                i = (w << 6) + _ones((word & (~word + np.uint64(1))) - np.uint64(1))
                indices[free[i]] = np.uint32(p)
                free[i] += 1
                word &= word - np.uint64(1)


@kernel
def mark_sparse(indices, data, low, present):  # type: ignore[no-untyped-def]
    """Mark which values occur: present[j, value - low]."""
    for k in range(indices.size):
        present[indices[k], np.int64(data[k]) - low] = True


@kernel
def mark_dense(values, low, present):  # type: ignore[no-untyped-def]
    """Mark which values occur: present[j, value - low]."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            present[j, np.int64(values[i, j]) - low] = True


@kernel
def planes_of_entries(indices, data, low, planes, out):  # type: ignore[no-untyped-def]
    """Look up the plane of each stored entry."""
    for k in range(indices.size):
        out[k] = planes[indices[k], np.int64(data[k]) - low]


@kernel
def pack_binary(values, words):  # type: ignore[no-untyped-def]
    """Set the bits of a dense matrix of 0 and 1; return False, early, if it holds anything else.

    A word of every column is gathered from 64 rows at a time.
    """
    n_rows, n_columns = values.shape
    gathered, other = np.empty(n_columns, dtype=np.uint64), np.zeros(n_columns, dtype=np.uint64)
    for w in range(words.shape[1]):
        gathered[:] = np.uint64(0)
        for i in range(64 * w, min(64 * w + 64, n_rows)):
            shift = np.uint64(i & 63)
            row = values[i]
            for j in range(n_columns):
                gathered[j] |= np.uint64(row[j] == 1) << shift
                other[j] |= np.uint64((row[j] != 0) & (row[j] != 1))
        if other.any():
            return False
        for j in range(n_columns):
            words[j, w] = gathered[j]
    return True


@kernel
def pack_symbols(values, low, planes, words):  # type: ignore[no-untyped-def]
    """Set the bits of a dense matrix of small integers; a value without a plane (-1) is 0."""
    for i in range(values.shape[0]):
        bit = np.uint64(1) << np.uint64(i & 63)
        w = i >> 6
        for j in range(values.shape[1]):
            plane = planes[j, np.int64(values[i, j]) - low]
            if plane >= 0:
                words[plane, w] |= bit
