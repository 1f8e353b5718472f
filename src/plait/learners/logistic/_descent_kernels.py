"""Compiled loops of the descent: residuals, losses and their derivatives along a step.

One row of every array belongs to one problem, so its numbers lie side by side and finished problems are left by
leaving out rows. The flags of SUMS allow sums in any order; they promise nothing about infinities or NaN. A kernel
takes over the flags of the one that calls it unless it says otherwise, and `exp` bears no other order.
"""

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core.compilation import kernel

__all__ = ["SUMS", "curve_along_step"]

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
