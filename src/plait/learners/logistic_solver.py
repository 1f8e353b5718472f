"""Solve many L2 logistic regressions over one design: truncated Newton in panels of 16, refilled from a queue.

Every problem minimises `strength * sum_i weight_i * loss_i + 1/2 ||coef||^2`, the intercept unpenalised. A problem's
result does not depend on the others in the batch, to the last bit.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.learners._lanes import LANES
from plait.learners.logistic_batch import Batch, Solution
from plait.learners.logistic_design import Design
from plait.learners.logistic_panel import EMPTY, LogisticPanel, Precision

__all__ = ["solve"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def solve(
    design: Design,
    targets: npt.NDArray[Any],
    *,
    strengths: float | Floats = 1.0,
    columns: Sequence[int] | Indices | None = None,
    weights: Floats | None = None,
    weight_columns: Sequence[int] | Indices | None = None,
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
        Most Newton steps for each problem.
    dtype : {"auto", "float32", "float64"}
        Floats to work with, see `Precision`.
    """
    batch = Batch.of(targets, strengths, columns, weights, weight_columns, support, start)
    shape = (batch.n_problems, design.n_columns)
    found = Solution(
        np.zeros(shape),
        np.zeros(shape[0]),
        np.zeros(shape[0]),
        np.zeros(shape[0], dtype=np.int64),
        np.zeros(shape[0], dtype=np.bool_),
    )
    # Hard problems, those of balanced labels, first, so that the last panel is not left waiting for one of them.
    queue = list(np.argsort(batch.rarity(), kind="stable"))
    _run(LogisticPanel(design, batch, Precision(dtype), tol), queue, found, max_iter)
    return found


def _run(panel: LogisticPanel, queue: list[int], found: Solution, max_iter: int) -> None:
    """Solve the problems of the queue, last first, in one panel."""
    free = np.arange(LANES)
    while queue or (panel.problems != EMPTY).any():
        if queue or len(free):
            panel.load(free, np.array([queue.pop() if queue else EMPTY for _ in free], dtype=np.int64))
        done = panel.step()
        leaving = done | ((panel.n_iter >= max_iter) & (panel.problems != EMPTY))
        for lane in np.flatnonzero(leaving):
            _keep(panel, int(lane), found, bool(done[lane]))
        free = np.flatnonzero(leaving)


def _keep(panel: LogisticPanel, lane: int, found: Solution, converged: bool) -> None:
    problem = panel.problems[lane]
    found.coef[problem] = panel.W[:, lane]
    found.intercept[problem] = panel.intercepts[lane]
    found.objective[problem] = panel.objective[lane]
    found.n_iter[problem] = panel.n_iter[lane]
    found.converged[problem] = converged
    panel.problems[lane] = EMPTY
