"""Many logistic regressions over one design by L-BFGS, one row each, with inverse second derivatives given.

Good where the inverse is nearly right, so that a few steps are enough: label pairs, and penalties that change.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Array, Ints
from plait.learners.pairs._descent_kernels import after_earlier_steps, before_earlier_steps, curve_along_step

__all__ = ["DescentTask", "RowDesign", "RowInverse", "descend"]


# Steps that L-BFGS remembers, and how far a step must lower the slope along it.
MEMORY = 6
SLOPE_LEFT = 0.3


class RowDesign(Protocol):
    """A design whose product may depend on the problem; row r of what comes in belongs to problem `rows[r]`."""

    def scores(self, coefficients: Array, rows: Ints) -> Array:
        """Return the scores of coefficients, shape (n_rows, n_samples)."""

    def gradients(self, residuals: Array, rows: Ints) -> Array:
        """Return the derivatives that residuals cause, shape (n_rows, size)."""


class RowInverse(Protocol):
    """Approximate inverses of the second derivatives of all problems."""

    def apply(self, values: Array, rows: Ints) -> Array:
        """Return the inverse of problem `rows[r]` times row r of `values`."""


@dataclass(frozen=True, eq=False)
class DescentTask:
    """Problems that each minimise sum of weight * loss + sum of penalty * coefficient^2 / 2.

    Parameters
    ----------
    design : RowDesign
        Turns coefficients to scores.
    inverse : RowInverse
        Inverse second derivatives.
    targets : ndarray, shape (n_targets, n_samples)
        0/1 labels.
    target_of : ndarray of int, shape (n_problems,)
        Which label each problem predicts.
    weights : ndarray, shape (n_weights, n_samples)
        Weights of rows.
    weight_of : ndarray of int, shape (n_problems,)
        Which weights each problem uses.
    penalty : ndarray, shape (1 or n_problems, size)
        Strength of the penalty of each coefficient; 0 for an intercept.
    start : ndarray, shape (n_problems, size)
        Coefficients to start from.
    scores : ndarray, shape (n_problems, n_samples)
        Their scores; overwritten.
    gradient : ndarray, shape (n_problems, size), or None
        The derivatives at the start, if known.
    objective : ndarray, shape (n_problems,), or None
        The objective at the start, if known.
    """

    design: RowDesign
    inverse: RowInverse
    targets: Array
    target_of: Ints
    weights: Array
    weight_of: Ints
    penalty: Array
    start: Array
    scores: Array
    gradient: Array | None = None
    objective: Array | None = None


def descend(task: DescentTask, *, tol: float, max_iter: int) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the coefficients of every problem and which problems reached `tol`.

    A problem is finished when the decrease that its next step promises is at most `tol` times its objective; the step
    is still taken, at full length.
    """
    batch = _Batch(task)
    coefficients = task.start.copy()
    reached = np.zeros(coefficients.shape[0], dtype=np.bool_)
    for _ in range(max_iter):
        batch.turn()
        finished = -0.5 * batch.slope <= tol * batch.objective
        coefficients[batch.rows[finished]] = batch.coefficients[finished] + batch.direction[finished]
        reached[batch.rows[finished]] = True
        if finished.all():
            return coefficients, reached
        if finished.any():
            batch.leave(~finished)
        batch.step()
    coefficients[batch.rows] = batch.coefficients
    return coefficients, reached


