"""All logistic regressions P(y_i | x, y_j) of one target i in one batch, from the fit without parents.

The problems differ by one column only, so all start at the fit of P(y_i | x) with the same second derivatives. A
bordered Newton step is close to the solution of most pairs; L-BFGS on top of it finishes the others.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.learners._pair_kernels import add_parents, after_earlier_steps, before_earlier_steps, curve_along_step
from plait.learners.bordered_inverse import BorderedInverse, DiagonalInverse, PairInverse
from plait.learners.pair_design import PairDesign

__all__ = ["PairTask", "solve_pairs"]

Matrix = npt.NDArray[Any]
Rows = npt.NDArray[np.intp]

# Steps that L-BFGS remembers, and how far a step must lower the slope along it.
MEMORY = 6
SLOPE_LEFT = 0.3


@dataclass(frozen=True, eq=False)
class PairTask:
    """The pairs of one target: minimise sum of weight * loss + sum of penalty * coefficient^2 / 2 for each parent.

    Parameters
    ----------
    design : PairDesign
        Features, with the intercept's column.
    target : ndarray, shape (n_samples,)
        Values of the target label.
    weight : ndarray, shape (n_samples,)
        Weights of rows.
    parents : ndarray, shape (n_pairs, n_samples)
        Values of the parents.
    penalty : ndarray, shape (size + 1,)
        Strength of the penalty of each coefficient, the parent's last; 0 for the intercept.
    start : ndarray, shape (size,)
        Coefficients of the fit without parents.
    scores : ndarray, shape (n_samples,)
        Scores of that fit.
    gram : ndarray, shape (size, size), or None
        `design.T @ diag(spread) @ design` there, of which the lower triangle counts; None where it is too large.
    """

    design: PairDesign
    target: Matrix
    weight: Matrix
    parents: Matrix
    penalty: Matrix
    start: Matrix
    scores: Matrix
    gram: Matrix | None

    def of(self, chosen: npt.NDArray[np.bool_]) -> "PairTask":
        """Return the task of some of the parents."""
        return replace(self, parents=self.parents[chosen])

    @property
    def probabilities(self) -> Matrix:
        """P(target = 1) without parents."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.scores)))

    def inverse(self) -> PairInverse:
        """Return inverse second derivatives at the start."""
        p = self.probabilities
        spread = self.weight * p * (1.0 - p)
        if self.gram is None:
            return DiagonalInverse(self.design, spread, self.penalty, self.parents)
        return BorderedInverse(self.design, self.gram, spread, self.penalty, self.parents)


