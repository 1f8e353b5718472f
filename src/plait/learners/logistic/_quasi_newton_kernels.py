"""Kernels of the quasi-Newton method on panels: walks along a line, and products with limited memory [Nocedal1980].

Panels have shape (n, 8) or (n, 16) in C order. Pairs of the past lie in one panel below each other: pair j takes rows
j * n_columns to (j + 1) * n_columns of `steps` and `changes`; what belongs to the intercepts is row j of two smaller
panels of float64. Panels of one row or a few, such as `lengths` and `sums`, are float64 as well.
"""

import numpy as np

from plait.core.compilation import kernel
from plait.learners.logistic._lanes import (
    add,
    divide,
    exp,
    fill,
    fused,
    load,
    log1p,
    magnitude,
    multiply,
    narrow,
    prefer,
    store,
    subtract,
    widen,
)
from plait.learners.logistic._line_kernels import next_lengths

__all__ = ["first_half", "remember", "second_half", "walk_rows"]

# Sums of so many rows are taken in the floats of the panel before they are added up in float64.
_BLOCK = 64

_MOST_LENGTHS = 30


@kernel
def _try_lengths(Z, D, change, targets, cost, lengths, residuals, sums, width):  # type: ignore[no-untyped-def]
    """Residuals cost (p - y) at Z + lengths * (D + change), all in the floats of Z; and sums over rows in float64.

    The sums are, row by row: first and second derivative of the losses along D, sum of residuals, of curvature, and of
    losses. Losses are log(1 + e^-|z|) + max(z, 0) - y z. Where rows cost the same the logarithm is taken of products.
    """
    one, nil = fill(Z.dtype.type(1.0), width), fill(Z.dtype.type(0.0), width)
    size, shift = narrow(load(lengths, 0, width), Z), narrow(load(change, 0, width), Z)
    alike, factors = cost.shape[0] == 1, np.empty((1, lengths.shape[1]))
    sums[:] = 0.0
    for start in range(0, Z.shape[0], _BLOCK):
        first, second, slope, bend, loss, factor = nil, nil, nil, nil, nil, one
        for i in range(start, min(start + _BLOCK, Z.shape[0])):
            d, y = add(load(D, i, width), shift), load(targets, i, width)
            c = narrow(load(cost, 0 if alike else i, width), Z)
            z = fused(size, d, load(Z, i, width))
            small = exp(subtract(nil, magnitude(z)))
            share = divide(one, add(one, small))
            r = multiply(c, subtract(prefer(z, multiply(small, share), share), y))
            s = multiply(c, multiply(small, multiply(share, share)))
            store(residuals, i, r)
            first, second = fused(r, d, first), fused(multiply(s, d), d, second)
            slope, bend = add(slope, r), add(bend, s)
            kept = subtract(prefer(z, nil, z), multiply(y, z))
            if alike:
                factor = multiply(factor, share)
            else:
                kept = add(kept, log1p(small))
            loss = fused(c, kept, loss)
        for place, part in enumerate((first, second, slope, bend, loss)):
            store(sums, place, add(load(sums, place, width), widen(part)))
        if alike:
            store(factors, 0, widen(factor))
            for lane in range(lengths.shape[1]):
                sums[4, lane] -= cost[0, lane] * np.log(factors[0, lane])


@kernel
def walk_rows(Z, D, change, targets, cost, dots, most, running, lengths, residuals, sums, width):  # type: ignore[no-untyped-def]
    """Find `lengths` at which slopes are at most `most`, 0 in lanes that do not run; Z += lengths * (D + change).

    `dots` holds, row by row, the slopes at length 0 (not looked at), w'd and d'd of coefficients w and directions d.
    `residuals` and `sums` end as they are there (see `_try_lengths`), the first two sums as derivatives of the
    objectives, penalties included; the last is that of losses alone.
    """
    searching = running.copy()
    low, high = np.zeros(len(running)), np.full(len(running), np.inf)
    for lane in range(len(running)):
        lengths[0, lane] = 1.0 if running[lane] else 0.0
    for _ in range(_MOST_LENGTHS):
        _try_lengths(Z, D, change, targets, cost, lengths, residuals, sums, width)
        for lane in range(len(running)):
            sums[0, lane] += dots[1, lane] + lengths[0, lane] * dots[2, lane]
            sums[1, lane] += dots[2, lane]
        if not next_lengths(sums[0], sums[1], most, low, high, lengths[0], searching):
            break
    size, shift = narrow(load(lengths, 0, width), Z), narrow(load(change, 0, width), Z)
    for i in range(Z.shape[0]):
        store(Z, i, fused(size, add(load(D, i, width), shift), load(Z, i, width)))


