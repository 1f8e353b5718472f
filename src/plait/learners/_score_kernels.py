"""Compiled scores of sparse rows, and the best-first search for labels over them: arrays in, arrays out."""

import math

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core.compilation import kernel
from plait.learners.logistic._descent_kernels import SUMS

__all__ = ["fill_scores", "fill_sparse_scores", "find_likeliest"]


@kernel(fastmath=False, error_model="numpy")
def logistic_logs(scores, shift, most, out):  # type: ignore[no-untyped-def]
    """Fill rows of `out` with p, log p and log(1 - p) of scores + shift, kept between -most and most."""
    for n in range(scores.shape[0]):
        z = min(max(np.float64(scores[n]) + shift, -most), most)
        e = exp(-abs(z))
        tail = log1p(e)
        out[0, n] = (1.0 if z > 0.0 else e) / (1.0 + e)
        out[1, n] = min(z, 0.0) - tail
        out[2, n] = min(-z, 0.0) - tail


@kernel(fastmath=SUMS, error_model="numpy")
def score_pairs(without, coefficient, parent, labels, target, weight, alone, most, consistent, found):  # type: ignore[no-untyped-def]
    """Add to found[j] the weighted sums, over rows, of log P(y_i | x, y_j) and of the information of the pair.

    `without[j]` are the scores of label i where its parent is 0; scores are kept between -most and most. `alone[k]`
    are p, log p and log(1 - p) of label k without parents; `labels` are (n_labels, n_samples). [PACC 13]
    """
    n_samples = without.shape[1]
    off, on, base = np.empty((3, n_samples)), np.empty((3, n_samples)), alone[target].copy()
    y = labels[target]
    for j in range(without.shape[0]):
        share, given = alone[parent[j], 0], labels[parent[j]]
        logistic_logs(without[j], 0.0, most, off)
        logistic_logs(without[j], coefficient[j], most, on)
        if consistent:
            for n in range(n_samples):
                base[0, n] = share[n] * on[0, n] + (1.0 - share[n]) * off[0, n]
                base[1, n], base[2, n] = math.log(base[0, n]), math.log1p(-base[0, n])
        likelihood, information = 0.0, 0.0
        for n in range(n_samples):
            is_one = off[1, n] + given[n] * (on[1, n] - off[1, n])
            is_zero = off[2, n] + given[n] * (on[2, n] - off[2, n])
            likelihood += weight[n] * (is_zero + y[n] * (is_one - is_zero))
        for n in range(n_samples):
            up = on[0, n] * (on[1, n] - base[1, n]) + (1.0 - on[0, n]) * (on[2, n] - base[2, n])
            down = off[0, n] * (off[1, n] - base[1, n]) + (1.0 - off[0, n]) * (off[2, n] - base[2, n])
            information += weight[n] * (share[n] * up + (1.0 - share[n]) * down)
        found[j, 0] += likelihood
        found[j, 1] += information


