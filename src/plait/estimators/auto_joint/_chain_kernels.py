"""Logistic regressions of a few dense columns and a few labels as further columns: arrays in, arrays out.

The minima of `small_regressions.few_column_fits`, which is the oracle. A label as a column is mostly 0, so that its
products are sums over the rows that have it: a step costs a few numbers a row, not the square of all columns.

Notation
--------
x[a, i]                         : column a of the label at hand, of its own, in row i
parents[:n]                     : labels that are its further columns
rows[starts[j] : starts[j + 1]] : the rows that have label j
have[i, j]                      : whether row i has label j
w                               : coefficients of own columns, of parents, and the intercept
"""

import math

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core.compilation import kernel

__all__ = ["newton_fits"]

_LARGEST = 700.0


@kernel
def _fill_scores(x, parents, starts, rows, w, scores):  # type: ignore[no-untyped-def]
    """Fill the sum of all columns by their coefficients."""
    n_own = x.shape[0]
    scores[:] = w[-1]
    for a in range(n_own):
        for i in range(scores.size):
            scores[i] += w[a] * x[a, i]
    for j in range(parents.size):
        for place in range(starts[parents[j]], starts[parents[j] + 1]):
            scores[rows[place]] += w[n_own + j]


@kernel
def _objective(scores, y, weights, w, penalty, losses):  # type: ignore[no-untyped-def]
    for i in range(scores.size):
        size = min(abs(scores[i]), _LARGEST)
        losses[i] = weights[i] * (max(scores[i], 0.0) + log1p(exp(-size)) - y[i] * scores[i])
    total = losses.sum()
    for a in range(w.size):
        total += 0.5 * penalty[a] * w[a] * w[a]
    return total


@kernel
def _fill_system(x, parents, starts, rows, have, sides, gradient, hessian):  # type: ignore[no-untyped-def]
    """Fill first and second derivatives of the losses, the lower half; `sides` are those by the scores of rows."""
    residual, curvature = sides
    n_own, last = x.shape[0], gradient.size - 1
    gradient[:], hessian[:] = 0.0, 0.0
    gradient[last], hessian[last, last] = residual.sum(), curvature.sum()
    for a in range(n_own):
        gradient[a], hessian[last, a] = (residual * x[a]).sum(), (curvature * x[a]).sum()
        for b in range(a + 1):
            total = 0.0
            for i in range(residual.size):
                total += curvature[i] * x[a, i] * x[b, i]
            hessian[a, b] = total
    for j in range(parents.size):
        for place in range(starts[parents[j]], starts[parents[j] + 1]):
            i = rows[place]
            gradient[n_own + j] += residual[i]
            hessian[last, n_own + j] += curvature[i]
            for a in range(n_own):
                hessian[n_own + j, a] += curvature[i] * x[a, i]
            for other in range(j + 1):
                if have[i, parents[other]]:
                    hessian[n_own + j, n_own + other] += curvature[i]


@kernel
def _solve(hessian, gradient, step):  # type: ignore[no-untyped-def]
    """Fill minus the solution of a positive definite system, by Cholesky's factor, which replaces the lower half."""
    size = gradient.size
    for a in range(size):
        for b in range(a + 1):
            total = hessian[a, b]
            for c in range(b):
                total -= hessian[a, c] * hessian[b, c]
            hessian[a, b] = math.sqrt(total) if a == b else total / hessian[b, b]
    for a in range(size):
        total = -gradient[a]
        for c in range(a):
            total -= hessian[a, c] * step[c]
        step[a] = total / hessian[a, a]
    for a in range(size - 1, -1, -1):
        total = step[a]
        for c in range(a + 1, size):
            total -= hessian[c, a] * step[c]
        step[a] = total / hessian[a, a]


@kernel
def _newton(x, parents, ones, y, weights, penalty, most, gap, w, room):  # type: ignore[no-untyped-def]
    """Replace w by the minimum; a step is halved until it lowers the objective enough."""
    starts, rows, have = ones
    scores, moved, trial, residual, curvature, losses = room
    size = w.size
    gradient, hessian, step, tried = np.empty(size), np.empty((size, size)), np.empty(size), np.empty(size)
    _fill_scores(x, parents, starts, rows, w, scores)
    value = _objective(scores, y, weights, w, penalty, losses)
    for _ in range(most):
        for i in range(scores.size):
            chance = 1.0 / (1.0 + exp(min(max(-scores[i], -_LARGEST), _LARGEST)))
            residual[i], curvature[i] = weights[i] * (chance - y[i]), weights[i] * chance * (1.0 - chance)
        _fill_system(x, parents, starts, rows, have, (residual, curvature), gradient, hessian)
        for a in range(size):
            gradient[a] += penalty[a] * w[a]
            hessian[a, a] += penalty[a]
        _solve(hessian, gradient, step)
        _fill_scores(x, parents, starts, rows, step, moved)
        slope, length, after = (gradient * step).sum(), 1.0, value
        for _halving in range(30):
            for i in range(scores.size):
                trial[i] = scores[i] + length * moved[i]
            for a in range(size):
                tried[a] = w[a] + length * step[a]
            after = _objective(trial, y, weights, tried, penalty, losses)
            if after <= value + 1e-4 * length * slope + 1e-12 * abs(value):
                break
            length /= 2.0
        w[:], scores[:], value = tried, trial, after
        if -slope <= gap * (1.0 + abs(value)):
            break


@kernel
def newton_fits(own, places, starts, rows, have, weights, intercept_penalty, labels, most, gap, found):  # type: ignore[no-untyped-def]
    """Fill coefficients (n_labels, n_own + most parents + 1) of the labels, from what stands there.

    `own` is (n_own, n_rows, n_labels); `places[k]` are the parents of label k, -1 behind them.
    """
    n_own, n_rows = own.shape[:2]
    x, y, room = np.empty((n_own, n_rows)), np.empty(n_rows), np.empty((6, n_rows))
    parts = room[0], room[1], room[2], room[3], room[4], room[5]
    for k in labels:
        n_parents = np.int64(0)
        while n_parents < places.shape[1] and places[k, n_parents] >= 0:
            n_parents += 1
        for i in range(n_rows):
            y[i] = have[i, k]
            for a in range(n_own):
                x[a, i] = own[a, i, k]
        w, penalty = np.empty(n_own + n_parents + 1), np.ones(n_own + n_parents + 1)
        w[:-1], w[-1], penalty[-1] = found[k, : n_own + n_parents], found[k, -1], intercept_penalty
        ones = starts, rows, have
        _newton(x, places[k, :n_parents], ones, y, weights, penalty, most, gap, w, parts)
        found[k, : n_own + n_parents], found[k, -1] = w[:-1], w[-1]
