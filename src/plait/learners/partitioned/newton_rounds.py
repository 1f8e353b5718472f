"""Newton's method with conjugate gradients for many labels whose rows lie in parts: all labels of a panel in lock step.

A round is one sum over all parts. A step takes one round for the derivatives, some for conjugate gradients, and one for
the length; labels that are solved leave the panel and others take their places.
"""

from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Bools, Floats, Ints
from plait.core.progress_bar import progress
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.partitioned.part_sums import Parts
from plait.learners.partitioned.row_part import LENGTHS, Panel, curvature, derivatives, losses_along

__all__ = ["PartedProblem", "solve_in_rounds"]

# Conjugate gradients stop when what is left to gain is this share of the tolerance.
_SPARE = 0.05
# A quadratic model that promises more than this share of the objective is not to be trusted further.
_TRUSTED = 0.5
_MOST_DIRECTIONS = 200
# Bytes that a label of a panel takes for a column of the design, and for a row of those held at a time.
_A_COLUMN, _A_ROW = 96, 64
_ROWS_HELD = 1 << 14
# Bytes that a panel may take.
PANEL_BYTES = 1 << 29


@dataclass(frozen=True, eq=False)
class PartedProblem:
    """Logistic regressions over one design in parts.

    Parameters
    ----------
    parts : Parts
        The rows.
    scales : ndarray of shape (n_columns,)
        What columns of the design are divided by.
    parents : ndarray of int
        Labels that are the last columns of the design.
    cost : ndarray of shape (2, n_problems)
        C times the weight of a row without the label, and with it.
    labels : ndarray of int
        The label of each problem.
    log_odds : ndarray of shape (n_problems,)
        Where intercepts start.
    support : ndarray of bool, shape (n_problems, n_columns), or None
        Which columns each problem may use.
    gram : ndarray of shape (n_columns, n_columns), or None
        Covariances of the scaled columns, of few dense columns: a better preconditioner than their diagonal.
    fit_intercept : bool
        Whether there are intercepts.
    """

    parts: Parts
    scales: Floats
    parents: Ints
    cost: Floats
    labels: Ints
    log_odds: Floats
    support: Bools | None
    gram: Floats | None
    fit_intercept: bool

    @property
    def width(self) -> int:
        """How many labels a panel holds."""
        each = _A_COLUMN * len(self.scales) + _A_ROW * _ROWS_HELD
        return int(np.clip(PANEL_BYTES // each, 1, len(self.labels)))


def solve_in_rounds(problem: PartedProblem, start: Solution | None, *, tol: float, max_iter: int) -> Solution:
    """Return the solutions; `start` and what is returned are in units of the scaled design."""
    n_problems, n_columns = len(problem.labels), len(problem.scales)
    found = Solution.empty(n_problems, n_columns)
    found.coef[:], found.intercept[:], found.converged[:], found.n_iter[:] = 0.0, problem.log_odds, False, 0
    if start is not None:
        found.coef[:], found.intercept[:] = start.coef, start.intercept
    if not problem.fit_intercept:
        found.intercept[:] = 0.0
    rounds = _Rounds(problem, found, tol)
    waiting, active = list(range(n_problems)), np.zeros(0, dtype=np.int64)
    # One more, as a bar counts an item when the next one is asked for.
    bar = progress(range(n_problems + 1), "labels", total=n_problems)
    next(bar)
    while waiting or active.size:
        n_free = problem.width - active.size
        active = np.concatenate([active, np.array(waiting[:n_free], dtype=np.int64)])
        waiting = waiting[n_free:]
        done = rounds.step(active)
        found.n_iter[active] += 1
        found.converged[active] = done
        leaving = done | (found.n_iter[active] >= max_iter)
        for _ in range(int(leaving.sum())):
            next(bar)
        active = active[~leaving]
    next(bar, None)
    return found


class _Rounds:
    """Steps of some problems at a time."""

    def __init__(self, problem: PartedProblem, found: Solution, tol: float) -> None:
        self.problem, self.found, self.tol, self._number = problem, found, tol, 0
        if problem.gram is not None:
            self._levels, self._turn = np.linalg.eigh(problem.gram)
            self._levels = np.maximum(self._levels, 0.0)

    def step(self, active: Ints) -> Bools:
        """Take a Newton step of some problems and say which are solved."""
        problem, scales, found = self.problem, self.problem.scales[:, None], self.found
        self._number += 1
        W, b = found.coef[active].T, found.intercept[active]
        cost = np.ascontiguousarray(problem.cost[:, active])
        panel = Panel(self._number, problem.labels[active], problem.parents, W / scales, b, cost)
        loss, slope, bend, gradient, means, squares = problem.parts.total(derivatives, panel)
        gradient, means, squares = gradient / scales + W, means / scales, squares / scales**2
        found.objective[active] = loss + 0.5 * np.square(W).sum(axis=0)
        inverse_bend = np.zeros_like(bend)
        if problem.fit_intercept:
            np.divide(1.0, bend, out=inverse_bend, where=bend > 1e-290)
        slope = slope * (inverse_bend > 0)
        allowed = None if problem.support is None else problem.support[active].T
        diagonal = 1.0 / (1.0 + np.maximum(squares - np.square(means) * inverse_bend, 0.0))
        system = _System(panel, means, inverse_bend, diagonal, bend, allowed)
        x, gain = self._directions(system, means * (slope * inverse_bend) - gradient, found.objective[active])
        change = -(slope + (means * x).sum(axis=0)) * inverse_bend
        (losses,) = problem.parts.total(losses_along, panel, x / scales, change)
        whole = losses + 0.5 * np.array([np.square(W + length * x).sum(axis=0) for length in LENGTHS])
        best = whole.argmin(axis=0)
        found.coef[active] = (W + LENGTHS[best] * x).T
        found.intercept[active] = b + LENGTHS[best] * change
        found.objective[active] = whole[best, np.arange(len(active))]
        promised = gain + 0.5 * np.square(slope) * inverse_bend
        return np.asarray((promised <= self.tol * found.objective[active]) | (best == 0))

    def _directions(self, system: "_System", rhs: Floats, objective: Floats) -> tuple[Floats, Floats]:
        """Return Newton's directions by conjugate gradients, and what they promise to gain."""
        x, r, gain = np.zeros_like(rhs), rhs.copy(), np.zeros(rhs.shape[1])
        every = np.arange(rhs.shape[1])
        direction = self._conditioned(system, r, every)
        energy = (r * direction).sum(axis=0)
        share = np.clip(np.sqrt(energy / objective), 1e-4, 0.3)
        goal = np.maximum(share**2 * energy, _SPARE * self.tol * objective)
        running = every[energy > goal]
        for _ in range(_MOST_DIRECTIONS):
            if not running.size:
                break
            P = np.ascontiguousarray(direction[:, running])
            scales = self.problem.scales[:, None]
            Q, linear, square = self.problem.parts.total(curvature, system.panel, running, P / scales)
            bent = linear * system.inverse_bend[running]
            length = energy[running] / (square + np.square(P).sum(axis=0) - linear * bent)
            x[:, running] += length * P
            r[:, running] -= length * (Q / scales + P - system.means[:, running] * bent)
            gain[running] += 0.5 * length * energy[running]
            conditioned = self._conditioned(system, r[:, running], running)
            fresh = (r[:, running] * conditioned).sum(axis=0)
            direction[:, running] = conditioned + P * (fresh / energy[running])
            energy[running] = fresh
            running = running[(fresh > goal[running]) & (gain[running] < _TRUSTED * objective[running])]
        return x, gain

    def _conditioned(self, system: "_System", residual: Floats, problems: Ints) -> Floats:
        """Return the preconditioned residual of some problems."""
        allowed = None if system.allowed is None else system.allowed[:, problems]
        if self.problem.gram is None:
            found = system.diagonal[:, problems] * residual
        else:
            inside = residual if allowed is None else residual * allowed
            # The mean curvature stands for that of all rows.
            level = 1.0 + self._levels[:, None] * system.bend[problems]
            found = self._turn @ ((self._turn.T @ inside) / level)
        return found if allowed is None else found * allowed


class _System:
    """Newton's systems of a panel."""

    def __init__(
        self, panel: Panel, means: Floats, inverse_bend: Floats, diagonal: Floats, bend: Floats, allowed: Bools | None
    ) -> None:
        self.panel, self.means, self.inverse_bend, self.diagonal = panel, means, inverse_bend, diagonal
        self.bend, self.allowed = bend, allowed
