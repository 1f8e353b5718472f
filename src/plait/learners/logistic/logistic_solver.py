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
from plait.learners.logistic.logistic_batch import Batch, Solution
from plait.learners.logistic.logistic_design import Design
from plait.learners.logistic.logistic_scheduler import Scheduler
from plait.learners.logistic.newton_preconditioner import LevelPreconditioner, chosen_preconditioner
from plait.learners.logistic.quasi_newton import approached
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
    """
    if design.order is not None:
        support = None if support is None else support[:, design.order]
        start = None if start is None else replace(start, coef=start.coef[:, design.order])
    batch = Batch.of(targets, strengths, columns, weights, weight_columns, support, start)
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
    precision = Precision(dtype)
    with one_blas_thread():
        preconditioner = chosen_preconditioner(design, support, precision.work)
        if batch.start is None and isinstance(preconditioner, LevelPreconditioner) and dtype != "float64":
            coef, intercept, taken = approached(batch, preconditioner, queue, tol, max_iter)
            batch = replace(batch, start=(coef, intercept), taken=taken)
        Scheduler(batch, preconditioner, precision, tol, max_iter).run(queue, found)
    if design.order is not None:
        found.coef[:, design.order] = found.coef.copy()
    return found
