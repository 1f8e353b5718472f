"""Solve many L2 logistic regressions over one design.

Dense designs: L-BFGS in float32, then float64, with Newton's method in reserve. Steps start from inverse Hessians with
equal IRLS weights, which labels share. A problem that takes long gets the inverse of its own Hessian, again and again:
Newton's method, each matrix serving several steps. Sparse designs: truncated Newton, 8 or 16 problems side by side.

Every problem minimises `strength * sum_i weight_i * loss_i + 1/2 ||coef||^2`, the intercept unpenalised. A problem's
result does not depend on the number of threads, nor on the others in the batch, to the last bit; only over a dense
design with masks the columns that all problems share matter, within the tolerance.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.parallel import Parallel, delayed, effective_n_jobs, one_blas_thread
from plait.learners.logistic.conjugate_gradients import NewtonLanes, NewtonSystems
from plait.learners.logistic.descent import SURE, Descent, DescentTask
from plait.learners.logistic.hessian_inverses import DensePreconditioner
from plait.learners.logistic.logistic_batch import Batch, FewExtras, Solution
from plait.learners.logistic.logistic_design import LANES, NARROW, DenseDesign, Design, SparseDesign
from plait.learners.logistic.newton import FEW_PRODUCTS, solve_newton
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner
from plait.learners.logistic.newton_steps import EMPTY, NewtonBlock, Precision
from plait.learners.logistic.row_matrices import SupportedRows

__all__ = ["FINEST", "POLISHING", "solve", "solve_dense"]

# After so many steps it is asked whether own Hessians pay: when they cost no more than a share of the steps so far.
EVERY, SHARE_OF_STEPS = 4, 0.5
# What a step costs beside its products, in multiplications, for each of some ten problems side by side. Nothing that is
# decided for a problem depends on how many there are.
OVERHEAD = 1.5e6
# Numbers of the design times problems from which on threads pay.
MANY = 2**21
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
    if not design.compiled and design.n_rows * design.n_columns**2 <= FEW_PRODUCTS:
        finest, more = (FINEST, POLISHING) if polish else (tol, 0)
        start = _start(design, batch)
        return solve_newton(design, batch, start, tol=tol, max_iter=max_iter, finest=finest, more=more)
    phases = phases_of(dtype, tol, single_first=design.compiled or not design.is_small)
    penalty = 1.0 / batch.strengths
    preconditioner = design.preconditioner(phases[0].dtype, penalty, batch.support, batch.shared_columns())
    coefficients, pairs, n_iter = _start(design, batch), None, np.zeros(batch.n_problems, dtype=np.int64)
    for phase in phases:
        task = _task(design, batch, preconditioner, phase.dtype)
        budget = max_iter - n_iter - (0 if phase.last_step else 1)
        descent = Descent(task, coefficients.astype(phase.dtype), budget, pairs=pairs)
        descent.earlier = n_iter
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
        spent += EVERY * (OVERHEAD + 2.0 * n_rows * size)
        descent.run(tol, EVERY, last_step=last_step)
        hessians = size * size * (0.5 * n_rows + 0.3 * size)
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


# So many blocks in flight give the lanes of conjugate gradients enough systems to choose from.
_PANELS = 4
# Numbers of rows times lanes that the blocks of a thread hold; each takes some 24 bytes.
_HELD = 2**25

# With so many problems left, narrow lanes are busy enough.
_FEW = 12


class Scheduler:
    """Problems enter blocks, blocks make Newton systems, lanes solve these, blocks walk along the solutions.

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
        # Blocks wait for their slowest system: where systems take many steps, many small blocks wait less.
        narrow = batch.n_problems <= (_PANELS * NARROW if preconditioner.diagonal else NARROW)
        held = NARROW if narrow else LANES
        n_blocks = min(_PANELS, -(-batch.n_problems // held), max(1, _HELD // (design.n_rows * held)))
        self._blocks = [NewtonBlock(design, batch, preconditioner, precision, tol, held) for _ in range(n_blocks)]
        self._lanes = NewtonLanes(design, preconditioner, precision.work, n_lanes)
        self._systems: list[NewtonSystems | None] = [None] * n_blocks
        self._pending = [0] * n_blocks
        self._waiting: list[deque[int]] = [deque() for _ in range(n_blocks)]
        self._origin = np.full((n_lanes, 2), EMPTY)
        self._preconditioner, self._precision, self._max_iter = preconditioner, precision, max_iter

    def run(self, queue: list[int], found: Solution, places: Ints) -> None:
        """Solve the problems of the queue, the last first; `places` says where in `found` each belongs."""
        self._places = places
        each = -(-len(queue) // max(1, len(self._blocks)))
        for place in range(len(self._blocks)):
            self._refill(place, queue, each)
            self._open(place)
        self._settle(queue, found)
        while any(self._waiting) or self._lanes.running.any():
            self._narrow(queue)
            self._feed()
            self._collect(self._lanes.sweep())
            self._settle(queue, found)

    def _refill(self, place: int, queue: list[int], most: int = LANES) -> None:
        block = self._blocks[place]
        lanes = block.free[: max(0, min(len(queue), most - len(block.held)))]
        if len(lanes):
            block.load(lanes, [queue.pop() for _ in lanes])

    def _open(self, place: int) -> None:
        """Make the systems of a block; those that need no step of conjugate gradients do not wait."""
        block = self._blocks[place]
        if not len(block.held):
            return
        systems = block.systems()
        self._systems[place] = systems
        self._waiting[place].extend(int(lane) for lane in block.held if systems.energy[lane] > systems.goal[lane])
        self._pending[place] = len(self._waiting[place])

    def _narrow(self, queue: list[int]) -> None:
        """Go on in fewer lanes once few problems are left: hard ones take long, and empty lanes cost as much."""
        running = np.flatnonzero(self._lanes.running)
        n_left = len(queue) + sum(len(block.held) for block in self._blocks)
        if self._lanes.n_lanes == NARROW or n_left > _FEW or len(running) > NARROW:
            return
        fewer = NewtonLanes(self._preconditioner.design, self._preconditioner, self._precision.work, NARROW)
        fewer.adopt(self._lanes, running)
        origin = np.full((NARROW, 2), EMPTY)
        origin[: len(running)] = self._origin[running]
        self._lanes, self._origin = fewer, origin

    def _feed(self) -> None:
        """Load waiting systems into free lanes; the first block, which holds the hardest problems, goes first."""
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
        """Let every block whose systems are all solved walk, retire what is done, and open its next systems."""
        for place, block in enumerate(self._blocks):
            while self._systems[place] is not None and self._pending[place] == 0:
                done = block.walk()
                self._systems[place] = None
                self._retire(block, done, found)
                self._refill(place, queue)
                self._merge(place)
                self._open(place)

    def _retire(self, block: NewtonBlock, done: npt.NDArray[np.bool_], found: Solution) -> None:
        leaving = block.held[(done | (block.n_iter >= self._max_iter))[block.held]]
        for lane in leaving:
            problem, order = int(block.problems[lane]), block.design.order
            place, coefficients = self._places[problem], block.W[:, lane]
            if order is not None:
                coefficients = np.empty_like(coefficients)
                coefficients[order] = block.W[:, lane]
            found.coef[place] = block.batch.kept(problem, coefficients)
            found.intercept[place] = block.intercepts[lane]
            found.objective[place] = block.objective[lane]
            found.n_iter[place] = block.n_iter[lane]
            found.converged[place] = done[lane]
        block.clear(leaving)

    def _merge(self, place: int) -> None:
        """Move the problems of a block to free lanes of a busy one where they are few: fuller blocks cost less."""
        block = self._blocks[place]
        for other, systems in zip(self._blocks, self._systems, strict=True):
            if other is not block and systems is not None and 0 < len(block.held) <= len(other.free):
                lanes = other.free[: len(block.held)]
                other.adopt(lanes, block, block.held)


def solve(
    design: Design,
    targets: Any,
    *,
    strengths: float | Floats = 1.0,
    columns: Sequence[int] | Ints | None = None,
    weights: Floats | None = None,
    weight_columns: Sequence[int] | Ints | None = None,
    support: npt.NDArray[np.bool_] | FewExtras | None = None,
    start: Solution | None = None,
    tol: float = 1e-6,
    max_iter: int = 100,
    dtype: str = "auto",
    polish: bool = False,
    shared: npt.NDArray[np.bool_] | None = None,
) -> Solution:
    """Return the solutions of a batch of problems.

    Parameters
    ----------
    design : Design
        The shared matrix, from `prepared_design`.
    targets : ndarray or sparse matrix of shape (n_rows, n_labels)
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
    support : ndarray of bool, shape (n_problems, n_columns), or FewExtras, optional
        Which columns of the design each problem may use; `FewExtras` for sparse designs only.
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
    shared : ndarray of bool, shape (n_columns,), optional
        Where these are some problems of many: which columns all of the many may use.
    """
    if sparse.issparse(targets):
        targets = targets.tocsc() if isinstance(design, SparseDesign) else targets.toarray()
    batch = Batch.of(targets, strengths, columns, weights, weight_columns, support, start)
    batch = batch if shared is None else replace(batch, shared=shared)
    how: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "dtype": dtype, "polish": polish}
    n_shares = min(effective_n_jobs(None), batch.n_problems) if design.n_numbers * batch.n_problems >= MANY else 1
    if n_shares == 1:
        return _solved(design, batch, **how)
    # Dealt out by rarity: hard problems, those of balanced labels, are shared evenly.
    by_rarity = np.argsort(batch.rarity(), kind="stable")
    shares = [by_rarity[first::n_shares] for first in range(n_shares)]
    # Over a sparse design, which may be wide, all threads write into one place.
    in_place = isinstance(design, SparseDesign) and not polish
    whole = Solution.empty(batch.n_problems, _width(design, batch)) if in_place else None
    tasks = (delayed(_solved)(design.for_thread(), batch.part(share), whole, share, **how) for share in shares)
    with one_blas_thread():  # here too: threads that end one after the other would each restore what they met
        found = Parallel(n_jobs=n_shares, prefer="threads")(tasks)
    return Solution.joined(found, np.argsort(np.concatenate(shares))) if whole is None else whole


def _solved(
    design: Design,
    batch: Batch,
    whole: Solution | None = None,
    places: Ints | None = None,
    *,
    tol: float,
    max_iter: int,
    dtype: str,
    polish: bool,
) -> Solution:
    with one_blas_thread(), np.errstate(invalid="ignore"):  # once around thousands of products, see `core.products`
        if isinstance(design, DenseDesign):
            return solve_dense(design, batch, tol=tol, max_iter=max_iter, dtype=dtype, polish=polish)
        assert isinstance(design, SparseDesign)
        found = _solve_sparse(design, batch, tol, max_iter, dtype, whole, None if whole is None else places)
        if not polish:
            return found
        near = replace(batch, start=(found.coef, found.intercept))
        fine = _solve_sparse(design, near, FINEST, POLISHING, dtype)
    return replace(fine, n_iter=found.n_iter, converged=found.converged)


def _width(design: Design, batch: Batch) -> int:
    """Return how many coefficients of a problem are kept."""
    return batch.support.width if isinstance(batch.support, FewExtras) else design.n_columns


def _solve_sparse(
    design: SparseDesign,
    batch: Batch,
    tol: float,
    max_iter: int,
    dtype: str,
    found: Solution | None = None,
    places: Ints | None = None,
) -> Solution:
    """Return the solutions by Newton's method with conjugate gradients, in `found` at `places` if these are given."""
    if design.order is not None:
        batch = batch.in_order(design.order)
    found = Solution.empty(batch.n_problems, _width(design, batch)) if found is None else found
    places = np.arange(batch.n_problems) if places is None else places
    # Hard problems, those of balanced labels, first, so that the end is not spent waiting for one of them.
    queue = [int(problem) for problem in np.argsort(batch.rarity(), kind="stable")]
    Scheduler(batch, DiagonalPreconditioner(design), Precision(dtype), tol, max_iter).run(queue, found, places)
    return found
