"""Compiled scores of sparse rows: arrays in, arrays out, the caller allocates."""

import math

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core.compilation import kernel
from plait.learners.logistic._descent_kernels import SUMS

__all__ = ["fill_scores"]


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
