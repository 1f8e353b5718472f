"""Solve many L2 logistic regressions over one design: truncated Newton in panels of 8 or 16 problems.

Dense problems without a start are first brought near their optimum by a quasi-Newton method in float32.

Every problem minimises `strength * sum_i weight_i * loss_i + 1/2 ||coef||^2`, the intercept unpenalised. A problem's
result does not depend on the number of threads, nor on the others in the batch, to the last bit; only over a dense
design with masks the columns that all problems share matter, within the tolerance.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.core.parallel import one_blas_thread
from plait.learners.logistic.dense_solver import FINEST, POLISHING, solve_dense
from plait.learners.logistic.logistic_batch import Batch, Solution
from plait.learners.logistic.logistic_design import DenseDesign, Design, SparseDesign
from plait.learners.logistic.logistic_scheduler import Scheduler
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner
from plait.learners.logistic.solver_precision import Precision

__all__ = ["solve"]


def solve(
    design: Design,
    targets: npt.NDArray[Any],
    *,
    strengths: float | Floats = 1.0,
    columns: Sequence[int] | Ints | None = None,
    weights: Floats | None = None,
    weight_columns: Sequence[int] | Ints | None = None,
    support: npt.NDArray[np.bool_] | None = None,
    start: Solution | None = None,
    tol: float = 1e-6,
    max_iter: int = 100,
    dtype: str = "auto",
    polish: bool = False,
) -> Solution:
    """Return the solutions of a batch of problems.

    Parameters
    ----------
    design : Design
        The shared matrix, from `prepared_design`.
    targets : ndarray of shape (n_rows, n_labels)
        0/1 labels. Among rows of positive weight both values must occur: constant labels are not for this function.
    strengths : float or ndarray of shape (n_problems,)
        C, for all problems or for each.
    columns : sequence of int, optional
        The label of each problem; a label may occur several times. By default every label once.
    weights : ndarray of shape (n_rows,) or (n_rows, n_weights), optional
        Vectors of row weights.
    weight_columns : sequence of int, optional
        Which vector of weights each problem uses. By default the first where there is one vector, else that of its
        label.
    support : ndarray of bool, shape (n_problems, n_columns), optional
        Which columns of the design each problem may use.
    start : Solution, optional
        Where to start: coefficients and intercepts in units of the design.
    tol : float
        A problem is solved when a Newton step promised to lower its objective by less than this share; the step is
        still taken.
    max_iter : int
        Most steps for each problem; quasi-Newton steps that led near the optimum of a dense problem count as well.
    dtype : {"auto", "float32", "float64"}
        Floats to work with, see `Precision`.
    polish : bool
        Whether to go on to the last digits; steps for that are not counted.
    """
    batch = Batch.of(targets, strengths, columns, weights, weight_columns, support, start)
    with one_blas_thread():
        if isinstance(design, DenseDesign):
            return solve_dense(design, batch, tol=tol, max_iter=max_iter, dtype=dtype, polish=polish)
        assert isinstance(design, SparseDesign)
        found = _solve_sparse(design, batch, tol=tol, max_iter=max_iter, dtype=dtype)
        if not polish:
            return found
        fine = _solve_sparse(
            design, replace(batch, start=(found.coef, found.intercept)), tol=FINEST, max_iter=POLISHING, dtype=dtype
        )
    return replace(fine, n_iter=found.n_iter, converged=found.converged)


def _solve_sparse(design: SparseDesign, batch: Batch, *, tol: float, max_iter: int, dtype: str) -> Solution:
    """Return the solutions by Newton's method with conjugate gradients."""
    if design.order is not None:
        batch = batch.in_order(design.order)
    shape = (batch.n_problems, design.n_columns)
    found = Solution(
        np.zeros(shape),
        np.zeros(shape[0]),
        np.zeros(shape[0]),
        np.zeros(shape[0], dtype=np.int64),
        np.zeros(shape[0], dtype=np.bool_),
    )
    # Hard problems, those of balanced labels, first, so that the end is not spent waiting for one of them.
    queue = [int(problem) for problem in np.argsort(batch.rarity(), kind="stable")]
    Scheduler(batch, DiagonalPreconditioner(design), Precision(dtype), tol, max_iter).run(queue, found)
    if design.order is not None:
        found.coef[:, design.order] = found.coef.copy()
    return found
