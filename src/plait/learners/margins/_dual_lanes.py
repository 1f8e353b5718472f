"""Kernel: dual coordinate descent for the linear SVMs of 8 labels at once, over CSR rows that all of them share.

Notation
--------
indptr, indices, data : rows x_i, as in `_svm_kernels`;  norms[i] = x_i.x_i
sign[i, l]            : +1 where row i has the label of lane l, -1 where not
halves[i, l]          : 1 / (2 cost) of row i in lane l
alpha[i, l]           : dual variable; below 0 where lane l leaves the row out
W[:, l]               : sum_i max(alpha, 0) sign x_i
state                 : of each lane, 1 where it still moves; the derivative above which a variable at 0 is left out;
                        the largest and the smallest projected derivative of the pass
"""

import numpy as np

from plait.core.compilation import kernel
from plait.learners.logistic._lanes import (
    add,
    divide,
    fill,
    fused,
    load,
    magnitude,
    multiply,
    peak,
    prefer,
    store,
    subtract,
    widen,
)

__all__ = ["BLOCK", "descend_rows"]

# Rows are gone through in blocks: blocks in random order, so that the descent is fast, each block in the cache.
BLOCK = 32


@kernel
def descend_rows(indptr, indices, data, norms, sign, halves, blocks, stride, alive, alpha, W, state, width):  # type: ignore[no-untyped-def]
    """Go once through the rows in `blocks`, in steps of `stride` (odd) within a block [Hsieh2008, algorithm 3].

    Each lane is moved as if it were alone. Rows that all lanes leave out are marked in `alive` and skipped later.
    """
    one, nil = fill(1.0, width), fill(0.0, width)
    minus = subtract(nil, one)
    moves, resting = load(state, 0, width), load(state, 1, width)
    largest, smallest = nil, nil
    for t in range(blocks.size * BLOCK):
        i = blocks[t // BLOCK] * BLOCK + ((t * stride) & (BLOCK - 1))
        if i >= alive.size or not alive[i]:
            continue
        score = nil
        for p in range(indptr[i], indptr[i + 1]):
            score = fused(fill(data[p], width), load(W, np.int64(indices[p]), width), score)
        before, s, half = load(alpha, i, width), widen(load(sign, i, width)), load(halves, i, width)
        held = prefer(before, nil, before)
        derivative = subtract(fused(held, half, multiply(s, score)), one)
        after = fused(derivative, divide(minus, add(fill(norms[i], width), half)), held)
        after = prefer(after, nil, after)
        rests = prefer(subtract(nil, held), nil, prefer(derivative, nil, one))
        projected = prefer(before, nil, multiply(subtract(one, rests), derivative))
        largest = add(largest, prefer(subtract(largest, projected), subtract(projected, largest), nil))
        smallest = add(smallest, prefer(subtract(projected, smallest), subtract(projected, smallest), nil))
        leaves = multiply(rests, prefer(subtract(resting, derivative), one, nil))
        after = prefer(subtract(nil, leaves), minus, after)
        after = prefer(before, before, prefer(subtract(nil, moves), after, before))
        store(alpha, i, after)
        move = multiply(s, subtract(prefer(after, nil, after), held))
        if peak(magnitude(move)) > 0.0:
            for p in range(indptr[i], indptr[i + 1]):
                k = np.int64(indices[p])
                store(W, k, fused(fill(data[p], width), move, load(W, k, width)))
        alive[i] = peak(prefer(subtract(nil, moves), after, minus)) >= 0.0
    store(state, 2, largest)
    store(state, 3, smallest)
