"""Kernels of the logistic solver that run over blocks of labels: losses, line search, conjugate gradients.

Arrays of shape (n, 8) or (n, 16) in C order; `cost` has one row for each row of the data, or one row for all of them.
The arithmetic of losses is in float64, whatever the arrays hold.

Also here: one round of the line search for all lanes; products of a CSR matrix with blocks, arrays of shape (n, 8) or
(n, 16) in C order; and the preconditioner that takes a few heavy rows into account exactly. Columns are read as numbers
without sign: with one, every use would first ask whether it counts from the end.
"""

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core._lanes import fill, fused, larger, load_row, magnitude, narrow, select_above, store_row, widen, within
from plait.core.compilation import kernel

__all__ = ["advance", "along_line", "copy_lanes", "inner", "loss_rows", "move", "next_direction"]


@kernel
def _gather(indices, data, start, stop, P, width):  # type: ignore[no-untyped-def]
    """Return the product of one row of the matrix, rounded to the floats of P, with P."""
    total = fill(P.dtype.type(0.0), width)
    for t in range(start, stop):
        total = fused(data[t], load_row(P, np.int64(indices[t]), width), total)
    return total


@kernel
def _scatter(indices, data, start, stop, row, Q, width):  # type: ignore[no-untyped-def]
    """Add the outer product of one row of the matrix with `row` to Q."""
    for t in range(start, stop):
        k = np.int64(indices[t])
        store_row(Q, k, fused(data[t], row, load_row(Q, k, width)))


@kernel
def sparse_forward(indptr, indices, data, P, T, width):  # type: ignore[no-untyped-def]
    """T = A P."""
    for i in range(T.shape[0]):
        store_row(T, i, _gather(indices, data, indptr[i], indptr[i + 1], P, width))


@kernel
def sparse_backward(indptr, indices, data, T, Q, width):  # type: ignore[no-untyped-def]
    """Q = A' T."""
    Q[:] = 0
    for i in range(T.shape[0]):
        _scatter(indices, data, indptr[i], indptr[i + 1], load_row(T, i, width), Q, width)


@kernel
def sparse_curvature(indptr, indices, data, S, P, Q, linear, square, width):  # type: ignore[no-untyped-def]
    """Q = A' (S * T) for T = A P, in one pass over the rows; linear = sum_i S T, square = sum_i S T^2."""
    Q[:] = 0
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    for i in range(S.shape[0]):
        scores = _gather(indices, data, indptr[i], indptr[i + 1], P, width)
        row = load_row(S, i, width) * scores
        sum_linear = sum_linear + widen(row)
        sum_square = sum_square + widen(row * scores)
        _scatter(indices, data, indptr[i], indptr[i + 1], row, Q, width)
    store_row(linear, 0, sum_linear)
    store_row(square, 0, sum_square)


@kernel
def curvature_rows(S, T, linear, square, width):  # type: ignore[no-untyped-def]
    """T = S * T in place; linear = sum_i S T, square = sum_i S T^2 of the T given."""
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    for i in range(S.shape[0]):
        scores = load_row(T, i, width)
        row = load_row(S, i, width) * scores
        sum_linear = sum_linear + widen(row)
        sum_square = sum_square + widen(row * scores)
        store_row(T, i, row)
    store_row(linear, 0, sum_linear)
    store_row(square, 0, sum_square)


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
    They are copied out and back, since the numbers of a lane lie far apart in the block and each is used many times.
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


# `exp` is right up to here.
_FAR = 700.0


@kernel
def _probability(scores):  # type: ignore[no-untyped-def]
    return 1.0 / (1.0 + exp(within(0.0 - scores, -_FAR, _FAR)))


