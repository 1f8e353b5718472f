"""Loops of the linear SVM over CSR rows: arrays in, arrays out, the caller allocates.

indptr, indices, data are the rows x_i, columns ascending within a row; the notation is that of `plait.learners.svm`.
Columns are read as numbers without sign: with one, every use would first ask whether it counts from the end.
"""

import numpy as np

from plait.core._lanes import fill, fused, larger, load_row, magnitude, peak, select_above, smaller, store_row
from plait.core.compilation import kernel

__all__ = ["BLOCK", "add_outer_products", "add_rows", "descend_rows", "extend_gram", "gather_gram", "row_scores"]

# Rows are gone through in blocks: blocks in random order, so that the descent is fast, each block in the cache.
BLOCK = 32


@kernel
def row_scores(indptr, indices, data, rows, w, scores):  # type: ignore[no-untyped-def]
    """Write w.x_i for i = rows[a], in two sums: one alone waits for each addition."""
    for a in range(rows.size):
        even, odd = 0.0, 0.0
        p, end = indptr[rows[a]], indptr[rows[a] + 1]
        while p + 2 <= end:
            even += data[p] * w[np.uint32(indices[p])]
            odd += data[p + 1] * w[np.uint32(indices[p + 1])]
            p += 2
        if p < end:
            even += data[p] * w[np.uint32(indices[p])]
        scores[a] = even + odd


@kernel
def _add_row(indices, data, factor, total, start, end):  # type: ignore[no-untyped-def]
    """Add factor times the entries from start to end to a vector over columns."""
    for p in range(start, end):
        total[np.uint32(indices[p])] += factor * data[p]


@kernel
def add_rows(indptr, indices, data, rows, factors, total):  # type: ignore[no-untyped-def]
    """Add factors[a] times row rows[a] to a vector over columns, for every a."""
    for a in range(rows.size):
        _add_row(indices, data, factors[a], total, indptr[rows[a]], indptr[rows[a] + 1])


@kernel
def add_outer_products(indptr, indices, data, rows, factors, H):  # type: ignore[no-untyped-def]
    """Add factors[a] x_i x_i' for i = rows[a] to the lower triangle of H, for every a."""
    for a in range(rows.size):
        i = rows[a]
        for p in range(indptr[i], indptr[i + 1]):
            value = factors[a] * data[p]
            _add_row(indices, data, value, H[np.uint32(indices[p])], indptr[i], p + 1)


@kernel
def extend_gram(indptr, indices, data, rows, n_old, starts, ends, slots, values, K):  # type: ignore[no-untyped-def]
    """Write the Gram matrix K[a, b] = x_rows[a].x_rows[b] for n_old <= a < rows.size and b <= a.

    Each product runs down the columns of row a, so that pairs of rows without a common column cost nothing. `starts`
    (n_columns + 1, zeros), `ends` (n_columns), `slots` and `values` (all entries of `rows`) hold those columns.
    """
    for a in range(rows.size):
        for p in range(indptr[rows[a]], indptr[rows[a] + 1]):
            starts[indices[p] + 1] += 1
    for column in range(ends.size):
        ends[column] = starts[column]
        starts[column + 1] += starts[column]
    for a in range(rows.size):
        if a >= n_old:
            K[a, : a + 1] = 0.0
        for p in range(indptr[rows[a]], indptr[rows[a] + 1]):
            column, value = indices[p], data[p]
            slots[ends[column]] = a
            values[ends[column]] = value
            ends[column] += 1
            if a >= n_old:  # the column is filled up to row a
                for t in range(starts[column], ends[column]):
                    K[a, slots[t]] += value * values[t]


@kernel
def gather_gram(K, slots, part):  # type: ignore[no-untyped-def]
    """Write the lower triangle of K[slots, slots], of which the lower triangle is given; slots ascend."""
    for a in range(slots.size):
        for b in range(a + 1):
            part[a, b] = K[slots[a], slots[b]]


@kernel
def descend_rows(  # type: ignore[no-untyped-def]
    indptr, indices, data, norms, sign, halves, allowed, blocks, stride, alive, alpha, W, state
):
    """Go once through the rows in `blocks`, in steps of `stride` (odd) within a block [Hsieh2008, algorithm 3].

    Eight labels descend at once, in SIMD lanes, each as if it were alone. Of lane l: norms[i, l] = x_i.x_i over its
    columns, which allowed[:, l] says by 1 and 0; halves[i, l] = 1 / (2 cost_i); alpha[i, l] is the dual variable, below
    0 where the lane leaves the row out; W[:, l] = sum_i max(alpha_i, 0) sign_i x_i. The rows of `state` say which lanes
    still move (1), the derivative above which a variable at 0 is left out, and the largest and smallest projected
    derivative of the pass. Rows that all lanes leave out are marked in `alive` and skipped later.
    """
    moves, resting = load_row(state, 0), load_row(state, 1)
    highest, lowest = fill(0.0), fill(0.0)
    for t in range(blocks.size * BLOCK):
        i = blocks[t // BLOCK] * BLOCK + ((t * stride) & (BLOCK - 1))
        if i >= alive.size or not alive[i]:
            continue
        score = fill(0.0)
        for p in range(indptr[i], indptr[i + 1]):
            score = fused(data[p], load_row(W, np.int64(indices[p])), score)
        before, s, half = load_row(alpha, i), load_row(sign, i), load_row(halves, i)
        held = larger(before, 0.0)
        derivative = fused(held, half, s * score) - 1.0
        after = larger(held - derivative / (load_row(norms, i) + half), 0.0)
        # 1 where a variable at 0 would only become smaller, and 1 where the lane has not left the row out.
        rests = select_above(held, 0.0, 0.0, select_above(derivative, 0.0, 1.0, 0.0))
        taken = select_above(0.0, before, 0.0, 1.0)
        projected = taken * (1.0 - rests) * derivative
        highest, lowest = larger(highest, projected), smaller(lowest, projected)
        after = select_above(rests * select_above(derivative, resting, 1.0, 0.0), 0.0, -1.0, after)
        after = select_above(taken * moves, 0.0, after, before)
        store_row(alpha, i, after)
        move = s * (larger(after, 0.0) - held)
        if peak(magnitude(move)) > 0.0:
            for p in range(indptr[i], indptr[i + 1]):
                k = np.int64(indices[p])
                store_row(W, k, fused(data[p] * load_row(allowed, k), move, load_row(W, k)))
        alive[i] = peak(select_above(moves, 0.0, after, -1.0)) >= 0.0
    store_row(state, 2, highest)
    store_row(state, 3, lowest)
