"""`NewtonBlock`: 8 or 16 logistic regressions in lanes side by side, each taking Newton steps of its own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.learners.logistic.conjugate_gradients import NewtonSystems
from plait.learners.logistic.logistic_batch import Batch
from plait.learners.logistic.logistic_design import WIDTHS, SparseDesign, zero_block
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner, HeavyRows

__all__ = ["EMPTY", "NewtonBlock", "Precision", "step_lengths"]


class Precision:
    """Kinds of floats.

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


Slopes = Callable[[Floats], tuple[Floats, Floats]]

# A step is long enough when the slope along it has fallen to this share; Newton steps near the optimum have length 1.
_FALL = 0.3
_MOST = 30


def step_lengths(slopes: Slopes, first_slope: Floats, running: npt.NDArray[np.bool_]) -> Floats:
    """Return step lengths, 0 where `running` is False or where the first slope is not negative.

    `slopes(lengths)` gives first and second derivatives of the objectives at these lengths. The objectives are convex,
    so a root of the slope is bracketed as soon as one positive slope was seen; Newton's method stays in the bracket.
    """
    running = running & (first_slope < 0)
    lengths = np.where(running, 1.0, 0.0)
    low, high = np.zeros_like(lengths), np.full_like(lengths, np.inf)
    for _ in range(_MOST):
        slope, bend = slopes(lengths)
        if not _kernels.next_lengths(slope, bend, _FALL * np.abs(first_slope), low, high, lengths, running):
            break
    return lengths


_kernels = lazy_module("plait.learners.logistic._logistic_kernels")


EMPTY = -1

# A quadratic model that promises to lower the objective by more than this share is not to be trusted further.
_TRUSTED = 0.5

# By how much less a hard lane has to promise.
_DOUBT = 0.3

# How far the length of a step may be from 1 for its promise to be believed.
_MODEST = 0.3

# Second derivatives are taken as they are once a step promises less than this share: the optimum is near.
_NEAR = 0.03


