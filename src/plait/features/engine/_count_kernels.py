"""Counting loops of the selectors, and neighbours by class for ReliefF: arrays in, arrays out, the caller allocates.

Notation
--------
rows             : the rows in which one plane of the chosen column holds (`uint32`)
indptr, indices  : the planes that hold in each row, as CSR (`int64`, `uint32`)
words            : bits of all planes, `uint64` of shape (n_words, n_planes): the words of the same 64 rows side by
                   side, so that vectors run over planes, however few rows there are
line             : how often every plane meets one plane
offsets          : planes of each column
table[n]         : n log2 n as a whole number of units, for n up to the number of rows (see `plait.information.logs`)
content          : the sum of n log2 n over the cells of a table, in units

ReliefF:
distances[i, j]      : from sampled row i to row j
own[i]               : which row the sampled row i itself is
classes[j]           : class of row j
neighbours[i, c, :]  : the nearest rows of class c, nearest first, -1 where there are fewer
priors[c]            : share of class c

Positions and counts are unsigned, since Numba then leaves out its test for negative positions.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from plait.core.compilation import kernel

__all__ = [
    "add_differences_dense",
    "add_differences_sparse",
    "add_pair_symbol",
    "add_pairs_binary",
    "add_symbol",
    "count_by_bits",
    "count_by_common_rows",
    "count_by_rows",
    "count_within",
    "gather_label",
    "joined_rows",
    "nearest_by_class",
    "pairs_within",
]


@kernel
def count_within(rows, indptr, indices, counts):  # type: ignore[no-untyped-def]
    """Add to each plane the number of the given rows in which it holds."""
    for k in range(rows.size):
        i = rows[k]
        for m in range(np.uint64(indptr[i]), np.uint64(indptr[i + np.uint32(1)])):
            counts[indices[m]] += 1


@kernel
def pairs_within(rows, x_indptr, x_indices, y_indptr, y_indices, cells):  # type: ignore[no-untyped-def]
    """Add to cells[p, r] the number of the given rows in which plane p of x and r of y hold."""
    for k in range(rows.size):
        i = rows[k]
        first, last = np.uint64(y_indptr[i]), np.uint64(y_indptr[i + np.uint32(1)])
        for m in range(np.uint64(x_indptr[i]), np.uint64(x_indptr[i + np.uint32(1)])):
            line = cells[x_indices[m]]
            for r in range(first, last):
                line[y_indices[r]] += np.uint32(1)


@kernel
def add_pairs_binary(joint, n_s, counts, total, table, contents):  # type: ignore[no-untyped-def]
    """Add to contents[f] the four cells of columns with two symbols; joint[f] = rows in which f and s both hold."""
    for f in range(counts.size):
        n_f, n = counts[f], np.int64(joint[f])
        contents[f] += (table[n] + table[n_f - n]) + (table[n_s - n] + table[total - n_f - n_s + n])


@kernel
def add_pair_symbol(counts, offsets, size, table, left, contents):  # type: ignore[no-untyped-def]
    """Add to contents[f] what the rows with one symbol b of the chosen column give, and take them from those left.

    counts[a] = rows with b and plane a;  size = rows with b;  left[a] = rows of plane a not yet taken (may be `counts`)
    """
    for f in range(offsets.size - 1):
        zeros, content = size, np.int64(0)
        for a in range(offsets[f], offsets[f + 1]):
            n = np.int64(counts[a])
            zeros -= n
            left[a] -= n
            content += table[n]
        contents[f] += content + table[zeros]


@kernel
def add_symbol(cells, counts, offsets, labels, size, base, ends, table, pairs, triples):  # type: ignore[no-untyped-def]
    """Add what the rows with one symbol b of a known column give; everything is unsigned.

    Parameters
    ----------
    cells   : cells[a, l] = rows with b, plane a and label l, in any memory order
    counts  : counts[a] = rows with b and plane a;  size = rows with b
    labels  : labels[l] = rows with b and label l
    ends    : group g of labels is ends[g] .. ends[g + 1] - 1
    base    : base[g] = sum over group g of the content of label l in the rows with b
    pairs   : pairs[f] += content of column f in the rows with b
    triples : triples[f, g] += sum over group g of the content of columns f and l in the rows with b
    """
    rest = np.empty(labels.size, dtype=labels.dtype)
    for f in range(offsets.size - 1):
        zeros = size
        for a in range(offsets[f], offsets[f + 1]):
            zeros -= counts[a]
            pairs[f] += table[counts[a]]
        pairs[f] += table[zeros]
        if zeros == size:  # no plane of f meets b, so that f has one symbol here and says nothing
            triples[f] += base
        elif offsets[f + 1] - offsets[f] == 1:
            _add_two_symbols(cells[offsets[f]], size - zeros, labels, zeros, ends, table, triples[f])
        else:
            rest[:] = labels
            for a in range(offsets[f], offsets[f + 1]):
                if counts[a] > 0:
                    _add_cells(cells[a], counts[a], ends, table, triples[f])
                    for r in range(rest.size):
                        rest[r] -= cells[a, r]
            _add_cells(rest, zeros, ends, table, triples[f])


@kernel
def _add_two_symbols(cells, n, labels, zeros, ends, table, sums):  # type: ignore[no-untyped-def]
    """Add the contents of n rows with a plane and `zeros` rows without it, each with and without every label."""
    for g in range(ends.size - 1):
        content = np.uint64(0)
        for r in range(ends[g], ends[g + 1]):
            k = cells[r]
            rest = labels[r] - k
            content += (table[k] + table[n - k]) + (table[rest] + table[zeros - rest])
        sums[g] += content


@kernel
def _add_cells(cells, n, ends, table, sums):  # type: ignore[no-untyped-def]
    """Add the contents of n rows with and without every label."""
    for g in range(ends.size - 1):
        content = np.uint64(0)
        for r in range(ends[g], ends[g + 1]):
            content += table[cells[r]] + table[n - cells[r]]
        sums[g] += content


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


@kernel
def nearest_by_class(distances, own, classes, neighbours, nearest):  # type: ignore[no-untyped-def]
    """Fill `neighbours`, ties by row index; `nearest` (n_classes, k) is room for their distances."""
    most = neighbours.shape[2]
    for i in range(distances.shape[0]):
        neighbours[i] = -1
        for j in range(distances.shape[1]):
            if j == own[i]:
                continue
            found, far = neighbours[i, classes[j]], nearest[classes[j]]
            place = most - 1
            if found[place] >= 0 and not distances[i, j] < far[place]:
                continue
            # Rows come by rising index, so that an equal distance goes behind.
            while place > 0 and (found[place - 1] < 0 or distances[i, j] < far[place - 1]):
                found[place], far[place] = found[place - 1], far[place - 1]
                place -= 1
            found[place], far[place] = j, distances[i, j]


@kernel
def _factors(found, own_class, c, priors):  # type: ignore[no-untyped-def]
    """Return how many neighbours of a class there are, and what each counts."""
    n_found = 0
    while n_found < found.size and found[n_found] >= 0:
        n_found += 1
    if n_found == 0:
        return 0, 0.0
    if c == own_class:
        return n_found, -1.0 / n_found
    return n_found, priors[c] / ((1.0 - priors[own_class]) * n_found)


@kernel
def add_differences_dense(values, own, classes, priors, neighbours, weights):  # type: ignore[no-untyped-def]
    """Add the differences to misses and take off those to hits, for every column."""
    for i in range(own.size):
        for c in range(priors.size):
            n_found, factor = _factors(neighbours[i, c], classes[own[i]], c, priors)
            for n in range(n_found):
                j = neighbours[i, c, n]
                for f in range(weights.size):
                    weights[f] += factor * abs(values[own[i], f] - values[j, f])


@kernel
def add_differences_sparse(indptr, indices, data, own, classes, priors, neighbours, weights):  # type: ignore[no-untyped-def]
    """Do the same for rows of a CSR matrix with sorted indices, walking two rows side by side."""
    for i in range(own.size):
        for c in range(priors.size):
            n_found, factor = _factors(neighbours[i, c], classes[own[i]], c, priors)
            for n in range(n_found):
                a, a_end = indptr[own[i]], indptr[own[i] + 1]
                b, b_end = indptr[neighbours[i, c, n]], indptr[neighbours[i, c, n] + 1]
                while a < a_end or b < b_end:
                    if b == b_end or (a < a_end and indices[a] < indices[b]):
                        weights[indices[a]] += factor * abs(data[a])
                        a += 1
                    elif a == a_end or indices[b] < indices[a]:
                        weights[indices[b]] += factor * abs(data[b])
                        b += 1
                    else:
                        weights[indices[a]] += factor * abs(data[a] - data[b])
                        a += 1
                        b += 1
