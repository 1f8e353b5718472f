"""Many logistic regressions at once by L-BFGS [Nocedal1980]: dense features, label pairs, paths of penalties.

Row r of every array belongs to one problem, so that problems that are finished are left by leaving out rows. What makes
it fast is the preconditioner: an approximate inverse of each problem's Hessian, to which the curvature pairs (steps and
the changes of the gradient along them) that L-BFGS remembers are corrections only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.lazy_modules import lazy_module

__all__ = [
    "MEMORY",
    "SURE",
    "CurvaturePairs",
    "Descent",
    "DescentTask",
    "Preconditioner",
    "RowMatrix",
    "next_length",
    "plain_curve",
]

_kernels = lazy_module("plait.learners.logistic._descent_kernels")

# Curvature pairs that are remembered.
MEMORY = 10
# A line search ends where the slope along the step has fallen to this share.
SLOPE_LEFT = 0.5
# Beyond it also where the objective has grown by this factor, which is more than rounding does.
RISE = 1.001
# Most lengths that a line search tries, and by how much a length may grow.
MOST_LENGTHS = 40
GROWTH = 10.0
# Numbers of a block of scores for which plain NumPy keeps to the cache.
IN_CACHE = 2**13
# The last step of a problem is taken at full length where it promises no more than this share of the objective.
SURE = 1e-4
# After so many steps a problem counts as badly conditioned; its steps then have to promise this share of the tolerance.
LONG, DOUBT, LAST_DIGITS = 32, 0.01, 1e-11


class RowMatrix(Protocol):
    """A matrix that turns coefficients into scores; row r of what comes in belongs to problem `rows[r]`."""

    def scores(self, coefficients: Array, rows: Ints) -> Array:
        """Return the scores of coefficients, shape (n_rows, n_samples)."""

    def gradients(self, residuals: Array, rows: Ints) -> Array:
        """Return the derivatives that residuals cause, shape (n_rows, size)."""


class Preconditioner(Protocol):
    """Approximate inverses of the Hessians of all problems."""

    dtype: Any

    def apply(self, values: Array, rows: Ints, curvature: Floats) -> Array:
        """Return the inverse of problem `rows[r]` times row r of `values`; `curvature` are sums of IRLS weights."""


@dataclass(frozen=True, eq=False)
class DescentTask:
    """Problems that each minimise sum of weight * log-loss + sum of penalty * coefficient^2 / 2.

    Parameters
    ----------
    matrix : RowMatrix
        Turns coefficients to scores.
    preconditioner : Preconditioner
        Approximate inverse Hessians.
    targets : ndarray, shape (n_targets, n_samples)
        0/1 labels.
    target_of : ndarray of int, shape (n_problems,)
        Which label each problem predicts.
    weights : ndarray, shape (n_weights, n_samples)
        Weights of rows.
    weight_of : ndarray of int, shape (n_problems,)
        Which weights each problem uses.
    penalty : ndarray, shape (1 or n_problems, size)
        L2 penalty of each coefficient; 0 for an intercept.
    compiled : bool
        Whether loops over samples are compiled.
    """

    matrix: RowMatrix
    preconditioner: Preconditioner
    targets: Array
    target_of: Ints
    weights: Array
    weight_of: Ints
    penalty: Array
    compiled: bool


class CurvaturePairs:
    """The last `MEMORY` steps s of each problem, and how the gradient changed along them, y.

    Step t has place t % MEMORY; unused places hold zeros. L-BFGS in compact form: let R hold s_i'y_j where step i is
    not later than step j, zeros elsewhere, and D its diagonal. Then H g = r + S' c, where R a = S g,
    r = H0 (g - Y' a) and R' c = D a - Y r.
    """

    _NAMES = ("steps", "changes", "products", "taken")

    def __init__(self, shape: tuple[int, int], dtype: Any) -> None:
        self.steps, self.changes = (np.zeros((shape[0], MEMORY, shape[1]), dtype=dtype) for _ in range(2))
        self.products = np.zeros((shape[0], MEMORY, MEMORY))
        self.taken = np.zeros(shape[0], dtype=np.int64)

    def of(self, rows: Any) -> "CurvaturePairs":
        """Return the pairs of some problems."""
        part = CurvaturePairs.__new__(CurvaturePairs)
        for name in self._NAMES:
            setattr(part, name, getattr(self, name)[rows])
        return part

    def put(self, rows: Ints, part: "CurvaturePairs") -> None:
        """Take over the pairs of some problems."""
        for name in self._NAMES:
            getattr(self, name)[rows] = getattr(part, name)

    def forget(self) -> None:
        """Leave out all pairs."""
        for name in self._NAMES:
            getattr(self, name)[:] = 0

    def add(self, step: Array, change: Array) -> None:
        """Remember a step of every problem; nothing where the change is lost in rounding."""
        bent = np.einsum("ij,ij->i", step, change) > np.finfo(self.steps.dtype).tiny
        here, place = np.arange(len(step)), self.taken % MEMORY
        self.steps[here, place], self.changes[here, place] = step * bent[:, None], change * bent[:, None]
        self.products[here, place] = _inner(self.changes, self.steps[here, place])
        self.products[here, :, place] = _inner(self.steps, self.changes[here, place])
        self.taken += 1

    def direction(self, gradient: Array, precondition: Callable[[Array], Array]) -> Array:
        """Return minus the approximate inverse Hessian times the gradient."""
        counts = np.minimum(self.taken, MEMORY)
        if not counts.any():
            return precondition(-gradient)
        # Of every problem as many pairs as it has: then its bits do not depend on the problems beside it.
        numbers = np.unique(counts).tolist()
        groups: list[Any] = [slice(None)] if len(numbers) == 1 else [np.flatnonzero(counts == n) for n in numbers]
        parts = [(rows, *self._compact(rows, n)) for rows, n in zip(groups, numbers, strict=True) if n]
        shares, ahead = [], -gradient
        for rows, steps, changes, R, _ in parts:
            shares.append(_solved(R, _inner(steps, -gradient[rows])))
            ahead[rows] = -gradient[rows] - _combined(shares[-1], changes)
        r = precondition(ahead)
        out = np.array(r)
        for a, (rows, steps, changes, R, D) in zip(shares, parts, strict=True):
            c = _solved(R.transpose(0, 2, 1), D * a - _inner(changes, r[rows]))
            out[rows] = r[rows] + _combined(c, steps)
        return out

    def _compact(self, rows: Any, used: int) -> tuple[Array, Array, Floats, Floats]:
        """Return the first pairs of some problems, R with 1 where its diagonal is 0, and D."""
        age = (self.taken[rows][:, None] - 1 - np.arange(used)) % MEMORY
        R = np.where(age[:, :, None] >= age[:, None, :], self.products[rows][:, :used, :used], 0.0)
        diagonal = np.einsum("ijj->ij", R)
        D = diagonal.copy()
        diagonal[D == 0] = 1.0
        return self.steps[rows][:, :used], self.changes[rows][:, :used], R, D


def _inner(vectors: Array, one: Array) -> Array:
    """Return the inner products of every problem's vectors with one more."""
    return np.asarray(vectors @ one[:, :, None])[:, :, 0]


def _combined(shares: Floats, vectors: Array) -> Array:
    """Return the sum of every problem's vectors, each times its share."""
    return np.asarray(shares.astype(vectors.dtype)[:, None] @ vectors)[:, 0]


def _solved(matrices: Floats, right: Array) -> Floats:
    return np.asarray(np.linalg.solve(matrices, right[:, :, None])[:, :, 0])


class Descent:
    """Problems on their way down; row r of every array belongs to problem `rows[r]` of the task.

    Parameters
    ----------
    task : DescentTask
        The problems.
    coefficients : ndarray, shape (n_problems, size)
        Where to start.
    budget : ndarray of int, shape (n_problems,)
        Most steps of each problem.
    scores : ndarray, shape (n_problems, n_samples), optional
        Their scores.
    pairs : CurvaturePairs, optional
        What earlier steps showed of the curvature.
    known : tuple of ndarray, optional
        Gradients (n_problems, size), objectives and sums of IRLS weights (n_problems,) at the start.

    Attributes
    ----------
    found : ndarray, shape (n_problems, size)
        Coefficients of the problems that are finished.
    earlier : ndarray of int, shape (n_problems,)
        Steps that led to the start.
    objectives, n_iter, reached : ndarray, shape (n_problems,)
        Objectives before the last step, steps taken, and whether the tolerance was reached.
    kept : CurvaturePairs
        Those of the problems that are finished.
    """

    def __init__(
        self,
        task: DescentTask,
        coefficients: Array,
        budget: Ints,
        scores: Array | None = None,
        pairs: CurvaturePairs | None = None,
        known: tuple[Array, Floats, Floats] | None = None,
    ) -> None:
        n_problems = len(coefficients)
        self.task, self.rows = task, np.arange(n_problems)
        self.target_of, self.weight_of = task.target_of, task.weight_of
        self.penalty = np.broadcast_to(task.penalty, coefficients.shape)
        self.coefficients, self.found = coefficients, coefficients.copy()
        self.scores = task.matrix.scores(coefficients, self.rows) if scores is None else scores
        self.pairs = CurvaturePairs(coefficients.shape, task.preconditioner.dtype) if pairs is None else pairs
        self.kept = CurvaturePairs(coefficients.shape, task.preconditioner.dtype)
        self.objectives, self.reached = np.zeros(n_problems), np.zeros(n_problems, dtype=np.bool_)
        self.n_iter, self.earlier = np.zeros(n_problems, dtype=np.int64), np.zeros(n_problems, dtype=np.int64)
        self.budget, self.direction, self.slope = budget, coefficients, self.objectives
        if known is None:
            self._measure(*self._curve(np.zeros_like(self.scores), np.zeros_like(coefficients[:, 0])))
        else:
            self.gradient, self.objective, self.curvature = known

    def run(self, tol: float, max_iter: int, *, last_step: bool = True) -> None:
        """Take at most `max_iter` steps with each problem and finish those that reach `tol` or have no steps left.

        A problem reaches it when the decrease that its next step promises is at most `tol` times its objective; with
        `last_step` that step is still taken.
        """
        # float32 reaches no more than it is asked for, and float64 not much beyond the last digits.
        strict = tol if self.coefficients.dtype == np.float32 else min(tol, max(DOUBT * tol, LAST_DIGITS))
        for _ in range(max_iter):
            self._finish(self.n_iter[self.rows] >= self.budget[self.rows], reached=False)
            if not self.rows.size:
                return
            self._turn()
            long = self.earlier[self.rows] + self.n_iter[self.rows] >= LONG
            done = -0.5 * self.slope <= np.where(long, strict, tol) * self.objective
            if not last_step:
                self._finish(done)
            elif tol <= SURE:
                self.coefficients = self.coefficients + np.where(done[:, None], self.direction, 0)
                self.n_iter[self.rows[done]] += 1
                self._finish(done)
            if self.rows.size:
                self._step()
                self.n_iter[self.rows] += 1
            if last_step and tol > SURE:
                self._finish(done)

    def _finish(self, done: Bools, *, reached: bool = True) -> None:
        """Put problems aside as they are."""
        if not done.any():
            return
        rows = self.rows[done]
        self.found[rows], self.objectives[rows] = self.coefficients[done], self.objective[done]
        self.reached[rows] = reached
        self.kept.put(rows, self.pairs.of(done))
        left = np.flatnonzero(~done)
        self.pairs = self.pairs.of(left)
        names = ("rows", "target_of", "weight_of", "penalty", "coefficients", "scores", "gradient", "objective")
        for name in (*names, "curvature", "direction", "slope"):
            setattr(self, name, getattr(self, name)[left])

    def irls_weights(self) -> Array:
        """Return w p (1 - p) of every sample: the weights of iteratively reweighted least squares."""
        p = np.exp(-np.abs(self.scores))
        return np.asarray(self.task.weights[self.weight_of] * (p / ((1.0 + p) * (1.0 + p))))

    def _measure(self, residual: Array, curve: Array) -> None:
        """Set objective, gradient and curvature at the coefficients."""
        self.gradient = self.penalty * self.coefficients
        penal = np.einsum("ij,ij->i", self.gradient, self.coefficients, dtype=np.float64)
        self.objective = curve[:, 2].astype(np.float64) + 0.5 * penal
        self.curvature = curve[:, 3].astype(np.float64)
        self.gradient += self.task.matrix.gradients(residual, self.rows)

    def _turn(self) -> None:
        """Find the next direction of every problem and the slope along it."""

        def precondition(values: Array) -> Array:
            return self.task.preconditioner.apply(values, self.rows, self.curvature)

        gradient = self.gradient.astype(self.task.preconditioner.dtype, copy=False)
        self.direction = self.pairs.direction(gradient, precondition).astype(self.gradient.dtype, copy=False)
        self.slope = np.einsum("ij,ij->i", self.gradient, self.direction)

    def _step(self) -> None:
        """Go along the direction as far as it pays, and take the new gradient."""
        change = self.task.matrix.scores(self.direction, self.rows)
        length, residual, curve = self._search(change)
        change *= length[:, None]
        self.scores += change
        step = length[:, None] * self.direction
        self.coefficients = self.coefficients + step
        before = self.gradient
        self._measure(residual, curve)
        self.pairs.add(step, self.gradient - before)

    def _search(self, change: Array) -> tuple[Array, Array, Array]:
        """Return a length along the direction that leaves little slope, with residuals and curves there."""
        penal = self.penalty * self.direction
        first = np.einsum("ij,ij->i", penal, self.coefficients)
        second = np.einsum("ij,ij->i", penal, self.direction)
        length, rows, known = np.ones_like(first), None, None
        low, high = np.zeros_like(first), np.full_like(first, np.inf)
        penalty = 0.5 * np.einsum("ij,ij,ij->i", self.penalty, self.coefficients, self.coefficients, dtype=np.float64)
        for _ in range(MOST_LENGTHS):
            known = residual, curve = self._curve(change, length, rows, known)
            slope = curve[:, 0] + first + length * second
            # Beyond the minimum a slope may be small and the objective still higher than at the start.
            objective = curve[:, 2] + penalty + length * (first + 0.5 * length * second)
            steep = np.abs(slope) > SLOPE_LEFT * np.abs(self.slope)
            steep |= (slope > 0) & (objective > RISE * self.objective)
            rows = np.flatnonzero(steep) if rows is None else rows[steep[rows]]
            if rows.size == 0:
                break
            length[rows] = next_length(length, slope, curve[:, 1] + second, low, high)[rows]
        return length, residual, curve

    def _curve(
        self, change: Array, length: Array, rows: Ints | None = None, known: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """Return residuals and curves at `scores + length * change`, renewed for some rows of what is known."""
        residual, curve = known or (np.empty_like(change), np.empty((len(change), 4), dtype=change.dtype))
        some = np.arange(len(change)) if rows is None else rows
        curves = _kernels.curve_along_step if self.task.compiled and change.dtype == np.float32 else plain_curve
        labels, weights = (self.task.targets, self.target_of), (self.task.weights, self.weight_of)
        curves(self.scores, change, some, length, *labels, *weights, residual, curve)
        return residual, curve


def plain_curve(
    scores: Array,
    change: Array,
    rows: Ints,
    length: Array,
    targets: Array,
    target_of: Ints,
    weights: Array,
    weight_of: Ints,
    residual: Array,
    curve: Array,
) -> None:
    """Fill residuals weight * (p - y) at scores + length * change, and curves, for the problems `rows`.

    A curve is the slope along the change, the second derivative, the loss, and the sum of IRLS weights.
    """
    # Some problems at a time, so that what is computed on the way stays in the cache.
    at_once = max(1, IN_CACHE // scores.shape[1])
    for first in range(0, len(rows), at_once):
        here = rows[first : first + at_once]
        d, w, y = change[here], weights[weight_of[here]], targets[target_of[here]]
        z = scores[here] + length[here, None] * d
        e = np.exp(-np.abs(z))
        share = 1.0 / (1.0 + e)
        s = e * share
        r = np.where(z > 0, share, s) - y
        r *= w
        s *= share
        s *= w
        residual[here] = r
        curve[here, 0], curve[here, 1] = np.einsum("ij,ij->i", r, d), np.einsum("ij,ij,ij->i", s, d, d)
        curve[here, 2] = np.einsum("ij,ij->i", w, np.maximum(z, 0) - z * y - np.log(share))
        curve[here, 3] = s.sum(axis=1)


def next_length(length: Array, slope: Array, curvature: Array, low: Array, high: Array) -> Array:
    """Return Newton's next length, kept inside what is known to hold the minimum (slopes rise along a line)."""
    np.copyto(low, length, where=slope < 0)
    np.copyto(high, length, where=slope > 0)
    newton = length - slope / np.maximum(curvature, np.finfo(length.dtype).tiny)
    farthest = np.where(np.isfinite(high), high, GROWTH * length)
    inside = (newton > low) & (newton < farthest)
    middle = np.where(np.isfinite(high), 0.5 * (low + high), farthest)
    return np.where(inside, newton, middle)
