"""`LogisticPanel`: 16 logistic regressions in lanes side by side, each taking Newton steps of its own."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.learners._lanes import LANES
from plait.learners._logistic_kernels import along_line, inner, loss_rows, move
from plait.learners.jacobi_preconditioner import JacobiPreconditioner
from plait.learners.logistic_batch import Batch
from plait.learners.logistic_design import Design
from plait.learners.panel_conjugate_gradients import Newton, newton_directions
from plait.learners.panel_line_search import step_lengths

__all__ = ["LogisticPanel", "Precision"]

Floats = npt.NDArray[np.float64]
EMPTY = -1


class Precision:
    """Which floats the solver works with.

    Parameters
    ----------
    name : {"auto", "float32", "float64"}
        With "auto" gradients, scores and coefficients are float64 and the Newton systems float32: errors of the
        systems cost a step at most, never accuracy.
    """

    def __init__(self, name: str) -> None:
        self.exact: Any = np.dtype(np.float32 if name == "float32" else np.float64)
        self.work: Any = np.dtype(np.float64 if name == "float64" else np.float32)

    @property
    def least_tol(self) -> float:
        """Relative decrease of the objective below which rounding decides."""
        return float(8 * np.finfo(self.exact).eps)

    @property
    def least_ratio(self) -> float:
        """How far conjugate gradients can usefully reduce a residual."""
        return 1e-3 if self.work == np.float32 else 1e-8


class LogisticPanel:
    """Lanes that hold problems of a batch; a lane that is done can be loaded with the next problem.

    Parameters
    ----------
    design : Design
        The shared matrix.
    batch : Batch
        The problems.
    precision : Precision
        Kinds of floats.
    tol : float
        A lane is done when its Newton step promised to lower the objective by less than this share.
    """

    def __init__(self, design: Design, batch: Batch, precision: Precision, tol: float) -> None:
        rows, columns = (design.n_rows, LANES), (design.n_columns, LANES)
        self.design, self.batch, self.precision = design, batch, precision
        self.tol = max(tol, precision.least_tol)
        self.problems = np.full(LANES, EMPTY)
        self.n_iter = np.zeros(LANES, dtype=np.int64)
        self.objective, self.intercepts = np.zeros(LANES), np.zeros(LANES)
        self.W, self._gradient = (np.zeros(columns, precision.exact) for _ in range(2))
        self._scores, self._residuals = (np.zeros(rows, precision.exact) for _ in range(2))
        self._targets = np.zeros(rows, np.float32)
        self._cost = np.zeros(rows if batch.weights is not None else (1, LANES))
        self._curvature = np.zeros(rows, precision.work)
        self._means = np.zeros(columns, precision.work)
        self._allowed = None if batch.support is None else np.zeros(columns, precision.work)
        self._preconditioner = JacobiPreconditioner(design)

    def load(self, lanes: npt.NDArray[np.int64], problems: npt.NDArray[np.int64]) -> None:
        """Put problems into lanes; EMPTY clears a lane."""
        for lane, problem in zip(lanes, problems, strict=True):
            self.problems[lane], self.n_iter[lane] = problem, 0
            self.W[:, lane], self.intercepts[lane] = 0, 0
            self._targets[:, lane], self._cost[:, lane] = 0, 0
            if problem != EMPTY:
                self._fill(int(lane), int(problem))
        if self.batch.start is None:
            self._scores[:, lanes] = self.intercepts[lanes]
        else:
            scores = np.empty_like(self._scores)
            self.design.forward(self.W, scores)
            self._scores[:, lanes] = scores[:, lanes] + self.intercepts[lanes]

    def _fill(self, lane: int, problem: int) -> None:
        batch = self.batch
        self._targets[:, lane] = batch.target(problem)
        self._cost[:, lane] = batch.cost(problem)
        if self._allowed is not None and batch.support is not None:
            self._allowed[:, lane] = batch.support[problem]
        if batch.start is not None:
            self.W[:, lane], self.intercepts[lane] = batch.start[0][problem], batch.start[1][problem]
            if batch.support is not None:
                self.W[:, lane] *= batch.support[problem]
        elif self.design.fit_intercept:
            self.intercepts[lane] = _log_odds(batch.target(problem), batch.cost(problem))

    def step(self) -> npt.NDArray[np.bool_]:
        """Take one Newton step in every lane and say which lanes are done."""
        system, slope, intercept_gain = self._system()
        floor = np.where(self.problems == EMPTY, np.inf, 0.4 * self.tol * self.objective)
        relative = np.clip(np.sqrt(self._energy(system) / np.maximum(self.objective, 1e-300)), 0, 0.3)
        relative = np.maximum(relative, self.precision.least_ratio)
        x, gain, _ = newton_directions(self.design, system, self._preconditioner, relative, floor, most=250)
        self._walk(x.astype(self.precision.exact), slope, system.inverse_bend)
        self.n_iter += self.problems != EMPTY
        return (gain + intercept_gain <= self.tol * self.objective) & (self.problems != EMPTY)

    def _energy(self, system: Newton) -> Floats:
        conditioned, energy = np.empty_like(system.rhs), np.zeros((1, LANES))
        self._preconditioner.apply(system.rhs, conditioned)
        inner(system.rhs, conditioned, energy)
        return energy[0]

    def _system(self) -> tuple[Newton, Floats, Floats]:
        """Return the Newton systems at the current coefficients, the slopes of intercepts, and what these can gain."""
        sums = np.zeros((3, LANES))
        loss_rows(self._scores, self._targets, self._cost, self._residuals, self._curvature, sums)
        loss, slope, bend = sums
        self.design.backward(self._residuals, self._gradient)
        move(self._gradient, self.W, np.ones((1, LANES)))
        self.objective = loss + 0.5 * self._columns_inner(self.W, self.W)
        inverse_bend = np.divide(1.0, bend, out=np.zeros(LANES), where=bend > 1e-290)
        if not self.design.fit_intercept:
            inverse_bend[:] = 0
        self.design.backward(self._curvature, self._means)
        self._preconditioner.refresh(self._curvature, self._means, inverse_bend, self._allowed)
        rhs = (self._means * (slope * inverse_bend) - self._gradient).astype(self.precision.work)
        system = Newton(self._curvature, self._means, inverse_bend, np.ascontiguousarray(rhs))
        return system, slope, 0.5 * slope**2 * inverse_bend

    def _walk(self, x: npt.NDArray[Any], slope: Floats, inverse_bend: Floats) -> None:
        """Move along the Newton steps x as far as it pays."""
        change = -(slope + self._columns_inner(self._means, x)) * inverse_bend
        direction = self._residuals
        self.design.forward(x, direction)
        direction += change.astype(direction.dtype)
        crossed, squared = self._columns_inner(self.W, x), self._columns_inner(x, x)
        first = self._columns_inner(self._gradient, x) + slope * change
        sums = np.zeros((2, LANES))

        def slopes(lengths: Floats) -> tuple[Floats, Floats]:
            along_line(self._scores, direction, self._targets, self._cost, lengths[None], sums)
            return sums[0] + crossed + lengths * squared, sums[1] + squared

        lengths = step_lengths(slopes, first, self.problems != EMPTY)
        move(self.W, x, lengths[None])
        move(self._scores, direction, lengths[None])
        self.intercepts += lengths * change

    @staticmethod
    def _columns_inner(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Floats:
        out = np.zeros((1, LANES))
        inner(left, right, out)
        return out[0]


def _log_odds(target: npt.NDArray[Any], cost: Floats | float) -> float:
    """Return the log-odds of the weighted share of ones: the best intercept without any column."""
    ones = float((target * cost).sum())
    zeros = float(((1.0 - target) * cost).sum())
    return float(np.log(ones) - np.log(zeros)) if ones > 0 and zeros > 0 else 0.0
