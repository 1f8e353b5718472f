"""Kernels of the logistic solver that run over panels of labels: losses, line search, conjugate gradients.

Arrays of shape (n, 8) or (n, 16) in C order; `cost` has one row for each row of the data, or one row for all of them.
The arithmetic of losses is in float64, whatever the arrays hold.
"""

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

__all__ = [
    "advance",
    "along_line",
    "copy_lanes",
    "inner",
    "loss_rows",
    "move",
    "next_direction",
]


@kernel
def _probability(scores, width):  # type: ignore[no-untyped-def]
    return divide(fill(1.0, width), add(fill(1.0, width), exp(subtract(fill(0.0, width), scores))))


@kernel
def loss_rows(Z, targets, cost, wary, residuals, curvature, sums, width):  # type: ignore[no-untyped-def]
    """Residuals cost (p - y), curvature cost p (1 - p), and the sums of loss, residuals and curvature.

    The loss is log(1 + e^z) - y z = log(1 + e^-|z|) + max(z, 0) - y z; p follows from the same exponential. Where a
    lane of `wary` is 1, rows on the wrong side get the curvature (p - 1/2) / z of the quadratic that bounds the loss
    [Jaakkola2000]: p (1 - p) vanishes there although the loss bends before such a row gets to the right side.
    """
    one, nil = fill(1.0, width), fill(0.0, width)
    loss, slope, bend = nil, nil, nil
    step = 0 if cost.shape[0] == 1 else 1
    careful = load(wary, 0, width)
    for i in range(Z.shape[0]):
        z, y, c = widen(load(Z, i, width)), widen(load(targets, i, width)), load(cost, i * step, width)
        size = magnitude(z)
        small = exp(subtract(nil, size))
        share = divide(one, add(one, small))
        p = prefer(z, multiply(small, share), share)
        s = multiply(small, multiply(share, share))
        bound = divide(subtract(share, fill(0.5, width)), add(size, fill(1e-30, width)))
        more = prefer(subtract(bound, s), nil, subtract(bound, s))
        wrong = multiply(subtract(one, add(y, y)), z)
        s = multiply(c, fused(careful, prefer(wrong, nil, more), s))
        r = multiply(c, subtract(p, y))
        loss = fused(c, subtract(add(log1p(small), prefer(z, nil, z)), multiply(y, z)), loss)
        slope, bend = add(slope, r), add(bend, s)
        store(residuals, i, narrow(r, residuals))
        store(curvature, i, narrow(s, curvature))
    store(sums, 0, loss)
    store(sums, 1, slope)
    store(sums, 2, bend)


@kernel
def along_line(Z, D, targets, cost, steps, sums, width):  # type: ignore[no-untyped-def]
    """First and second derivative of the losses along D at Z + steps * D."""
    first, second = fill(0.0, width), fill(0.0, width)
    size = load(steps, 0, width)
    step = 0 if cost.shape[0] == 1 else 1
    for i in range(Z.shape[0]):
        d = widen(load(D, i, width))
        p = _probability(fused(size, d, widen(load(Z, i, width))), width)
        pull = multiply(load(cost, i * step, width), d)
        first = fused(subtract(p, widen(load(targets, i, width))), pull, first)
        second = fused(multiply(p, subtract(fill(1.0, width), p)), multiply(pull, d), second)
    store(sums, 0, first)
    store(sums, 1, second)


@kernel
def inner(A, B, out, width):  # type: ignore[no-untyped-def]
    """Write sum_i A B of each column to `out`."""
    total = fill(0.0, width)
    for i in range(A.shape[0]):
        total = fused(widen(load(A, i, width)), widen(load(B, i, width)), total)
    store(out, 0, total)


@kernel
def move(A, D, steps, width):  # type: ignore[no-untyped-def]
    """A += steps * D, for each column."""
    size = load(steps, 0, width)
    for i in range(A.shape[0]):
        store(A, i, narrow(fused(size, widen(load(D, i, width)), widen(load(A, i, width))), A))


@kernel
def advance(steps, shares, P, product, means, inverse, X, residual, energy, width):  # type: ignore[no-untyped-def]
    """X += steps P, residual -= steps (product + P - shares means), energy = sum inverse residual^2."""
    size, share = narrow(load(steps, 0, width), P), narrow(load(shares, 0, width), P)
    nil = fill(P.dtype.type(0.0), width)
    minus, share = subtract(nil, size), subtract(nil, share)
    total = fill(0.0, width)
    for k in range(P.shape[0]):
        p = load(P, k, width)
        store(X, k, fused(size, p, load(X, k, width)))
        change = fused(share, load(means, k, width), add(load(product, k, width), p))
        r = fused(minus, change, load(residual, k, width))
        store(residual, k, r)
        total = add(total, widen(multiply(load(inverse, k, width), multiply(r, r))))
    store(energy, 0, total)


@kernel
def next_direction(conditioned, inverse, ratios, P, norms, width):  # type: ignore[no-untyped-def]
    """P = inverse * conditioned + ratios P, and the squared norms of the columns of P."""
    ratio = narrow(load(ratios, 0, width), P)
    total = fill(0.0, width)
    for k in range(P.shape[0]):
        p = fused(ratio, load(P, k, width), multiply(load(inverse, k, width), load(conditioned, k, width)))
        store(P, k, p)
        total = add(total, widen(multiply(p, p)))
    store(norms, 0, total)


@kernel
def copy_lanes(source, source_lanes, target, target_lanes):  # type: ignore[no-untyped-def]
    """Copy some columns of one panel to columns of another."""
    for i in range(source.shape[0]):
        for t in range(len(source_lanes)):
            target[i, target_lanes[t]] = source[i, source_lanes[t]]