@kernel
def loss_rows(Z, targets, cost, bounded, residuals, curvature, sums, width):  # type: ignore[no-untyped-def]
    """Residuals cost (p - y), curvature cost p (1 - p), and the sums of loss, residuals and curvature.

    The loss is log(1 + e^z) - y z = log(1 + e^-|z|) + max(z, 0) - y z; p follows from the same exponential. Where a
    lane of `bounded` is 1, rows on the wrong side get the curvature (p - 1/2) / z of the quadratic that bounds the loss
    [Jaakkola2000]: p (1 - p) vanishes there although the loss bends before such a row gets to the right side.
    """
    nil = fill(0.0, width)
    loss, slope, bend = nil, nil, nil
    step = 0 if cost.shape[0] == 1 else 1
    bounds = load_row(bounded, 0, width)
    for i in range(Z.shape[0]):
        z, y, c = widen(load_row(Z, i, width)), widen(load_row(targets, i, width)), load_row(cost, i * step, width)
        size = magnitude(z)
        small = exp(larger(0.0 - size, -_FAR))
        share = 1.0 / (1.0 + small)
        p = select_above(0.0, z, small * share, share)
        s = small * (share * share)
        bound = (share - 0.5) / (size + 1e-30)
        more = larger(bound - s, 0.0)
        wrong = (1.0 - (y + y)) * z
        s = c * fused(bounds, select_above(0.0, wrong, nil, more), s)
        r = c * (p - y)
        loss = fused(c, (log1p(small) + larger(z, 0.0)) - y * z, loss)
        slope, bend = slope + r, bend + s
        store_row(residuals, i, narrow(r, residuals))
        store_row(curvature, i, narrow(s, curvature))
    store_row(sums, 0, loss)
    store_row(sums, 1, slope)
    store_row(sums, 2, bend)


@kernel
def along_line(Z, D, targets, cost, steps, sums, width):  # type: ignore[no-untyped-def]
    """First and second derivative of the losses along D at Z + steps * D."""
    first, second = fill(0.0, width), fill(0.0, width)
    size = load_row(steps, 0, width)
    step = 0 if cost.shape[0] == 1 else 1
    for i in range(Z.shape[0]):
        d = widen(load_row(D, i, width))
        p = _probability(fused(size, d, widen(load_row(Z, i, width))))
        pull = load_row(cost, i * step, width) * d
        first = fused(p - widen(load_row(targets, i, width)), pull, first)
        second = fused(p * (1.0 - p), pull * d, second)
    store_row(sums, 0, first)
    store_row(sums, 1, second)


@kernel
def inner(A, B, out, width):  # type: ignore[no-untyped-def]
    """Write sum_i A B of each column to `out`."""
    total = fill(0.0, width)
    for i in range(A.shape[0]):
        total = fused(widen(load_row(A, i, width)), widen(load_row(B, i, width)), total)
    store_row(out, 0, total)


@kernel
def move(A, D, steps, width):  # type: ignore[no-untyped-def]
    """A += steps * D, for each column."""
    size = load_row(steps, 0, width)
    for i in range(A.shape[0]):
        store_row(A, i, narrow(fused(size, widen(load_row(D, i, width)), widen(load_row(A, i, width))), A))


@kernel
def advance(steps, shares, P, product, means, inverse, X, residual, energy, width):  # type: ignore[no-untyped-def]
    """X += steps P, residual -= steps (product + P - shares means), energy = sum inverse residual^2."""
    size, share = narrow(load_row(steps, 0, width), P), narrow(load_row(shares, 0, width), P)
    nil = fill(P.dtype.type(0.0), width)
    minus, share = nil - size, nil - share
    total = fill(0.0, width)
    for k in range(P.shape[0]):
        p = load_row(P, k, width)
        store_row(X, k, fused(size, p, load_row(X, k, width)))
        change = fused(share, load_row(means, k, width), load_row(product, k, width) + p)
        r = fused(minus, change, load_row(residual, k, width))
        store_row(residual, k, r)
        total = total + widen(load_row(inverse, k, width) * (r * r))
    store_row(energy, 0, total)


@kernel
def next_direction(conditioned, inverse, ratios, P, norms, width):  # type: ignore[no-untyped-def]
    """P = inverse * conditioned + ratios P, and the squared norms of the columns of P."""
    ratio = narrow(load_row(ratios, 0, width), P)
    total = fill(0.0, width)
    for k in range(P.shape[0]):
        p = fused(ratio, load_row(P, k, width), load_row(inverse, k, width) * load_row(conditioned, k, width))
        store_row(P, k, p)
        total = total + widen(p * p)
    store_row(norms, 0, total)


@kernel
def copy_lanes(source, source_lanes, target, target_lanes):  # type: ignore[no-untyped-def]
    """Copy some columns of one block to columns of another."""
    for i in range(source.shape[0]):
        for t in range(len(source_lanes)):
            target[i, target_lanes[t]] = source[i, source_lanes[t]]
