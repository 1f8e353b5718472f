"""Counting for the general criterion: arrays in, arrays out, the caller allocates.

Notation
--------
indptr, indices : the planes that hold in each row
words           : bits of all planes, `uint64` of shape (n_words, n_planes): the words of the same 64 rows side by side,
                  so that vectors run over planes, however few rows there are
line            : how often every plane meets one plane

Positions and counts are unsigned, since Numba then leaves out its test for negative positions.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from plait.core.compilation import kernel

__all__ = ["count_by_bits", "count_by_common_rows", "count_by_rows", "gather_label", "joined_rows"]


@intrinsic
def _ones(typingctx, word):  # type: ignore[no-untyped-def]
    """Return the number of one bits of a 64-bit word, by the processor's own instruction."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


@kernel
def joined_rows(x_indptr, x_indices, places, y_indptr, y_indices, indptr, indices):  # type: ignore[no-untyped-def]
    """Renumber the planes of x by `places`, and put those of y, numbered from there on, behind them."""
    free = 0
    shift = np.uint32(places.size)
    for i in range(indptr.size - 1):
        for k in range(x_indptr[i], x_indptr[i + 1]):
            indices[free] = places[x_indices[k]]
            free += 1
        for k in range(y_indptr[i], y_indptr[i + 1]):
            indices[free] = y_indices[k] + shift
            free += 1
        indptr[i + 1] = free


@kernel
def gather_label(rows, indptr, indices, totals, words, margins):  # type: ignore[no-untyped-def]
    """Count every plane in some rows and in the others; `words` get a bit for each of these rows, if there are any."""
    inside, outside = margins[0], margins[1]
    for r in range(rows.size):
        i = rows[r]
        first, last = np.uint64(indptr[i]), np.uint64(indptr[i + np.uint32(1)])
        if words.shape[0]:
            line = words[r >> 6]
            bit = np.uint64(1) << np.uint64(r & 63)
            for k in range(first, last):
                line[indices[k]] |= bit
        else:
            for k in range(first, last):
                inside[indices[k]] += np.uint32(1)
    for w in range(words.shape[0]):
        line = words[w]
        for p in range(inside.size):
            inside[p] += np.uint32(_ones(line[p]))
    for p in range(inside.size):
        outside[p] = totals[p] - inside[p]


@kernel
def count_by_bits(plane, words, line):  # type: ignore[no-untyped-def]
    """Count one plane with the first planes, as many as the line has."""
    line[:] = np.uint32(0)
    for w in range(0, words.shape[0] - 1, 2):
        chosen, too = words[w, plane], words[w + 1, plane]
        if chosen | too:
            others, others_too = words[w], words[w + 1]
            for p in range(line.size):
                line[p] += np.uint32(_ones(chosen & others[p]) + _ones(too & others_too[p]))
    if words.shape[0] % 2:
        others = words[words.shape[0] - 1]
        chosen = others[plane]
        for p in range(line.size):
            line[p] += np.uint32(_ones(chosen & others[p]))


@kernel
def count_by_rows(rows, indptr, indices, line):  # type: ignore[no-untyped-def]
    """Count all planes in some rows; the line has a place for each."""
    line[:] = np.uint32(0)
    for r in range(rows.size):
        i = rows[r]
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint32(1)])):
            line[indices[k]] += np.uint32(1)


@kernel
def count_by_common_rows(rows, others, indptr, indices, line):  # type: ignore[no-untyped-def]
    """Count all planes in the rows that two ascending lists have in common."""
    line[:] = np.uint32(0)
    k = 0
    for r in range(rows.size):
        i = rows[r]
        while k < others.size and others[k] < i:
            k += 1
        if k == others.size:
            return
        if others[k] == i:
            for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint32(1)])):
                line[indices[e]] += np.uint32(1)