class _Batch:
    """The problems not yet finished; row r of every array belongs to problem `rows[r]`."""

    def __init__(self, task: DescentTask) -> None:
        self.task, self.rows = task, np.arange(task.start.shape[0])
        self.target_of, self.weight_of = task.target_of, task.weight_of
        self.coefficients, self.scores = task.start, task.scores
        self.penalty = np.broadcast_to(task.penalty, task.start.shape)
        if task.gradient is None or task.objective is None:
            self._begin()
        else:
            self.gradient, self.objective = task.gradient, task.objective
        shape, kind = (MEMORY, *self.coefficients.shape), self.coefficients.dtype
        self.steps, self.differences = np.empty(shape, dtype=kind), np.empty(shape, dtype=kind)
        self.inverses = np.zeros(shape[:2], dtype=kind)
        self.order = np.empty(0, dtype=np.intp)

    def _begin(self) -> None:
        nowhere = np.zeros_like(self.scores)
        residual, curve = self._curve(nowhere, np.zeros_like(self.coefficients[:, 0]), self.rows.copy(), None)
        self._measure(residual, curve[:, 2])

    def _measure(self, residual: Array, loss: Array) -> None:
        """Set the objective and the gradient at the coefficients."""
        self.gradient = self.penalty * self.coefficients
        penal = np.einsum("ij,ij->i", self.gradient, self.coefficients, dtype=np.float64)
        self.objective = loss.astype(np.float64) + 0.5 * penal
        self.gradient += self.task.design.gradients(residual, self.rows)

    def _curve(
        self, change: Array, length: Array, rows: Ints, known: tuple[Array, Array] | None
    ) -> tuple[Array, Array]:
        """Return residuals and curves at `scores + length * change`, renewed for some rows of what is known."""
        residual, curve = known or (np.empty_like(change), np.empty((change.shape[0], 3), dtype=change.dtype))
        labels, weights = (self.task.targets, self.target_of), (self.task.weights, self.weight_of)
        curve_along_step(self.scores, change, rows, length, *labels, *weights, residual, curve)
        return residual, curve

    def turn(self) -> None:
        """Find the next direction of every problem and the slope along it."""
        direction, share = -self.gradient, np.empty_like(self.inverses)
        before_earlier_steps(self.steps, self.differences, self.inverses, self.order, direction, share)
        direction = self.task.inverse.apply(direction, self.rows)
        after_earlier_steps(self.steps, self.differences, self.inverses, self.order, direction, share)
        self.direction = direction
        self.slope = np.einsum("ij,ij->i", self.gradient, direction)

    def leave(self, kept: npt.NDArray[np.bool_]) -> None:
        """Drop the other problems."""
        own = ("rows", "target_of", "weight_of", "coefficients", "scores", "penalty", "gradient", "objective")
        for name in (*own, "direction", "slope"):
            setattr(self, name, getattr(self, name)[kept])
        self.steps, self.differences = self.steps[:, kept], self.differences[:, kept]
        self.inverses = self.inverses[:, kept]

    def step(self) -> None:
        """Go along the direction as far as it pays, and take the new gradient."""
        change = self.task.design.scores(self.direction, self.rows)
        length, residual, loss = self._search(change)
        change *= length[:, None]
        self.scores += change
        moved = length[:, None] * self.direction
        self.coefficients = self.coefficients + moved
        before = self.gradient
        self._measure(residual, loss)
        self._remember(moved, self.gradient - before)

    def _search(self, change: Array) -> tuple[Array, Array, Array]:
        """Return a length along the direction that leaves little slope, with residuals and losses there."""
        penal = self.penalty * self.direction
        first = np.einsum("ij,ij->i", penal, self.coefficients)
        second = np.einsum("ij,ij->i", penal, self.direction)
        length, rows = np.ones_like(first), np.arange(first.size)
        low, high = np.zeros_like(first), np.full_like(first, np.inf)
        known = None
        for _ in range(40):
            known = residual, curve = self._curve(change, length, rows, known)
            slope = curve[:, 0] + first + length * second
            rows = rows[np.abs(slope[rows]) > SLOPE_LEFT * np.abs(self.slope[rows])]
            if rows.size == 0:
                break
            length[rows] = _next_length(length, slope, curve[:, 1] + second, low, high)[rows]
        return length, residual, curve[:, 2]

    def _remember(self, moved: Array, difference: Array) -> None:
        """Keep the step for L-BFGS in place of the oldest one."""
        slot = self.order.size if self.order.size < MEMORY else int(self.order[0])
        curvature = np.einsum("ij,ij->i", moved, difference)
        self.steps[slot], self.differences[slot] = moved, difference
        usable = curvature > np.finfo(moved.dtype).tiny
        self.inverses[slot] = np.where(usable, 1.0 / np.where(usable, curvature, 1.0), 0.0)
        self.order = np.append(self.order[self.order != slot], slot)


def _next_length(length: Array, slope: Array, curvature: Array, low: Array, high: Array) -> Array:
    """Return Newton's next length, kept inside what is known to hold the minimum (slopes rise along a line)."""
    np.copyto(low, length, where=slope < 0)
    np.copyto(high, length, where=slope > 0)
    newton = length - slope / np.maximum(curvature, np.finfo(length.dtype).tiny)
    farthest = np.where(np.isfinite(high), high, 10.0 * length)
    inside = (newton > low) & (newton < farthest)
    middle = np.where(np.isfinite(high), 0.5 * (low + high), farthest)
    return np.where(inside, newton, middle)
