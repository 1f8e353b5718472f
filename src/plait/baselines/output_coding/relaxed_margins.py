"""The metric with the largest margins where competitors are all vectors of [0, 1]: a smooth problem in their flips.

With u_i in [0, 1] how far each label of row i is flipped, d_i = s_i u_i the flips with their direction and r_i the
predicted minus the true labels, the relaxed encoding problem is the saddle point

    min over Q >= 0, max over u of   C mean_i sum_j u_ij + <Q, K(u)>,
    K(u) = I / 2 + C mean_i (r_i d_i' + d_i r_i' - d_i d_i'),

concave in u since a mean of competitors competes better than they do; Q is the multiplier of K(u) >= 0.
"""

from typing import NamedTuple

import numpy as np

from plait.baselines.output_coding.margin_metric import MarginMetric, semidefinite_part
from plait.core.arrays import Floats
from plait.core.parallel import one_blas_thread

__all__ = ["relaxed_metric"]


_INNER_STEPS = 100
_STILL = 1e-8
_FIRST_REACH, _STRETCH = 1.0, 1.2


class _Rows(NamedTuple):
    """The rows: r, s, shares of the total weight, and C."""

    residuals: Floats
    signs: Floats
    shares: Floats
    C: float

    def constraint(self, flips: Floats) -> Floats:
        """Return K(u)."""
        moved = self.signs * flips
        crossed = (self.shares[:, None] * self.residuals).T @ moved
        scatter = (self.shares[:, None] * moved).T @ moved
        return 0.5 * np.eye(moved.shape[1]) + self.C * (crossed + crossed.T - scatter)

    def gain(self, flips: Floats) -> float:
        """Return C mean sum u."""
        return self.C * float(self.shares @ flips.sum(axis=1))

    def slopes(self, metric: Floats, flips: Floats) -> Floats:
        """Return the derivative of the violation in every flip."""
        return 1.0 + 2.0 * self.signs * ((self.residuals - self.signs * flips) @ metric)


def relaxed_metric(
    residuals: Floats, signs: Floats, shares: Floats, C: float, tol: float, max_iter: int
) -> MarginMetric:
    """Return Q with the least trace(Q) / 2 + C times the mean violation, over relaxed competitors.

    Augmented Lagrangian: flips are raised against a quadratic penalty of K(u) >= 0, then Q is brought up to date. The
    objective that is returned is proved to be no lower than the true one at Q, and `lower_bound` to be below all; it
    ends when they differ by less than `tol` times the objective.

    Parameters
    ----------
    residuals, signs : ndarray of float64, shape (n_rows, n_labels)
        r and s.
    shares : ndarray of float64, shape (n_rows,)
        Weights of rows that sum to 1.
    C : float
        Weight of the violations against the trace.
    tol : float
        The relative gap at which it ends.
    max_iter : int
        Most updates of Q.
    """
    with one_blas_thread():
        return _saddle_point(_Rows(residuals, signs, shares, C), tol, max_iter)


def _saddle_point(rows: _Rows, tol: float, max_iter: int) -> MarginMetric:
    signs = rows.signs
    flips, metric, reach, step = np.full(signs.shape, 0.5), np.zeros((signs.shape[1],) * 2), _FIRST_REACH, 1.0
    best, lower = MarginMetric(metric, np.inf, 0.0, 0, False), 0.0
    for n_iter in range(1, max_iter + 1):
        flips, step = _raised(rows, metric, reach, flips, step)
        metric = semidefinite_part(metric - reach * rows.constraint(flips))
        lower = max(lower, _bound_below(rows, flips))
        value = _bound_above(rows, metric, flips)
        if value < best.objective:
            best = MarginMetric(metric, value, lower, n_iter, False)
        if best.objective - lower <= tol * best.objective:
            return best._replace(lower_bound=lower, n_cuts=n_iter, converged=True)
        reach *= _STRETCH
    return best._replace(lower_bound=lower, n_cuts=max_iter)


def _raised(rows: _Rows, metric: Floats, reach: float, flips: Floats, step: float) -> tuple[Floats, float]:
    """Return flips that are better for the penalised problem, by accelerated projected gradients, and the step size."""

    def penalised(u: Floats) -> tuple[float, Floats]:
        pulled = semidefinite_part(metric - reach * rows.constraint(u))
        return float((pulled**2).sum()) / (2.0 * reach) - rows.gain(u), pulled

    ahead, pace = flips, 1.0
    value, pulled = penalised(ahead)
    for _ in range(_INNER_STEPS):
        slopes = rows.slopes(pulled, ahead)
        while True:
            found = np.clip(ahead + step * slopes, 0.0, 1.0)
            moved = found - ahead
            rise = rows.C * float(rows.shares @ (slopes * moved - moved**2 / (2.0 * step)).sum(axis=1))
            if penalised(found)[0] <= value - rise + 1e-12 * abs(value):
                break
            step *= 0.5
        if rows.shares @ ((ahead - found) * (found - flips)).sum(axis=1) > 0:
            pace = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * pace**2))
        still = np.abs(found - flips).max() <= _STILL
        ahead, flips, pace = np.clip(found + (pace - 1.0) / faster * (found - flips), 0.0, 1.0), found, faster
        if still:
            break
        value, pulled = penalised(ahead)
        step *= 1.1
    return flips, step


def _bound_above(rows: _Rows, metric: Floats, flips: Floats) -> float:
    """Return a number that the objective at Q is not above: a concave function is below its tangent."""
    slopes = rows.slopes(metric, flips)
    further = np.maximum(-flips * slopes, (1.0 - flips) * slopes).sum(axis=1)
    return rows.gain(flips) + float((metric * rows.constraint(flips)).sum()) + rows.C * float(rows.shares @ further)


def _bound_below(rows: _Rows, flips: Floats) -> float:
    """Return a number that no objective is below: the gain of flips that are small enough for K(u) >= 0."""
    least = float(np.linalg.eigvalsh(rows.constraint(flips))[0])
    # K is concave and I / 2 where nothing is flipped, so a share of the flips keeps at least that share of K.
    share = 1.0 if least >= 0.0 else 0.5 / (0.5 - least)
    return share * rows.gain(flips)