class NewtonBlock:
    """Lanes that hold problems of a batch; a lane that is done can be loaded with the next problem.

    Parameters
    ----------
    design : SparseDesign
        The shared matrix.
    batch : Batch
        The problems.
    preconditioner : DiagonalPreconditioner
        For the Newton systems.
    precision : Precision
        Kinds of floats.
    tol : float
        A lane is done when its Newton step promised to lower the objective by less than this share.
    n_lanes : int
        8 or 16.
    """

    def __init__(
        self,
        design: SparseDesign,
        batch: Batch,
        preconditioner: DiagonalPreconditioner,
        precision: Precision,
        tol: float,
        n_lanes: int,
    ) -> None:
        rows, columns = (design.n_rows, n_lanes), (design.n_columns, n_lanes)
        self.n_lanes, self._width = n_lanes, WIDTHS[n_lanes]
        self.design, self.batch, self.precision = design, batch, precision
        self.tol = max(tol, precision.least_tol)
        self.problems = np.full(n_lanes, EMPTY)
        self.n_iter, self._taken = np.zeros(n_lanes, dtype=np.int64), np.zeros(n_lanes, dtype=np.int64)
        self.objective, self.intercepts, self._slope, self._bounded = (np.zeros(n_lanes) for _ in range(4))
        self.W, self._gradient = (zero_block(columns, precision.exact) for _ in range(2))
        self._scores, self._residuals = (zero_block(rows, precision.exact) for _ in range(2))
        self._targets = zero_block(rows, np.float32)
        self._cost = np.zeros(rows if batch.weights is not None else (1, n_lanes))
        self._allowed = None if batch.support is None else np.zeros(columns, precision.work)
        self._preconditioner = preconditioner
        self._curvature, self._means = zero_block(rows, precision.work), zero_block(columns, precision.work)

    @property
    def held(self) -> Ints:
        """Lanes that hold a problem."""
        return np.flatnonzero(self.problems != EMPTY)

    @property
    def free(self) -> Ints:
        """Lanes that hold nothing."""
        return np.flatnonzero(self.problems == EMPTY)

    def load(self, lanes: Ints, problems: list[int]) -> None:
        """Put problems into lanes."""
        for lane, problem in zip(lanes, problems, strict=True):
            self._fill(int(lane), problem)
        if self.batch.start is None:
            self._scores[:, lanes] = self.intercepts[lanes]
        else:
            scores = np.empty_like(self._scores)
            self.design.forward(self.W, scores)
            self._scores[:, lanes] = scores[:, lanes] + self.intercepts[lanes]

    def _fill(self, lane: int, problem: int) -> None:
        batch = self.batch
        self.problems[lane], self.n_iter[lane], self._bounded[lane] = problem, 0, batch.start is None
        self._taken[lane] = 0
        if batch.taken is not None:
            self.n_iter[lane] = batch.taken[problem]
        self.W[:, lane], self.intercepts[lane] = 0, 0
        self._targets[:, lane] = batch.target(problem)
        self._cost[:, lane] = batch.cost(problem)
        if self._allowed is not None:
            self._allowed[:, lane] = batch.mask(problem)
        if batch.start is not None:
            self.W[:, lane], self.intercepts[lane] = batch.start_of(problem), batch.start[1][problem]
        elif self.design.fit_intercept:
            self.intercepts[lane] = _log_odds(batch.target(problem), batch.cost(problem))

    def clear(self, lanes: Ints) -> None:
        """Empty lanes: nothing costs anything there, so all numbers stay zero."""
        self.problems[lanes] = EMPTY
        self.intercepts[lanes] = 0
        for block in (self.W, self._scores, self._targets, self._cost):
            block[:, lanes] = 0

    def adopt(self, lanes: Ints, other: "NewtonBlock", theirs: Ints) -> None:
        """Move problems from lanes of another block to free lanes of this one."""
        for name in ("W", "_scores", "_targets", "_cost", "_allowed"):
            if getattr(self, name) is not None:
                _kernels.copy_lanes(getattr(other, name), theirs, getattr(self, name), lanes)
        for name in ("problems", "n_iter", "_taken", "intercepts", "_bounded"):
            getattr(self, name)[lanes] = getattr(other, name)[theirs]
        other.clear(theirs)

    def systems(self) -> NewtonSystems:
        """Return the Newton systems at the current coefficients."""
        self._opened = self.problems != EMPTY
        sums = np.zeros((3, self.n_lanes))
        rows = (self._scores, self._targets, self._cost, self._bounded[None], self._residuals, self._curvature)
        _kernels.loss_rows(*rows, sums, self._width)
        loss, self._slope, bend = sums
        self.design.backward(self._residuals, self._gradient)
        _kernels.move(self._gradient, self.W, np.ones((1, self.n_lanes)), self._width)
        self.objective = loss + 0.5 * _inner(self.W, self.W)
        inverse_bend = np.zeros(self.n_lanes)
        if self.design.fit_intercept:
            np.divide(1.0, bend, out=inverse_bend, where=bend > 1e-290)
        self.design.backward(self._curvature, self._means)
        inverse = self._preconditioner.inverse(self._curvature, self._means, inverse_bend, self._allowed)
        rhs = (self._means * (self._slope * inverse_bend) - self._gradient).astype(self.precision.work)
        hard = self._opened & (self._bounded == 0) & self._hard
        heavy = self._preconditioner.heavy(self._curvature, self._means, inverse_bend, inverse, np.flatnonzero(hard))
        energy = self._energy(rhs, inverse, heavy)
        x = np.zeros_like(rhs)
        self._systems = NewtonSystems(
            self._curvature,
            self._means,
            rhs,
            inverse,
            x,
            inverse_bend,
            energy,
            self._goal(energy),
            _TRUSTED * self.objective,
            np.zeros(self.n_lanes),
            np.zeros(self.n_lanes, dtype=np.int64),
            heavy,
        )
        return self._systems

    @property
    def _hard(self) -> npt.NDArray[np.bool_]:
        """Which lanes needed so many steps of conjugate gradients that heavy rows are suspected."""
        patience = self._preconditioner.patience
        return self._taken >= patience if patience else np.zeros(self.n_lanes, dtype=np.bool_)

    @property
    def _least_gain(self) -> Floats:
        """Which gain is small enough to stop; far less in hard lanes, where predictions were too good."""
        return np.asarray(self.tol * np.where(self._hard, _DOUBT, 1.0) * self.objective)

    def _energy(self, rhs: npt.NDArray[Any], inverse: npt.NDArray[Any], heavy: dict[int, HeavyRows]) -> Floats:
        """Return rhs' M^-1 rhs of every lane."""
        conditioned = self._preconditioner.conditioned(rhs, inverse)
        for lane, rows in heavy.items():
            rows.correct(conditioned, lane)
        return _inner(rhs, conditioned)

    def _goal(self, energy: Floats) -> Floats:
        """Return how small r' M^-1 r, about twice what is left to gain, has to become: less and less near the end."""
        objective = np.maximum(self.objective, 1e-300)
        relative = np.clip(np.sqrt(energy / objective), self.precision.least_ratio, 0.3)
        return np.asarray(np.maximum(relative**2 * energy, self._preconditioner.spare * self._least_gain))

    def walk(self) -> npt.NDArray[np.bool_]:
        """Move along the solutions of the systems as far as it pays, and say which lanes are done.

        Lanes loaded after `systems` was called have no system yet and stay where they are.
        """
        x = self._systems.x.astype(self.precision.exact)
        inverse_bend, slope = self._systems.inverse_bend, self._slope
        change = -(slope + _inner(self._means, x)) * inverse_bend
        direction = self._residuals
        if x.any():
            self.design.forward(x, direction)
        else:
            direction[:] = 0
        direction += change.astype(direction.dtype)
        crossed, squared = _inner(self.W, x), _inner(x, x)
        first = _inner(self._gradient, x) + slope * change
        sums = np.zeros((2, self.n_lanes))

        def slopes(lengths: Floats) -> tuple[Floats, Floats]:
            _kernels.along_line(self._scores, direction, self._targets, self._cost, lengths[None], sums, self._width)
            return sums[0] + crossed + lengths * squared, sums[1] + squared

        lengths = step_lengths(slopes, first, self._opened)
        _kernels.move(self.W, x, lengths[None], self._width)
        _kernels.move(self._scores, direction, lengths[None], self._width)
        self.intercepts += lengths * change
        self.n_iter += self._opened
        # A lane that once needed its heavy rows keeps them.
        self._taken = np.maximum(self._taken, np.where(self._opened, self._systems.taken, 0))
        gain = self._systems.gain + 0.5 * slope**2 * inverse_bend
        # A step that had to be lengthened or shortened shows that its model, and so its promise, was wrong.
        fits = (np.abs(lengths - 1) <= _MODEST) | (gain <= self.precision.least_tol * self.objective)
        done = (gain <= self._least_gain) & fits & (self._bounded == 0) & self._opened
        self._bounded = np.where(self._opened, (gain > _NEAR * self.objective).astype(np.float64), self._bounded)
        return done


def _inner(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Floats:
    out = np.zeros((1, left.shape[1]))
    _kernels.inner(left, right, out, WIDTHS[left.shape[1]])
    return out[0]


def _log_odds(target: npt.NDArray[Any], cost: Floats | float) -> float:
    """Return the log-odds of the weighted share of ones: the best intercept without any column."""
    ones = float((target * cost).sum())
    zeros = float(((1.0 - target) * cost).sum())
    return float(np.log(ones) - np.log(zeros)) if ones > 0 and zeros > 0 else 0.0
