"""Solve a batch of logistic regressions over a dense design: L-BFGS in float32, then float64, with Newton in reserve.

Steps start from inverse Hessians with equal IRLS weights, which labels share. A problem that takes long gets the
inverse of its own Hessian, again and again: Newton's method, each matrix serving several steps.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.learners.logistic.descent import SURE, Descent, DescentTask
from plait.learners.logistic.hessian_inverses import DensePreconditioner
from plait.learners.logistic.logistic_batch import Batch, Solution
from plait.learners.logistic.logistic_design import DenseDesign
from plait.learners.logistic.row_matrices import SupportedRows

__all__ = ["FINEST", "POLISHING", "solve_dense"]

# After so many steps it is asked whether own Hessians pay: when they cost no more than a share of the steps so far.
EVERY, SHARE_OF_STEPS = 4, 0.5
# What a step costs beside its products, in multiplications.
OVERHEAD = 2e7
# float32 goes to this share of the tolerance, but not further than its rounding; this one it reaches safely.
SHARE, LEAST_SINGLE, SAFE_SINGLE = 0.1, 1e-9, 1e-5
# A tolerance of the last digits, and how many steps may be taken for it.
FINEST, POLISHING = 1e-15, 8


@dataclass(frozen=True)
class Phase:
    """Floats to work with, the tolerance to reach in them, and whether the step that promises it is still taken."""

    dtype: Any
    tol: float
    last_step: bool = True


def phases_of(dtype: str, tol: float, *, single_first: bool) -> list[Phase]:
    """Return how to reach a tolerance with floats of a kind."""
    short, exact = np.dtype(np.float32), np.dtype(np.float64)
    if dtype == "float32" or (dtype == "auto" and single_first and tol >= SAFE_SINGLE):
        return [Phase(short, max(tol, 8 * float(np.finfo(short).eps)))]
    last = Phase(exact, max(tol, 8 * float(np.finfo(exact).eps)))
    if dtype == "float64" or not single_first:
        return [last]
    return [Phase(short, max(SHARE * tol, LEAST_SINGLE), last_step=False), last]


def solve_dense(
    design: DenseDesign, batch: Batch, *, tol: float, max_iter: int, dtype: str, polish: bool = False
) -> Solution:
    """Return the solutions of a batch, see `solve`; with `polish` to the last digits."""
    phases = phases_of(dtype, tol, single_first=design.compiled)
    penalty = 1.0 / batch.strengths
    preconditioner = design.preconditioner(phases[0].dtype, penalty, batch.support)
    coefficients, pairs, n_iter = _start(design, batch), None, np.zeros(batch.n_problems, dtype=np.int64)
    for phase in phases:
        task = _task(design, batch, preconditioner, phase.dtype)
        budget = max_iter - n_iter - (0 if phase.last_step else 1)
        descent = Descent(task, coefficients.astype(phase.dtype), budget, pairs=pairs)
        if batch.start is not None and design.is_small and tol <= SURE:
            preconditioner.renew_first(descent.rows, descent.irls_weights())
        _run(descent, design, phase.tol, last_step=phase.last_step)
        coefficients, pairs, n_iter = descent.found, descent.kept, n_iter + descent.n_iter
    if polish:
        task = _task(design, batch, preconditioner, np.dtype(np.float64))
        fine = Descent(task, coefficients.astype(np.float64), np.full_like(n_iter, POLISHING))
        preconditioner.renew_first(fine.rows, fine.irls_weights())
        _run(fine, design, FINEST)
        coefficients = fine.found
    coef, intercept = coefficients[:, : design.n_columns], coefficients[:, design.n_columns :].sum(axis=1)
    objective = descent.objectives * batch.strengths
    return Solution(coef.astype(np.float64), intercept.astype(np.float64), objective, n_iter, descent.reached)


def _run(descent: Descent, design: DenseDesign, tol: float, *, last_step: bool = True) -> None:
    """Take steps until all problems are finished; give those that take long inverses of their own Hessians."""
    preconditioner = descent.task.preconditioner
    assert isinstance(preconditioner, DensePreconditioner)
    n_rows, size, spent = design.n_rows, descent.found.shape[1], 0.0
    while descent.rows.size:
        spent += EVERY * (OVERHEAD + 2.0 * descent.rows.size * n_rows * size)
        descent.run(tol, EVERY, last_step=last_step)
        hessians = descent.rows.size * size * size * (0.5 * n_rows + 0.3 * size)
        # In a small problem they always do; nothing that a problem gets depends on the others there.
        if descent.rows.size and (hessians <= SHARE_OF_STEPS * spent or not design.compiled):
            preconditioner.renew(descent.rows, descent.irls_weights())
            descent.pairs.forget()
            spent = 0.0


def _task(design: DenseDesign, batch: Batch, preconditioner: DensePreconditioner, dtype: Any) -> DescentTask:
    rows = design.rows(dtype) if dtype == preconditioner.dtype else design.exact_rows()
    penalty = np.zeros((batch.n_problems, rows.size), dtype=dtype)
    penalty[:, : design.n_columns] = 1.0 / batch.strengths[:, None]
    weights = np.ones((1, design.n_rows)) if batch.weights is None else batch.weights.T
    weight_of = np.zeros_like(batch.columns) if batch.weight_columns is None else batch.weight_columns
    matrix: Any = rows
    if batch.support is not None:
        support = np.ones((batch.n_problems, rows.size), dtype=dtype)
        support[:, : design.n_columns] = batch.support
        matrix = SupportedRows(rows, support)
    return DescentTask(
        matrix,
        preconditioner,
        np.ascontiguousarray(batch.targets.T, dtype=dtype),
        batch.columns,
        np.ascontiguousarray(weights, dtype=dtype),
        weight_of,
        penalty,
        design.compiled,
    )


def _start(design: DenseDesign, batch: Batch) -> Floats:
    """Return where to start: as the batch says, or at intercepts alone."""
    coefficients = np.zeros((batch.n_problems, design.n_columns + int(design.fit_intercept)))
    if batch.start is not None:
        coef, intercept = batch.start
        coefficients[:, : design.n_columns] = coef if batch.support is None else coef * batch.support
        coefficients[:, design.n_columns :] = intercept[:, None]
    elif design.fit_intercept:
        coefficients[:, -1] = batch.log_odds()
    return coefficients
