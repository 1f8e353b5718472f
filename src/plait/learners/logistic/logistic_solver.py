"""Solve many L2 logistic regressions over one design: truncated Newton in panels of 8 or 16 problems.

Dense problems without a start are first brought near their optimum by a quasi-Newton method in float32.

Every problem minimises `strength * sum_i weight_i * loss_i + 1/2 ||coef||^2`, the intercept unpenalised. A problem's
result does not depend on the number of threads, nor on the others in the batch, to the last bit; only over a dense
design with masks the columns that all problems share matter, within the tolerance.
"""

from collections import deque
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
from plait.learners.logistic.logistic_panel import EMPTY, LogisticPanel
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner
from plait.learners.logistic.panel_conjugate_gradients import NewtonLanes, NewtonSystems
from plait.learners.logistic.panel_memory import LANES, NARROW
from plait.learners.logistic.solver_precision import Precision

__all__ = ["solve"]

# So many panels in flight give the lanes of conjugate gradients enough systems to choose from.
_PANELS = 4

# With so many problems left, narrow lanes are busy enough.
_FEW = 12


class Scheduler:
    """Problems enter panels, panels make Newton systems, lanes solve these, panels walk along the solutions.

    Parameters
    ----------
    batch : Batch
        The problems.
    preconditioner : DiagonalPreconditioner
        For the Newton systems; holds the shared matrix.
    precision : Precision
        Kinds of floats.
    tol, max_iter : float, int
        When a problem is done, see `solve`.
    """

    def __init__(
        self, batch: Batch, preconditioner: DiagonalPreconditioner, precision: Precision, tol: float, max_iter: int
    ) -> None:
        design = preconditioner.design
        n_lanes = NARROW if batch.n_problems <= NARROW else LANES
        # Panels wait for their slowest system: where systems take many steps, many small panels wait less.
        narrow = batch.n_problems <= (_PANELS * NARROW if preconditioner.diagonal else NARROW)
        held = NARROW if narrow else LANES
        n_panels = min(_PANELS, -(-batch.n_problems // held))
        self._panels = [LogisticPanel(design, batch, preconditioner, precision, tol, held) for _ in range(n_panels)]
        self._lanes = NewtonLanes(design, preconditioner, precision.work, n_lanes)
        self._systems: list[NewtonSystems | None] = [None] * n_panels
        self._pending = [0] * n_panels
        self._waiting: list[deque[int]] = [deque() for _ in range(n_panels)]
        self._origin = np.full((n_lanes, 2), EMPTY)
        self._preconditioner, self._precision, self._max_iter = preconditioner, precision, max_iter

    def run(self, queue: list[int], found: Solution) -> None:
        """Solve the problems of the queue, the last first."""
        each = -(-len(queue) // max(1, len(self._panels)))
        for place in range(len(self._panels)):
            self._refill(place, queue, each)
            self._open(place)
        self._settle(queue, found)
        while any(self._waiting) or self._lanes.running.any():
            self._narrow(queue)
            self._feed()
            self._collect(self._lanes.sweep())
            self._settle(queue, found)

    def _refill(self, place: int, queue: list[int], most: int = LANES) -> None:
        panel = self._panels[place]
        lanes = panel.free[: max(0, min(len(queue), most - len(panel.held)))]
        if len(lanes):
            panel.load(lanes, [queue.pop() for _ in lanes])

    def _open(self, place: int) -> None:
        """Make the systems of a panel; those that need no step of conjugate gradients do not wait."""
        panel = self._panels[place]
        if not len(panel.held):
            return
        systems = panel.systems()
        self._systems[place] = systems
        self._waiting[place].extend(int(lane) for lane in panel.held if systems.energy[lane] > systems.goal[lane])
        self._pending[place] = len(self._waiting[place])

    def _narrow(self, queue: list[int]) -> None:
        """Go on in fewer lanes once few problems are left: hard ones take long, and empty lanes cost as much."""
        running = np.flatnonzero(self._lanes.running)
        n_left = len(queue) + sum(len(panel.held) for panel in self._panels)
        if self._lanes.n_lanes == NARROW or n_left > _FEW or len(running) > NARROW:
            return
        fewer = NewtonLanes(self._preconditioner.design, self._preconditioner, self._precision.work, NARROW)
        fewer.adopt(self._lanes, running)
        origin = np.full((NARROW, 2), EMPTY)
        origin[: len(running)] = self._origin[running]
        self._lanes, self._origin = fewer, origin

    def _feed(self) -> None:
        """Load waiting systems into free lanes; the first panel, which holds the hardest problems, goes first."""
        for place, (systems, waiting) in enumerate(zip(self._systems, self._waiting, strict=True)):
            lanes = np.flatnonzero(~self._lanes.running)[: len(waiting)]
            if systems is not None and len(lanes):
                source = np.array([waiting.popleft() for _ in lanes])
                self._lanes.load(systems, source, lanes)
                self._origin[lanes, 0], self._origin[lanes, 1] = place, source

    def _collect(self, done: Ints) -> None:
        for place in np.unique(self._origin[done, 0]):
            lanes = done[self._origin[done, 0] == place]
            systems = self._systems[place]
            assert systems is not None
            self._lanes.unload(lanes, systems, self._origin[lanes, 1])
            self._pending[place] -= len(lanes)

    def _settle(self, queue: list[int], found: Solution) -> None:
        """Let every panel whose systems are all solved walk, retire what is done, and open its next systems."""
        for place, panel in enumerate(self._panels):
            while self._systems[place] is not None and self._pending[place] == 0:
                done = panel.walk()
                self._systems[place] = None
                self._retire(panel, done, found)
                self._refill(place, queue)
                self._merge(place)
                self._open(place)

    def _retire(self, panel: LogisticPanel, done: npt.NDArray[np.bool_], found: Solution) -> None:
        leaving = panel.held[(done | (panel.n_iter >= self._max_iter))[panel.held]]
        for lane in leaving:
            problem = panel.problems[lane]
            found.coef[problem] = panel.W[:, lane]
            found.intercept[problem] = panel.intercepts[lane]
            found.objective[problem] = panel.objective[lane]
            found.n_iter[problem] = panel.n_iter[lane]
            found.converged[problem] = done[lane]
        panel.clear(leaving)

    def _merge(self, place: int) -> None:
        """Move the problems of a panel to free lanes of a busy one where they are few: fuller panels cost less."""
        panel = self._panels[place]
        for other, systems in zip(self._panels, self._systems, strict=True):
            if other is not panel and systems is not None and 0 < len(panel.held) <= len(other.free):
                lanes = other.free[: len(panel.held)]
                other.adopt(lanes, panel, panel.held)


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