@kernel
def fill_scores(indptr, indices, data, weights, intercepts, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the CSR rows times `weights` (n_features, n_labels), plus the intercepts.

    Terms are added one after the other in the order of the row, as SciPy does it; four at a time only save walks over
    the row of results. The bits of a row do not depend on the rows beside it.
    """
    n_labels = out.shape[1]
    for i in range(out.shape[0]):
        out[i] = 0.0
        t, end = indptr[i], indptr[i + 1]
        while t + 3 < end:
            a, b, c, d = indices[t], indices[t + 1], indices[t + 2], indices[t + 3]
            for j in range(n_labels):
                first = (out[i, j] + data[t] * weights[a, j]) + data[t + 1] * weights[b, j]
                out[i, j] = (first + data[t + 2] * weights[c, j]) + data[t + 3] * weights[d, j]
            t += 4
        while t < end:
            for j in range(n_labels):
                out[i, j] += data[t] * weights[indices[t], j]
            t += 1
        for j in range(n_labels):
            out[i, j] += intercepts[j]


@kernel
def fill_sparse_scores(indptr, indices, data, first, nodes, weights, intercepts, out):  # type: ignore[no-untyped-def]
    """Fill `out` with CSR rows times CSR weights (n_features, n_nodes), plus the intercepts; the order is SciPy's."""
    for i in range(out.shape[0]):
        out[i] = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            value = np.float64(data[t])
            for e in range(first[indices[t]], first[indices[t] + 1]):
                out[i, nodes[e]] += value * weights[e]
        for j in range(out.shape[1]):
            out[i, j] += intercepts[j]


@kernel(error_model="numpy")
def sift_up(heap, keys, place):  # type: ignore[no-untyped-def]
    """Move the last node up to its place; the largest key is on top, of equal ones the smaller node."""
    node = heap[place]
    while place > 0:
        above = (place - 1) // 2
        other = heap[above]
        if keys[other] > keys[node] or (keys[other] == keys[node] and other < node):
            break
        heap[place] = other
        place = above
    heap[place] = node


@kernel(error_model="numpy")
def sift_down(heap, keys, size):  # type: ignore[no-untyped-def]
    """Move the first node down to its place."""
    node, place = heap[0], 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        other = heap[below]
        if below + 1 < size:
            second = heap[below + 1]
            if keys[second] > keys[other] or (keys[second] == keys[other] and second < other):
                below, other = below + 1, second
        if keys[node] > keys[other] or (keys[node] == keys[other] and node < other):
            break
        heap[place] = other
        place = below
    heap[place] = node


@kernel(error_model="numpy")
def children_scores(indices, data, first, nodes, weights, intercepts, begin, end, scores):  # type: ignore[no-untyped-def]
    """Fill `scores[begin:end]` with the scores of these nodes for one row; the order of sums is that of all scores."""
    for v in range(begin, end):
        scores[v] = 0.0
    for t in range(indices.shape[0]):
        low, high = first[indices[t]], first[indices[t] + 1]
        stop = high
        while low < high:
            middle = (low + high) // 2
            if nodes[middle] < begin:
                low = middle + 1
            else:
                high = middle
        value = np.float64(data[t])
        while low < stop and nodes[low] < end:
            scores[nodes[low]] += value * weights[low]
            low += 1
    for v in range(begin, end):
        scores[v] += intercepts[v]


@kernel(error_model="numpy")
def find_likeliest(  # type: ignore[no-untyped-def]
    indptr, indices, data, first, nodes, weights, intercepts, begins, label, limit, found, logs, visited
):
    """Fill rows of `found` and `logs` with the most probable labels and their log P, and `visited` with nodes scored.

    A node is never more probable than its parent: what leaves the heap as a label is the next best of all. The
    children of node v are `begins[v + 1]` to `begins[v + 2]`, the root is -1; scores are kept within the limit.
    """
    n_nodes, k = label.shape[0], found.shape[1]
    heap, keys, scores = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes), np.empty(n_nodes)
    for i in range(found.shape[0]):
        row_indices, row_data = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        size, n_found, node, path = 0, 0, -1, 0.0
        visited[i] = 0
        while True:
            begin, end = begins[node + 1], begins[node + 2]
            children_scores(row_indices, row_data, first, nodes, weights, intercepts, begin, end, scores)
            visited[i] += end - begin
            for v in range(begin, end):
                z = min(max(scores[v], -limit), limit)
                keys[v] = path + min(z, 0.0) - math.log1p(math.exp(-abs(z)))
                heap[size] = v
                sift_up(heap, keys, size)
                size += 1
            node = -1
            while n_found < k and size > 0 and node < 0:
                top = heap[0]
                size -= 1
                heap[0] = heap[size]
                if size > 0:
                    sift_down(heap, keys, size)
                if label[top] >= 0:
                    found[i, n_found], logs[i, n_found] = label[top], keys[top]
                    n_found += 1
                else:
                    node, path = top, keys[top]
            if node < 0:
                break
