"""Compiled loops of descents: logistic curves along a step, and the earlier steps that L-BFGS remembers.

One row of every array belongs to one problem, so its numbers lie side by side and finished problems are left by
leaving out rows. The flags of SUMS allow sums in any order; they promise nothing about infinities or NaN.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from plait.core.compilation import kernel

__all__ = ["SUMS", "after_earlier_steps", "before_earlier_steps", "clipped_losses", "curve_along_step", "fading"]

SUMS = {"reassoc", "contract", "nsz", "arcp"}


@intrinsic
def _float32_of_bits(_context, _bits):  # type: ignore[no-untyped-def]
    def cast(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], context.get_value_type(types.float32))

    return types.float32(types.int32), cast


@intrinsic
def _float64_of_bits(_context, _bits):  # type: ignore[no-untyped-def]
    def cast(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), cast


def fading(t: Any) -> Any:
    """Return exp(t) for t <= 0 without branches, so that loops over it become vector code; far below 0 it is tiny."""
    return np.exp(t)


def _fading_32(t):  # type: ignore[no-untyped-def]
    t = max(t, np.float32(-87.0))
    k = np.floor(t * np.float32(1.4426950408889634) + np.float32(0.5))
    # log 2 in two parts, the first exact in few bits, so that t - k log 2 loses nothing; then a Taylor sum.
    r = (t - k * np.float32(0.693359375)) + k * np.float32(2.1219444e-4)
    p = r * np.float32(1.0 / 5040.0) + np.float32(1.0 / 720.0)
    p = (p * r + np.float32(1.0 / 120.0)) * r + np.float32(1.0 / 24.0)
    p = (p * r + np.float32(1.0 / 6.0)) * r + np.float32(0.5)
    p = (p * r + np.float32(1.0)) * r + np.float32(1.0)
    return p * _float32_of_bits(np.int32((np.int32(k) + np.int32(127)) << np.int32(23)))


def _fading_64(t):  # type: ignore[no-untyped-def]
    t = max(t, -700.0)
    k = np.floor(t * 1.4426950408889634 + 0.5)
    r = (t - k * 0.693145751953125) - k * 1.4286068203094173e-06
    p = (r * (1.0 / 6227020800.0) + 1.0 / 479001600.0) * r + 1.0 / 39916800.0
    p = (p * r + 1.0 / 3628800.0) * r + 1.0 / 362880.0
    p = (p * r + 1.0 / 40320.0) * r + 1.0 / 5040.0
    p = (p * r + 1.0 / 720.0) * r + 1.0 / 120.0
    p = (p * r + 1.0 / 24.0) * r + 1.0 / 6.0
    p = ((p * r + 0.5) * r + 1.0) * r + 1.0
    return p * _float64_of_bits((np.int64(k) + np.int64(1023)) << np.int64(52))


@overload(fading, inline="always")
def _fading_by_type(t):  # type: ignore[no-untyped-def]
    return _fading_32 if t == types.float32 else _fading_64


@kernel(inline="always", error_model="numpy")
def _log1p(e):  # type: ignore[no-untyped-def]
    """Return log(1 + e) for e in [0, 1] to nine digits: 2 artanh(e / (2 + e)) as a sum."""
    s = e / (e + type(e)(2.0))
    q = s * s
    total = q * type(e)(1.0 / 17.0) + type(e)(1.0 / 15.0)
    total = (total * q + type(e)(1.0 / 13.0)) * q + type(e)(1.0 / 11.0)
    total = (total * q + type(e)(1.0 / 9.0)) * q + type(e)(1.0 / 7.0)
    total = (total * q + type(e)(0.2)) * q + type(e)(1.0 / 3.0)
    return type(e)(2.0) * s * (total * q + type(e)(1.0))


@kernel(fastmath=SUMS, error_model="numpy")
def curve_along_step(scores, change, rows, step, targets, target_of, weights, weight_of, residual, curve):  # type: ignore[no-untyped-def]
    """For the problems `rows`, at z = scores + step * change: the residuals, and the loss with its derivatives.

    Problem j has the labels `targets[target_of[j]]` and the row weights `weights[weight_of[j]]`.
    residual = weight * (p - target); curve[j] = (sum residual change, sum weight p (1 - p) change^2,
    -sum weight log P(target)), the last to nine digits at best.
    """
    n_samples = scores.shape[1]
    one, zero = scores.dtype.type(1.0), scores.dtype.type(0.0)
    p, tail = np.empty(n_samples, scores.dtype), np.empty(n_samples, scores.dtype)
    for place in range(rows.shape[0]):
        j = rows[place]
        a, target, weight = step[j], targets[target_of[j]], weights[weight_of[j]]
        for n in range(n_samples):
            z = scores[j, n] + a * change[j, n]
            e = fading(-abs(z))
            p[n] = (one if z > zero else e) / (one + e)
            tail[n] = max(z, zero) - z * target[n] + _log1p(e)
        slope, curvature, loss = zero, zero, zero
        for n in range(n_samples):
            residual[j, n] = weight[n] * (p[n] - target[n])
            slope += residual[j, n] * change[j, n]
        for n in range(n_samples):
            curvature += weight[n] * (p[n] * (one - p[n])) * (change[j, n] * change[j, n])
        for n in range(n_samples):
            loss += weight[n] * tail[n]
        curve[j, 0], curve[j, 1], curve[j, 2] = slope, curvature, loss


@kernel(fastmath=SUMS, error_model="numpy")
def clipped_losses(scores, targets, target_of, weights, weight_of, least, most, out):  # type: ignore[no-untyped-def]
    """Set out[j] to the weighted sum of log-losses of row j of `scores`, each kept between `least` and `most`."""
    n_samples = scores.shape[1]
    zero = scores.dtype.type(0.0)
    losses = np.empty(n_samples, scores.dtype)
    for j in range(scores.shape[0]):
        target, weight = targets[target_of[j]], weights[weight_of[j]]
        for n in range(n_samples):
            z = scores[j, n]
            losses[n] = max(z, zero) - z * target[n] + _log1p(fading(-abs(z)))
        total = 0.0
        for n in range(n_samples):
            total += weight[n] * min(max(losses[n], least), most)
        out[j] = total


@kernel(fastmath=SUMS, error_model="numpy")
def before_earlier_steps(steps, differences, inverse, order, direction, share):  # type: ignore[no-untyped-def]
    """Run the first half of the two loops of L-BFGS on each row of `direction`, newest step first."""
    n_pairs, size = direction.shape
    for j in range(n_pairs):
        for place in range(order.shape[0] - 1, -1, -1):
            t = order[place]
            dot = direction.dtype.type(0.0)
            for k in range(size):
                dot += steps[t, j, k] * direction[j, k]
            a = inverse[t, j] * dot
            share[t, j] = a
            for k in range(size):
                direction[j, k] -= a * differences[t, j, k]


@kernel(fastmath=SUMS, error_model="numpy")
def after_earlier_steps(steps, differences, inverse, order, direction, share):  # type: ignore[no-untyped-def]
    """Run the second half of the two loops of L-BFGS on each row of `direction`, oldest step first."""
    n_pairs, size = direction.shape
    for j in range(n_pairs):
        for place in range(order.shape[0]):
            t = order[place]
            dot = direction.dtype.type(0.0)
            for k in range(size):
                dot += differences[t, j, k] * direction[j, k]
            a = share[t, j] - inverse[t, j] * dot
            for k in range(size):
                direction[j, k] += a * steps[t, j, k]
