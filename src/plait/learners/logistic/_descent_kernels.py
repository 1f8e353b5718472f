"""Compiled loops of the descent: residuals, losses and their derivatives along a step.

One row of every array belongs to one problem, so its numbers lie side by side and finished problems are left by
leaving out rows. The flags of SUMS allow sums in any order; they promise nothing about infinities or NaN. A kernel
takes over the flags of the one that calls it unless it says otherwise, and `exp` bears no other order.

Also here: products of a dense matrix with a few rows of coefficients or residuals, SIMD lanes being problems. There are
so few problems that a general matrix product spends its time packing the matrix; these kernels read it in place, once
for every eight problems, and eight rows of it share each load of the problems' numbers. And products of CSR matrices
with dense blocks, for the label pairs.
"""

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core._lanes import fill, fused, load_column, load_row, store_column, store_row
from plait.core.compilation import kernel

__all__ = ["LANES", "SUMS", "curve_along_step", "lower_grams", "rows_times"]


@kernel
def _score(A, i, panel):  # type: ignore[no-untyped-def]
    """Return the scores of row i of A for eight problems."""
    total = fill(panel.dtype.type(0.0))
    for k in range(panel.shape[0]):
        total = fused(fill(A[i, k]), load_row(panel, k), total)
    return total


@kernel
def dense_scores(A, coefficients, panel, out):  # type: ignore[no-untyped-def]
    """Out = coefficients A', both with a multiple of eight rows; `panel` is room for a column each of eight of them."""
    whole = A.shape[0] - A.shape[0] % 8
    for first in range(0, coefficients.shape[0], 8):
        for k in range(panel.shape[0]):
            store_row(panel, k, load_column(coefficients, first, k))
        for i in range(0, whole, 8):
            nil = fill(panel.dtype.type(0.0))
            a, b, c, d, e, f, g, h = nil, nil, nil, nil, nil, nil, nil, nil
            for k in range(panel.shape[0]):
                p = load_row(panel, k)
                a = fused(fill(A[i, k]), p, a)
                b = fused(fill(A[i + 1, k]), p, b)
                c = fused(fill(A[i + 2, k]), p, c)
                d = fused(fill(A[i + 3, k]), p, d)
                e = fused(fill(A[i + 4, k]), p, e)
                f = fused(fill(A[i + 5, k]), p, f)
                g = fused(fill(A[i + 6, k]), p, g)
                h = fused(fill(A[i + 7, k]), p, h)
            store_column(out, first, i, a)
            store_column(out, first, i + 1, b)
            store_column(out, first, i + 2, c)
            store_column(out, first, i + 3, d)
            store_column(out, first, i + 4, e)
            store_column(out, first, i + 5, f)
            store_column(out, first, i + 6, g)
            store_column(out, first, i + 7, h)
        for i in range(whole, A.shape[0]):
            store_column(out, first, i, _score(A, i, panel))


@kernel
def dense_gradients(A, residuals, panel, out):  # type: ignore[no-untyped-def]
    """Out = residuals A, both with a multiple of eight rows; `panel` is room for a column each of eight of them."""
    whole = A.shape[0] - A.shape[0] % 8
    for first in range(0, residuals.shape[0], 8):
        panel[:] = 0
        for i in range(0, whole, 8):
            a, b = load_column(residuals, first, i), load_column(residuals, first, i + 1)
            c, d = load_column(residuals, first, i + 2), load_column(residuals, first, i + 3)
            e, f = load_column(residuals, first, i + 4), load_column(residuals, first, i + 5)
            g, h = load_column(residuals, first, i + 6), load_column(residuals, first, i + 7)
            for k in range(panel.shape[0]):
                q = fused(fill(A[i, k]), a, load_row(panel, k))
                q = fused(fill(A[i + 1, k]), b, q)
                q = fused(fill(A[i + 2, k]), c, q)
                q = fused(fill(A[i + 3, k]), d, q)
                q = fused(fill(A[i + 4, k]), e, q)
                q = fused(fill(A[i + 5, k]), f, q)
                q = fused(fill(A[i + 6, k]), g, q)
                store_row(panel, k, fused(fill(A[i + 7, k]), h, q))
        for i in range(whole, A.shape[0]):
            r = load_column(residuals, first, i)
            for k in range(panel.shape[0]):
                store_row(panel, k, fused(fill(A[i, k]), r, load_row(panel, k)))
        for k in range(panel.shape[0]):
            store_column(out, first, k, load_row(panel, k))


