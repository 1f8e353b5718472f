"""Newton's method for many small logistic regressions at once, in NumPy: tens of features, hundreds of rows.

Problems are rows of all arrays. Hessians near the optimum serve to the end; a line search on the slope, which rises
along a convex function, guards the steps.
"""

import numpy as np
from scipy.linalg import lapack

from plait.core.arrays import Array, Floats
from plait.learners.logistic.descent import next_length
from plait.learners.logistic.logistic_batch import Batch, Solution
from plait.learners.logistic.logistic_design import DenseDesign

__all__ = ["FEW_PRODUCTS", "solve_newton"]

# Multiplications of a Hessian up to which it is made for every problem and step.
FEW_PRODUCTS = 2**22
# A Hessian is kept once a step promises to lower the objective by no more than this share.
NEAR = 1e-4
# A step is as long as leaves this share of the slope, found by at most so many trials.
SLOPE_LEFT, MOST_TRIALS = 0.3, 40
# So small that it matters only for scores beyond about 10.
BEND = 1e-3


def solve_newton(
    design: DenseDesign, batch: Batch, start: Floats, *, tol: float, max_iter: int, finest: float, more: int
) -> Solution:
    """Return the solutions of a batch from a start (n_problems, size).

    A problem is solved when a step promises to lower its objective by less than the share `tol`; steps go on to the
    share `finest`, at most `more` of them, and are not counted.
    """
    A = design.rows(np.dtype(np.float64))
    n_problems, size = start.shape
    penalty = (np.arange(size) < design.n_columns).astype(np.float64)
    used = np.ones((n_problems, size))
    if batch.support is not None:
        used[:, : design.n_columns] = batch.support
    weights = np.ones((1, design.n_rows)) if batch.weights is None else batch.weights.T
    weight_of = np.zeros_like(batch.columns) if batch.weight_columns is None else batch.weight_columns
    found = Solution(
        start.copy(),
        np.zeros(n_problems),
        np.zeros(n_problems),
        np.zeros(n_problems, np.int64),
        np.zeros(n_problems, np.bool_),
    )
    targets, factors = batch.targets.T.astype(np.float64), dict[int, Array]()
    rows, stale, left = np.arange(n_problems), np.ones(n_problems, np.bool_), np.full(n_problems, more)
    z, y, cost = A.scores(start), targets[batch.columns], weights[weight_of] * batch.strengths[:, None]
    p, s, losses = _logistic(z, y, cost)
    while rows.size:
        W = found.coef[rows]
        gradient = (A.gradients(cost * (p - y)) + penalty * W) * used[rows]
        objective = losses + 0.5 * (penalty * W * W).sum(axis=1)
        some = stale[rows]
        factors.update(zip(rows[some].tolist(), _factors(A.values, s[some], penalty, used[rows[some]]), strict=True))
        step = -gradient
        for place, row in enumerate(rows.tolist()):
            step[place] = lapack.dpotrs(factors[row], step[place])[0]
        slope = np.einsum("ij,ij->i", gradient, step)
        promised = -0.5 * slope
        stale[rows] = promised > NEAR * objective
        change = A.scores(step)
        length, (p, s, losses) = _length(
            z, change, y, cost, slope, (penalty * W * step).sum(axis=1), (penalty * step * step).sum(axis=1)
        )
        found.coef[rows] = W + length[:, None] * step
        z = z + length[:, None] * change
        reached = promised <= tol * objective
        counted = ~found.converged[rows]
        found.n_iter[rows] += counted
        found.objective[rows] = np.where(counted, objective, found.objective[rows])
        found.converged[rows] |= reached
        left[rows] -= ~counted
        going = (promised > finest * objective) & np.where(
            found.converged[rows], left[rows] > 0, found.n_iter[rows] < max_iter
        )
        rows, z, y, cost = rows[going], z[going], y[going], cost[going]
        p, s, losses = p[going], s[going], losses[going]
    found.intercept[:] = found.coef[:, design.n_columns :].sum(axis=1)
    return Solution(found.coef[:, : design.n_columns], found.intercept, found.objective, found.n_iter, found.converged)


def _logistic(z: Array, y: Array, cost: Array) -> tuple[Array, Array, Floats]:
    """Return p, the IRLS weights cost p (1 - p), and the losses of every problem."""
    e = np.exp(-np.abs(z))
    share = 1.0 / (1.0 + e)
    p = np.where(z > 0, share, e * share)
    # Rows far on the wrong side seem not to bend; a share of the quadratic that bounds their loss [Jaakkola2000] does.
    bound = np.where((z > 0) == (y > 0), 0.0, BEND * (share - 0.5) / (np.abs(z) + 1e-30))
    return (
        p,
        cost * np.maximum(e * share * share, bound),
        (cost * (np.maximum(z, 0.0) - z * y - np.log(share))).sum(axis=1),
    )


def _factors(A: Array, irls_weights: Array, penalty: Floats, used: Floats) -> list[Array]:
    """Return Cholesky's factors of A' diag(s) A + penalty of every problem, of the identity off the columns it uses."""
    factors, alike = [], (irls_weights == irls_weights[:, :1]).all(axis=1)
    gram = A.T @ A if alike.any() else A
    for s, same, mask in zip(irls_weights, alike, used, strict=True):
        # NumPy sees that both factors are the same and computes one triangle only.
        scaled = A if same else A * np.sqrt(s)[:, None]
        hessian = gram * s[0] if same else scaled.T @ scaled
        if not mask.all():
            hessian *= mask
            hessian *= mask[:, None]
        diagonal = np.einsum("ii->i", hessian)
        # Rows that are all certain leave nothing of the Hessian but the penalty, and of the intercept nothing at all.
        lift = np.finfo(np.float64).eps * float(diagonal.mean()) + 1e-200
        diagonal += penalty + (1.0 - mask)
        factor, failed = lapack.dpotrf(hessian.T, clean=0)
        while failed:
            diagonal += lift
            lift *= 10.0
            factor, failed = lapack.dpotrf(hessian.T, clean=0)
        factors.append(factor)
    return factors


def _length(
    z: Array, change: Array, y: Array, cost: Array, slope: Floats, first: Floats, second: Floats
) -> tuple[Floats, tuple[Array, Array, Floats]]:
    """Return a length along each step at which little slope is left, and what `_logistic` says there."""
    length, low, high = np.ones(len(z)), np.zeros(len(z)), np.full(len(z), np.inf)
    there = _logistic(z + change, y, cost)
    for _ in range(MOST_TRIALS):
        p, s, _ = there
        now = np.einsum("ij,ij->i", cost * (p - y), change) + first + length * second
        steep = np.abs(now) > SLOPE_LEFT * np.abs(slope)
        if not steep.any():
            break
        bend = np.einsum("ij,ij,ij->i", s, change, change) + second
        length = np.where(steep, next_length(length, now, bend, low, high), length)
        there = _logistic(z + length[:, None] * change, y, cost)
    return length, there
