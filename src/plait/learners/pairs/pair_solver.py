"""All logistic regressions P(y_i | x, y_j) of one target i in one batch, from the fit without parents.

The problems differ by one column only, so all start at the fit of P(y_i | x) with the same second derivatives. A
bordered Newton step is close to the solution of most pairs; L-BFGS on top of it finishes the others.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from plait.core.arrays import Array, Ints
from plait.learners.pairs._pair_kernels import add_parents
from plait.learners.pairs.bordered_inverse import BorderedInverse, DiagonalInverse
from plait.learners.pairs.descent import DescentTask, RowInverse, descend
from plait.learners.pairs.pair_designs import PairDesign

__all__ = ["PairTask", "solve_pairs"]


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
    alone : ndarray, shape (n_samples,)
        Scores of that fit.
    gram : ndarray, shape (size, size), or None
        `design.T @ diag(spread) @ design` there, of which the lower triangle counts; None where it is too large.
    """

    design: PairDesign
    target: Array
    weight: Array
    parents: Array
    penalty: Array
    start: Array
    alone: Array
    gram: Array | None

    def of(self, chosen: npt.NDArray[np.bool_]) -> "PairTask":
        """Return the task of some of the parents."""
        return replace(self, parents=self.parents[chosen])

    def scores(self, coefficients: Array, rows: Ints) -> Array:
        """Return scores of coefficients; row r belongs to pair `rows[r]`."""
        scores = self.design.scores(coefficients[:, :-1])
        add_parents(scores, coefficients[:, -1].copy(), rows, self.parents)
        return scores

    def gradients(self, residuals: Array, rows: Ints) -> Array:
        """Return the derivatives that residuals cause, the parent's last."""
        out = np.empty((residuals.shape[0], self.penalty.size), dtype=residuals.dtype)
        out[:, :-1] = self.design.gradients(residuals)
        out[:, -1] = np.einsum("ij,ij->i", residuals, self.parents[rows])
        return out


def solve_pairs(task: PairTask, *, tol: float, max_iter: int) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the coefficients of every pair (n_pairs, size + 1), the parent's last, and which pairs reached `tol`."""
    return descend(_begun(task), tol=tol, max_iter=max_iter)


def _begun(task: PairTask) -> DescentTask:
    """Return the pairs at the fit without parents, where all derivatives but the parents' are the same."""
    n_pairs, p = task.parents.shape[0], expit(task.alone)
    residual = task.weight * (p - task.target)
    start = np.zeros((n_pairs, task.penalty.size), dtype=task.start.dtype)
    start[:, :-1] = task.start
    gradient = np.empty_like(start)
    gradient[:, :-1] = task.design.gradients(residual[None, :])[0] + task.penalty[:-1] * task.start
    gradient[:, -1] = task.parents @ residual
    loss = task.weight @ (np.logaddexp(0.0, task.alone) - task.target * task.alone)
    objective = np.full(n_pairs, loss + 0.5 * (task.penalty[:-1] @ task.start**2), dtype=np.float64)
    first = np.zeros(n_pairs, dtype=np.intp)
    labels, weights = (task.target[None, :], first), (task.weight[None, :], first)
    scores = np.repeat(task.alone[None, :], n_pairs, axis=0)
    return DescentTask(
        task,
        _inverse(task, task.weight * p * (1.0 - p)),
        *labels,
        *weights,
        task.penalty[None, :],
        start,
        scores,
        gradient,
        objective,
    )


def _inverse(task: PairTask, spread: Array) -> RowInverse:
    if task.gram is None:
        return DiagonalInverse(task.design, spread, task.penalty, task.parents)
    return BorderedInverse(task.design, task.gram, spread, task.penalty, task.parents)