SUMS = {"reassoc", "contract", "nsz", "arcp"}
# Where an exponential is as good as nothing beside 1; float32 reaches a little further.
_FAR = np.float32(-87.0)


@kernel(fastmath=False, error_model="numpy")
def _sigmoids(scores, change, length, target, p, loss):  # type: ignore[no-untyped-def]
    """Fill p and the losses -log P(target) at scores + length * change."""
    one, zero = scores.dtype.type(1.0), scores.dtype.type(0.0)
    for n in range(scores.shape[0]):
        z = scores[n] + length * change[n]
        e = exp(max(-abs(z), scores.dtype.type(_FAR)))
        p[n] = (one if z > zero else e) / (one + e)
        loss[n] = max(z, zero) - z * target[n] + log1p(e)


@kernel(fastmath=SUMS, error_model="numpy")
def curve_along_step(scores, change, rows, length, targets, target_of, weights, weight_of, residual, curve):  # type: ignore[no-untyped-def]
    """For the problems `rows`, at z = scores + length * change: the residuals, and the loss with its derivatives.

    Problem j has the labels `targets[target_of[j]]` and the row weights `weights[weight_of[j]]`.
    residual = weight * (p - target); curve[j] = (sum residual change, sum s change^2, -sum weight log P(target),
    sum s) for the IRLS weights s = weight p (1 - p).
    """
    n_samples = scores.shape[1]
    one, zero = scores.dtype.type(1.0), scores.dtype.type(0.0)
    p, losses = np.empty(n_samples, scores.dtype), np.empty(n_samples, scores.dtype)
    for place in range(rows.shape[0]):
        j = rows[place]
        target, weight = targets[target_of[j]], weights[weight_of[j]]
        _sigmoids(scores[j], change[j], length[j], target, p, losses)
        slope, bend, loss, total = zero, zero, zero, zero
        for n in range(n_samples):
            residual[j, n] = weight[n] * (p[n] - target[n])
            slope += residual[j, n] * change[j, n]
        for n in range(n_samples):
            s = weight[n] * (p[n] * (one - p[n]))
            total += s
            bend += s * (change[j, n] * change[j, n])
        for n in range(n_samples):
            loss += weight[n] * losses[n]
        curve[j, 0], curve[j, 1], curve[j, 2], curve[j, 3] = slope, bend, loss, total


# A vector register holds sixteen float32 numbers; loops of this length need no rest.
LANES = 16


@kernel(fastmath=SUMS, error_model="numpy")
def rows_times(indptr, indices, data, block, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the CSR matrix times `block`."""
    width = block.shape[1]
    for n in range(out.shape[0]):
        for j in range(width):
            out[n, j] = 0
        for t in range(indptr[n], indptr[n + 1]):
            k, value = indices[t], data[t]
            for j in range(width):
                out[n, j] += value * block[k, j]


@kernel(fastmath=SUMS, error_model="numpy")
def lower_grams(indptr, indices, data, starts, rows, values, weights, out):  # type: ignore[no-untyped-def]
    """Fill the lower triangles of `out[t]` with A' diag(weights[:, t]) A; A comes as sorted CSR and transposed.

    All t are done at once, side by side, so that finding a pair of features costs as much as for one. Row k gathers
    the rows of A that have feature k, so what is written to stays in fast memory.
    """
    gathered = np.empty((out.shape[1], LANES), dtype=out.dtype)
    scaled = np.empty(LANES, dtype=out.dtype)
    for k in range(out.shape[1]):
        gathered[: k + 1] = 0
        for u in range(starts[k], starts[k + 1]):
            n = rows[u]
            for t in range(LANES):
                scaled[t] = values[u] * weights[n, t]
            for v in range(indptr[n], indptr[n + 1]):
                m = indices[v]
                if m > k:
                    break
                for t in range(LANES):
                    gathered[m, t] += data[v] * scaled[t]
        for t in range(out.shape[0]):
            for m in range(k + 1):
                out[t, k, m] = gathered[m, t]
