"""Near the optimum at half the cost: a quasi-Newton method with limited memory for panels of dense problems.

A Newton system takes two passes over the matrix for every step of conjugate gradients, and three to set it up; a step
of the quasi-Newton method [Nocedal1980] takes two in all. With the inverse of I + s A'A to start from, s the mean
second derivative of the label, it needs few steps. All of it is float32: what is left to gain is a matter for Newton.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.learners.logistic._lanes import LANES, NARROW, WIDTHS
from plait.learners.logistic._quasi_newton_kernels import first_half, remember, second_half, walk_rows
from plait.learners.logistic.logistic_batch import Batch
from plait.learners.logistic.newton_preconditioner import LevelPreconditioner
from plait.learners.logistic.panel_memory import zero_panel

__all__ = ["approached"]


KIND = np.float32

# Pairs of a step and its change of the gradient that are remembered.
_MEMORY = 10

# A label that needs more steps than this is left to Newton's method.
_MOST = 50

# How far to go: steps that promise less than this share of what the tolerance allows are not taken. Below the least
# share of the objective float32 would decide.
_SHARE = 0.1
_LEAST = 1e-9

_TINY = float(np.finfo(KIND).tiny)

# The slope along a step has to fall to this share.
_FALL = 0.5


def approached(
    batch: Batch, preconditioner: LevelPreconditioner, queue: list[int], tol: float, max_iter: int
) -> tuple[Floats, Floats, Ints]:
    """Return coefficients and intercepts near the optimum, in units of the design, and how many steps they took."""
    n_problems = batch.n_problems
    coef, intercept = np.zeros((n_problems, preconditioner.design.n_columns)), np.zeros(n_problems)
    n_iter = np.zeros(n_problems, dtype=np.int64)
    for start in range(0, len(queue), LANES):
        problems = np.array(queue[start : start + LANES])
        panel = QuasiNewtonPanel(batch, preconditioner, problems)
        panel.run(max(_SHARE * tol, _LEAST), min(_MOST, max_iter - 1))
        lanes = slice(0, len(problems))
        coef[problems], intercept[problems] = panel.W[:, lanes].T, panel.intercepts[lanes]
        n_iter[problems] = panel.n_iter[lanes]
    return coef, intercept, n_iter


class QuasiNewtonPanel:
    """Some problems of a batch, side by side.

    Parameters
    ----------
    batch : Batch
        The problems; where they start is not looked at.
    preconditioner : LevelPreconditioner
        Holds the shared matrix and the inverses to start from.
    problems : ndarray of int
        At most 16 of them.
    """

    def __init__(self, batch: Batch, preconditioner: LevelPreconditioner, problems: Ints) -> None:
        self.design, self._preconditioner = preconditioner.design, preconditioner
        n_lanes = NARROW if len(problems) <= NARROW else LANES
        rows, columns = (self.design.n_rows, n_lanes), (self.design.n_columns, n_lanes)
        self._width = WIDTHS[n_lanes]
        self._targets, self._cost, self._allowed = batch.panels(problems, n_lanes)
        self.intercepts = np.zeros(n_lanes)
        if self.design.fit_intercept:
            self.intercepts = _log_odds(self._targets, self._cost)
        self.n_iter, self._penalty = np.zeros(n_lanes, dtype=np.int64), np.zeros(n_lanes)
        self._running = np.arange(n_lanes) < len(problems)
        self.W, self._gradient, self._product, self._turned = (zero_panel(columns, KIND) for _ in range(4))
        self._scores, self._along, self._residuals = (zero_panel(rows, KIND) for _ in range(3))
        self._scores += self.intercepts.astype(KIND)
        self._sums, self._dots, self._shares = (np.zeros((n, n_lanes)) for n in (5, 3, _MEMORY))
        self._lengths, self._change, self._level_gradient, self._bent = (np.zeros((1, n_lanes)) for _ in range(4))
        pairs, levels = (_MEMORY * columns[0], n_lanes), (_MEMORY, n_lanes)
        shapes = ((pairs, KIND), (pairs, KIND), (levels, float), (levels, float), (levels, float))
        self._past: tuple[npt.NDArray[Any], ...] = tuple(zero_panel(*shape) for shape in shapes)
        self._taken = 0

    def run(self, tol: float, max_iter: int) -> None:
        """Take steps until they promise to lower the objective by less than the share `tol`."""
        panels = (self._scores, self._along, self._change, self._targets, self._cost, self._dots)
        nowhere = (np.zeros_like(self.intercepts), np.zeros_like(self._running))
        walk_rows(*panels, *nowhere, self._lengths, self._residuals, self._sums, self._width)
        self.design.backward(self._residuals, self._gradient)
        if self._allowed is not None:
            self._gradient *= self._allowed
        self._level_gradient = self._sums[2:3] * self.design.fit_intercept
        for _ in range(max_iter):
            direction = self._direction()
            first = self._dots[0] + self._level_gradient[0] * self._change[0]
            self._running &= -0.5 * first > tol * (self._sums[4] + self._penalty)
            if not self._running.any():
                break
            self.design.forward(direction, self._along)
            walk_rows(*panels, -_FALL * first, self._running, self._lengths, self._residuals, self._sums, self._width)
            lengths = self._lengths[0]
            self._penalty += lengths * (self._dots[1] + 0.5 * lengths * self._dots[2])
            self.n_iter += self._running
            self._end(direction)

    def _end(self, direction: npt.NDArray[Any]) -> None:
        """Take the gradient where the step ends, and remember how step and gradient changed."""
        steps, changes, level_steps, level_changes, inverse = self._past
        place = self._taken % _MEMORY
        self.design.backward(self._residuals, self._product)
        if self._allowed is not None:
            self._product *= self._allowed
        panels = (self.W, direction, self._lengths, self._product, self._gradient, steps, changes)
        remember(place, *panels, self._bent, self._width)
        before, self._level_gradient = self._level_gradient, self._sums[2:3] * self.design.fit_intercept
        level_steps[place] = self._lengths * self._change
        level_changes[place] = self._level_gradient - before
        self.intercepts += level_steps[place]
        bent = self._bent[0] + level_steps[place] * level_changes[place]
        # A lane that rests has no pair; nor has one whose change is lost in rounding.
        inverse[place] = np.divide(1.0, bent, out=np.zeros_like(bent), where=bent > _TINY)
        self._taken += 1

    def _direction(self) -> npt.NDArray[Any]:
        """Return minus the approximate inverse Hessian times the gradient; `_change` is that of the intercepts."""
        b, bend = -self._level_gradient, self._sums[3]
        first_half(self._taken, self._gradient, self._past, self._turned, b, self._shares, self._width)
        direction = self._preconditioner.rough(bend / self.design.n_rows, self._turned, self._allowed)
        b[0] = np.divide(b[0], bend, out=np.zeros_like(bend), where=bend > 0)
        panels = (self._gradient, self.W, self._past, direction, b, self._shares, self._dots)
        second_half(self._taken, *panels, self._width)
        np.multiply(b, self.design.fit_intercept, out=self._change)
        return direction


def _log_odds(targets: npt.NDArray[Any], cost: Floats) -> Floats:
    """Return the best intercepts without any column; 0 in empty lanes."""
    ones = np.einsum("ij,ij->j", targets, np.broadcast_to(cost, targets.shape), dtype=np.float64)
    zeros = np.einsum("ij,ij->j", 1 - targets, np.broadcast_to(cost, targets.shape), dtype=np.float64)
    known = (ones > 0) & (zeros > 0)
    return np.log(np.where(known, ones, 1.0)) - np.log(np.where(known, zeros, 1.0))