@kernel
def remember(place, W, D, lengths, product, gradient, steps, changes, inner, width):  # type: ignore[no-untyped-def]
    """W += lengths D; the gradient becomes product + W; both changes are kept at `place`; inner = their product."""
    n, size = W.shape[0], narrow(load(lengths, 0, width), W)
    total = fill(0.0, width)
    for k in range(n):
        s = multiply(size, load(D, k, width))
        w = add(load(W, k, width), s)
        g = add(load(product, k, width), w)
        y = subtract(g, load(gradient, k, width))
        store(W, k, w)
        store(gradient, k, g)
        store(steps, place * n + k, s)
        store(changes, place * n + k, y)
        total = fused(widen(s), widen(y), total)
    store(inner, 0, total)


@kernel
def _inner_with(past, start, Q, width):  # type: ignore[no-untyped-def]
    total = fill(0.0, width)
    for k in range(Q.shape[0]):
        total = fused(widen(load(past, start + k, width)), widen(load(Q, k, width)), total)
    return total


@kernel
def _add_past(past, start, share, Q, width):  # type: ignore[no-untyped-def]
    share = narrow(share, Q)
    for k in range(Q.shape[0]):
        store(Q, k, fused(share, load(past, start + k, width), load(Q, k, width)))


@kernel
def first_half(taken, gradient, past, Q, b, shares, width):  # type: ignore[no-untyped-def]
    """Start from Q = -gradient; Q -= share_j * change_j from the newest pair to the oldest.

    share_j = inverse_j * (step_j' Q). `past` holds steps and changes of coefficients, the same of intercepts, and the
    inverses of step_j' change_j; `taken` pairs were ever made, of which it holds the last. `b`, the intercepts, goes
    the same way as Q.
    """
    steps, changes, level_steps, level_changes, inverse = past
    n, room = Q.shape[0], inverse.shape[0]
    nil = fill(gradient.dtype.type(0.0), width)
    for k in range(n):
        store(Q, k, subtract(nil, load(gradient, k, width)))
    for t in range(taken - 1, max(taken - room, 0) - 1, -1):
        j = t % room
        inner = fused(load(level_steps, j, width), load(b, 0, width), _inner_with(steps, j * n, Q, width))
        share = multiply(load(inverse, j, width), inner)
        minus = subtract(fill(0.0, width), share)
        _add_past(changes, j * n, minus, Q, width)
        store(b, 0, fused(minus, load(level_changes, j, width), load(b, 0, width)))
        store(shares, j, share)


@kernel
def second_half(taken, gradient, W, past, Q, b, shares, dots, width):  # type: ignore[no-untyped-def]
    """Q += (share_j - inverse_j * (change_j' Q)) * step_j from the oldest pair to the newest; `b` likewise.

    Then dots = gradient' Q, W' Q and Q' Q, row by row, without intercepts.
    """
    steps, changes, level_steps, level_changes, inverse = past
    n, room = Q.shape[0], inverse.shape[0]
    for t in range(max(taken - room, 0), taken):
        j = t % room
        inner = fused(load(level_changes, j, width), load(b, 0, width), _inner_with(changes, j * n, Q, width))
        share = subtract(load(shares, j, width), multiply(load(inverse, j, width), inner))
        _add_past(steps, j * n, share, Q, width)
        store(b, 0, fused(share, load(level_steps, j, width), load(b, 0, width)))
    store(dots, 0, _inner_with(gradient, 0, Q, width))
    store(dots, 1, _inner_with(W, 0, Q, width))
    store(dots, 2, _inner_with(Q, 0, Q, width))