def solve_pairs(task: PairTask, *, tol: float, max_iter: int) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Return the coefficients of every pair (n_pairs, size + 1), the parent's last, and which pairs reached `tol`.

    A pair is finished when the decrease that its next step promises is at most `tol` times its objective; the step
    is still taken, at full length.
    """
    batch = _Batch(task)
    coefficients = batch.coefficients.copy()
    reached = np.zeros(coefficients.shape[0], dtype=np.bool_)
    for _ in range(max_iter):
        batch.turn()
        finished = -0.5 * batch.slope <= tol * batch.objective
        coefficients[batch.pairs[finished]] = batch.coefficients[finished] + batch.direction[finished]
        reached[batch.pairs[finished]] = True
        if finished.all():
            return coefficients, reached
        if finished.any():
            batch.leave(~finished)
        batch.step()
    coefficients[batch.pairs] = batch.coefficients
    return coefficients, reached


class _Batch:
    """The pairs not yet finished; row r of every array belongs to pair `pairs[r]`."""

    def __init__(self, task: PairTask) -> None:
        n_pairs, self.task = task.parents.shape[0], task
        alone = task.scores
        self.inverse = task.inverse()
        self.pairs = np.arange(n_pairs)
        self.coefficients = np.zeros((n_pairs, task.penalty.size), dtype=alone.dtype)
        self.coefficients[:, :-1] = task.start
        self.scores = np.repeat(alone[None, :], n_pairs, axis=0)
        residual = task.weight * (task.probabilities - task.target)
        shared = task.design.gradients(residual[None, :])[0] + task.penalty[:-1] * task.start
        self.gradient = np.empty_like(self.coefficients)
        self.gradient[:, :-1], self.gradient[:, -1] = shared, task.parents @ residual
        loss = task.weight @ (np.logaddexp(0.0, alone) - task.target * alone)
        self.objective = np.full(n_pairs, loss + 0.5 * (task.penalty[:-1] @ task.start**2), dtype=np.float64)
        self._forget()

    def _forget(self) -> None:
        shape = (MEMORY, *self.coefficients.shape)
        kind = self.coefficients.dtype
        self.steps, self.differences = np.empty(shape, dtype=kind), np.empty(shape, dtype=kind)
        self.inverses = np.zeros(shape[:2], dtype=kind)
        self.order = np.empty(0, dtype=np.intp)

    def turn(self) -> None:
        """Find the next direction of every pair and the slope along it."""
        direction, share = -self.gradient, np.empty_like(self.inverses)
        before_earlier_steps(self.steps, self.differences, self.inverses, self.order, direction, share)
        direction = self.inverse.apply(direction, self.pairs)
        after_earlier_steps(self.steps, self.differences, self.inverses, self.order, direction, share)
        self.direction = direction
        self.slope = np.einsum("ij,ij->i", self.gradient, direction)

    def leave(self, kept: npt.NDArray[np.bool_]) -> None:
        """Drop the other pairs."""
        for name in ("pairs", "coefficients", "scores", "gradient", "objective", "direction", "slope"):
            setattr(self, name, getattr(self, name)[kept])
        self.steps, self.differences = self.steps[:, kept], self.differences[:, kept]
        self.inverses = self.inverses[:, kept]

    def step(self) -> None:
        """Go along the direction as far as it pays, and take the new gradient."""
        task = self.task
        change = task.design.scores(self.direction[:, :-1])
        add_parents(change, self.direction[:, -1].copy(), self.pairs, task.parents)
        length, residual, loss = self._search(change)
        self.scores += length[:, None] * change
        moved = length[:, None] * self.direction
        self.coefficients = self.coefficients + moved
        penal = task.penalty * self.coefficients
        self.objective = loss + 0.5 * np.einsum("ij,ij->i", penal, self.coefficients)
        gradient = penal
        gradient[:, :-1] += task.design.gradients(residual)
        gradient[:, -1] += np.einsum("ij,ij->i", residual, task.parents[self.pairs])
        self._remember(moved, gradient - self.gradient)
        self.gradient = gradient

    def _search(self, change: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        """Return a length along the direction that leaves little slope, with residuals and losses there."""
        penal = self.task.penalty * self.direction
        first = np.einsum("ij,ij->i", penal, self.coefficients)
        second = np.einsum("ij,ij->i", penal, self.direction)
        length = np.ones_like(first)
        low, high = np.zeros_like(first), np.full_like(first, np.inf)
        residual, curve = np.empty_like(change), np.empty((change.shape[0], 3), dtype=change.dtype)
        rows = np.arange(change.shape[0])
        for _ in range(40):
            curve_along_step(self.scores, change, rows, length, self.task.target, self.task.weight, residual, curve)
            slope = curve[:, 0] + first + length * second
            rows = rows[np.abs(slope[rows]) > SLOPE_LEFT * np.abs(self.slope[rows])]
            if rows.size == 0:
                break
            length[rows] = _next_length(length, slope, curve[:, 1] + second, low, high)[rows]
        return length, residual, curve[:, 2].astype(np.float64)

    def _remember(self, moved: Matrix, difference: Matrix) -> None:
        """Keep the step for L-BFGS in place of the oldest one."""
        slot = self.order.size if self.order.size < MEMORY else int(self.order[0])
        curvature = np.einsum("ij,ij->i", moved, difference)
        self.steps[slot], self.differences[slot] = moved, difference
        usable = curvature > np.finfo(moved.dtype).tiny
        self.inverses[slot] = np.where(usable, 1.0 / np.where(usable, curvature, 1.0), 0.0)
        self.order = np.append(self.order[self.order != slot], slot)


def _next_length(length: Matrix, slope: Matrix, curvature: Matrix, low: Matrix, high: Matrix) -> Matrix:
    """Return Newton's next length, kept inside what is known to hold the minimum (slopes rise along a line)."""
    np.copyto(low, length, where=slope < 0)
    np.copyto(high, length, where=slope > 0)
    newton = length - slope / np.maximum(curvature, np.finfo(length.dtype).tiny)
    farthest = np.where(np.isfinite(high), high, 10.0 * length)
    inside = (newton > low) & (newton < farthest)
    middle = np.where(np.isfinite(high), 0.5 * (low + high), farthest)
    return np.where(inside, newton, middle)
