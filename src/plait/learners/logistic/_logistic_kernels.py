"""Kernels of the logistic solver that run over panels of labels: losses, line search, conjugate gradients.

Arrays of shape (n, 8) or (n, 16) in C order; `cost` has one row for each row of the data, or one row for all of them.
The arithmetic of losses is in float64, whatever the arrays hold.

Also here: one round of the line search for all lanes; products of a CSR matrix with panels, arrays of shape (n, 8) or
(n, 16) in C order; and the preconditioner that takes a few heavy rows into account exactly. Columns are read as numbers
without sign: with one, every use would first ask whether it counts from the end.
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

__all__ = ["advance", "along_line", "copy_lanes", "inner", "loss_rows", "move", "next_direction"]


@kernel
def _gather(indices, data, start, stop, P, width):  # type: ignore[no-untyped-def]
    """Return the product of one row of the matrix with P."""
    total = fill(P.dtype.type(0.0), width)
    for t in range(start, stop):
        total = fused(fill(data[t], width), load(P, np.int64(indices[t]), width), total)
    return total


@kernel
def _scatter(indices, data, start, stop, row, Q, width):  # type: ignore[no-untyped-def]
    """Add the outer product of one row of the matrix with `row` to Q."""
    for t in range(start, stop):
        k = np.int64(indices[t])
        store(Q, k, fused(fill(data[t], width), row, load(Q, k, width)))


@kernel
def sparse_forward(indptr, indices, data, P, T, width):  # type: ignore[no-untyped-def]
    """T = A P."""
    for i in range(T.shape[0]):
        store(T, i, _gather(indices, data, indptr[i], indptr[i + 1], P, width))


@kernel
def sparse_backward(indptr, indices, data, T, Q, width):  # type: ignore[no-untyped-def]
    """Q = A' T."""
    Q[:] = 0
    for i in range(T.shape[0]):
        _scatter(indices, data, indptr[i], indptr[i + 1], load(T, i, width), Q, width)


@kernel
def sparse_curvature(indptr, indices, data, S, P, Q, linear, square, width):  # type: ignore[no-untyped-def]
    """Q = A' (S * T) for T = A P, in one pass over the rows; linear = sum_i S T, square = sum_i S T^2."""
    Q[:] = 0
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    for i in range(S.shape[0]):
        scores = _gather(indices, data, indptr[i], indptr[i + 1], P, width)
        row = multiply(load(S, i, width), scores)
        sum_linear = add(sum_linear, widen(row))
        sum_square = add(sum_square, widen(multiply(row, scores)))
        _scatter(indices, data, indptr[i], indptr[i + 1], row, Q, width)
    store(linear, 0, sum_linear)
    store(square, 0, sum_square)


@kernel
def curvature_rows(S, T, linear, square, width):  # type: ignore[no-untyped-def]
    """T = S * T in place; linear = sum_i S T, square = sum_i S T^2 of the T given."""
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    for i in range(S.shape[0]):
        scores = load(T, i, width)
        row = multiply(load(S, i, width), scores)
        sum_linear = add(sum_linear, widen(row))
        sum_square = add(sum_square, widen(multiply(row, scores)))
        store(T, i, row)
    store(linear, 0, sum_linear)
    store(square, 0, sum_square)


# Sums may be taken in any order: rows are long, and one sum after the other would wait for itself.
_SUMS = {"reassoc", "contract"}


@kernel
def without_rows(indptr, indices, data, weights, diagonal):  # type: ignore[no-untyped-def]
    """diagonal_k -= sum over rows of weight * entry^2."""
    for a in range(len(weights)):
        for t in range(indptr[a], indptr[a + 1]):
            diagonal[np.uint32(indices[t])] -= weights[a] * data[t] * data[t]


@kernel(fastmath=_SUMS)
def row_gram(indptr, indices, data, inverse, buffer, K):  # type: ignore[no-untyped-def]
    """K = R diag(inverse) R' for the rows R; `buffer` holds zeros before and after."""
    n = K.shape[0]
    for a in range(n):
        for t in range(indptr[a], indptr[a + 1]):
            buffer[np.uint32(indices[t])] = data[t] * inverse[np.uint32(indices[t])]
        for b in range(a, n):
            total = 0.0
            for t in range(indptr[b], indptr[b + 1]):
                total += data[t] * buffer[np.uint32(indices[t])]
            K[a, b] = total
            K[b, a] = total
        for t in range(indptr[a], indptr[a + 1]):
            buffer[np.uint32(indices[t])] = 0.0


@kernel(fastmath=_SUMS)
def corrected(indptr, places, data, columns, middle, inverse, conditioned, lane, sums, column):  # type: ignore[no-untyped-def]
    """One lane of conditioned -= inverse R' middle R conditioned; `column` is room for one number per column of R.

    Only `columns` have entries in R; `places` says where in `columns` each entry belongs, and `inverse` runs over them.
    They are copied out and back, since the numbers of a lane lie far apart in the panel and each is used many times.
    """
    n = len(sums)
    for k in range(len(columns)):
        column[k] = conditioned[columns[k], lane]
    for a in range(n):
        total = 0.0
        for t in range(indptr[a], indptr[a + 1]):
            total += data[t] * column[np.uint32(places[t])]
        sums[a] = total
    column[:] = 0.0
    for a in range(n):
        part = 0.0
        for b in range(n):
            part += middle[a, b] * sums[b]
        for t in range(indptr[a], indptr[a + 1]):
            column[np.uint32(places[t])] += data[t] * part
    for k in range(len(columns)):
        conditioned[columns[k], lane] -= inverse[k] * column[k]


_GROWTH = 4.0


@kernel
def next_lengths(slope, bend, most, low, high, lengths, running):  # type: ignore[no-untyped-def]
    """Change the lengths of running lanes whose slope is above `most`, stop the others; return whether one still runs.

    `low` and `high` are what brackets the root of the slope so far, `high` infinite where no positive slope was seen.
    The next length is Newton's where that lies well inside the bracket, else the middle of the bracket; a little
    further where there is none.
    """
    some = False
    for lane in range(len(lengths)):
        if not running[lane] or abs(slope[lane]) <= most[lane]:
            running[lane] = False
            continue
        some = True
        length = lengths[lane]
        if slope[lane] < 0:
            low[lane] = length
        else:
            high[lane] = length
        guess = length - slope[lane] / bend[lane] if bend[lane] > 0 else length
        if np.isfinite(high[lane]):
            between = high[lane] - low[lane]
            well = low[lane] + 0.05 * between < guess < low[lane] + 0.95 * between
            lengths[lane] = guess if well else low[lane] + 0.5 * between
        else:
            lengths[lane] = min(max(guess, 1.01 * length), _GROWTH * length)
    return some


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
