"""All logistic regressions P(y_i | x, y_j) of some targets i in one batch, from the fits without parents.

The problems of a target differ by one column only, so all start at the fit of P(y_i | x) with the same Hessian. A
bordered Newton step is close to the solution of most pairs; L-BFGS on top of it finishes the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.learners.logistic.descent import MEMORY, Descent, DescentTask, Preconditioner
from plait.learners.logistic.hessian_inverses import BorderedInverses, DiagonalInverses

__all__ = ["PairTask", "solve_pairs"]

# Scores and curvature pairs that are held at once may take so many numbers.
MOST_NUMBERS = 2**20


@dataclass(frozen=True, eq=False)
class PairTask:
    """Pairs: each minimises sum of weight * log-loss + sum of penalty * coefficient^2 / 2.

    Parameters
    ----------
    matrix : DenseRows or SparseRows
        Features, with the intercept's column.
    labels : ndarray, shape (n_labels, n_samples)
        Values of all labels.
    targets : ndarray of int, shape (n_targets,)
        The labels to predict.
    target_of, parent_of : ndarray of int, shape (n_pairs,)
        Which of the targets, and which label as its parent, each pair has; pairs of a target stand together.
    weights : ndarray, shape (n_targets, n_samples)
        Weights of rows.
    penalty : ndarray, shape (n_targets, size + 1)
        L2 penalty of each coefficient, the parent's last; 0 for the intercept.
    start : ndarray, shape (n_targets, size)
        Coefficients of the fits without parents.
    grams : ndarray, shape (n_targets, size, size), or None
        X' S X there, S the IRLS weights, of which the lower triangles count; None where they are too large.
    compiled : bool
        Whether loops over samples are compiled.
    """

    matrix: Any
    labels: Array
    targets: Ints
    target_of: Ints
    parent_of: Ints
    weights: Array
    penalty: Array
    start: Array
    alone: Array
    grams: Array | None
    compiled: bool

    def parts(self) -> Iterator["PairTask"]:
        """Yield the pairs of a few targets after the other, as many as go well into memory."""
        n_pairs, (n_targets, n_samples) = len(self.target_of), self.weights.shape
        numbers = max(n_samples, MEMORY * self.penalty.shape[1]) * n_pairs
        n_parts = min(-(-numbers // MOST_NUMBERS), n_targets)
        for some in np.array_split(np.arange(n_targets), n_parts):
            here, shared = np.isin(self.target_of, some), slice(some[0], some[-1] + 1)
            yield replace(
                self,
                targets=self.targets[shared],
                target_of=self.target_of[here] - some[0],
                parent_of=self.parent_of[here],
                weights=self.weights[shared],
                penalty=self.penalty[shared],
                start=self.start[shared],
                alone=self.alone[shared],
                grams=None if self.grams is None else self.grams[shared],
            )

    def scores(self, coefficients: Array, rows: Ints) -> Array:
        """Return scores of coefficients; row r belongs to pair `rows[r]`."""
        scores: Array = self.matrix.scores(coefficients[:, :-1])
        scores += coefficients[:, -1:] * self.labels[self.parent_of[rows]]
        return scores

    def gradients(self, residuals: Array, rows: Ints) -> Array:
        """Return the derivatives that residuals cause, the parent's last."""
        out = np.empty((len(residuals), self.penalty.shape[1]), dtype=residuals.dtype)
        out[:, :-1] = self.matrix.gradients(residuals)
        out[:, -1] = np.einsum("ij,ij->i", residuals, self.labels[self.parent_of[rows]])
        return out


def solve_pairs(task: PairTask, *, tol: float, max_iter: int) -> tuple[Array, Bools]:
    """Return the coefficients of every pair (n_pairs, size + 1), the parent's last, and which pairs reached `tol`."""
    found, reached = zip(*(_solved(part, tol, max_iter) for part in task.parts()), strict=True)
    return np.concatenate(found), np.concatenate(reached)


def _solved(task: PairTask, tol: float, max_iter: int) -> tuple[Array, Bools]:
    n_pairs, of = len(task.target_of), task.target_of
    start = np.zeros((n_pairs, task.penalty.shape[1]), dtype=task.start.dtype)
    start[:, :-1] = task.start[of]
    p = expit(task.alone)
    irls_weights = task.weights * p * (1.0 - p)
    problems = DescentTask(
        task,
        _preconditioner(task, irls_weights),
        task.labels,
        task.targets[of],
        task.weights,
        of,
        task.penalty[of],
        task.compiled,
    )
    known = _known(task, p, irls_weights.sum(axis=1, dtype=np.float64))
    descent = Descent(problems, start, np.full(n_pairs, max_iter), task.alone[of], known=known)
    descent.run(tol, max_iter + 1)
    return descent.found, descent.reached


def _known(task: PairTask, p: Array, curvature: Floats) -> tuple[Array, Floats, Floats]:
    """Return gradients, objectives and curvatures at the fits without parents; all but the parents' are shared."""
    of, y = task.target_of, task.labels[task.targets]
    residual = task.weights * (p - y)
    gradient = np.empty((len(of), task.penalty.shape[1]), dtype=task.start.dtype)
    gradient[:, :-1] = (task.matrix.gradients(residual) + task.penalty[:, :-1] * task.start)[of]
    gradient[:, -1] = (residual @ task.labels.T)[of, task.parent_of]
    loss = np.einsum("ij,ij->i", task.weights, np.logaddexp(0.0, task.alone) - y * task.alone, dtype=np.float64)
    objective = loss + 0.5 * np.einsum("ij,ij,ij->i", task.penalty[:, :-1], task.start, task.start)
    return gradient, objective[of], curvature[of]


def _preconditioner(task: PairTask, irls_weights: Array) -> Preconditioner:
    parts = (task.matrix, irls_weights, task.penalty, task.labels, task.target_of, task.parent_of)
    return DiagonalInverses(*parts) if task.grams is None else BorderedInverses(task.grams, *parts)
