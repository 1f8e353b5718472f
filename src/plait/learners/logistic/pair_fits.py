"""`PairFits`: the fits P(y_i | x) of all labels, and P(y_i | x, y_j) of all pairs, target by target."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.parallel import Parallel, delayed, effective_n_jobs, one_blas_thread
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.logistic.descent import MEMORY, Descent, DescentTask, Preconditioner
from plait.learners.logistic.hessian_inverses import BorderedInverses, DiagonalInverses
from plait.learners.logistic.logistic_batch import MOST_STRENGTH
from plait.learners.logistic.logistic_design import PLAIN
from plait.learners.logistic.row_matrices import DenseRows, SparseRows, in_eights
from plait.learners.training.column_scaling import column_means, column_scales
from plait.learners.training.problem import Problem, class_weighted, constant_labels, weighing_rows

__all__ = ["FeatureGroup", "PairFits", "PairLearner", "PairTask", "TargetPairs", "solve_pairs"]

# Scores and curvature pairs that are held at once may take so many numbers.
MOST_HELD = 2**20


@dataclass(frozen=True, eq=False)
class PairTask:
    """Pairs: each minimises sum of weight * log-loss + sum of penalty * coefficient^2 / 2.

    Parameters
    ----------
    matrix : DenseRows or SparseRows
        Features, with the intercept's column.
    labels, parents : ndarray, shape (n_labels, n_samples)
        Values of all labels, and those that they have as parents, which may be scaled.
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
    parents: Array
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
        n_parts = min(-(-numbers // MOST_HELD), n_targets)
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
        scores += coefficients[:, -1:] * self.parents[self.parent_of[rows]]
        return scores

    def gradients(self, residuals: Array, rows: Ints) -> Array:
        """Return the derivatives that residuals cause, the parent's last."""
        out = np.empty((len(residuals), self.penalty.shape[1]), dtype=residuals.dtype)
        out[:, :-1] = self.matrix.gradients(residuals)
        out[:, -1] = np.einsum("ij,ij->i", residuals, self.parents[self.parent_of[rows]])
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
    gradient[:, -1] = in_eights(residual, task.parents.T)[of, task.parent_of]
    loss = np.einsum("ij,ij->i", task.weights, np.logaddexp(0.0, task.alone) - y * task.alone, dtype=np.float64)
    objective = loss + 0.5 * np.einsum("ij,ij,ij->i", task.penalty[:, :-1], task.start, task.start)
    return gradient, objective[of], curvature[of]


def _preconditioner(task: PairTask, irls_weights: Array) -> Preconditioner:
    parts = (task.matrix, irls_weights, task.penalty, task.parents, task.target_of, task.parent_of)
    return DiagonalInverses(*parts) if task.grams is None else BorderedInverses(task.grams, *parts)


Rows = DenseRows | SparseRows

# From this many columns on, a Hessian costs more than the steps it saves.
MOST_COLUMNS = 4000
# What a multiplication of dense matrices costs beside one of sparse ones, and the steps that whole Hessians save.
DENSE_SHARE, MORE_STEPS = 0.1, 6.0
# Targets whose Hessians are made together, and how many numbers these may hold.
MOST_TARGETS = 16
MOST_NUMBERS = 2**25
# A finer tolerance than this is beyond float32.
FINEST_SINGLE = 1e-7
# What a step promises is judged with the curvature of the fit without parents, which can be too high: be stricter.
CAUTION = 0.2


class PairLearner(Protocol):
    """What the pairs ask of a logistic learner."""

    fit_intercept: bool
    standardize: bool | str
    scale_parents: bool
    class_weight: Any
    tol: float
    max_iter: int
    dtype: str

    def _fit(self, problem: Problem, start: None) -> LinearConditionals: ...


@dataclass(frozen=True, eq=False)
class FeatureGroup:
    """Targets that use the same features; `columns` is None where they use all."""

    columns: Ints | None
    targets: Ints


@dataclass(frozen=True, eq=False)
class TargetPairs:
    """The fits P(y_target | x, y_j) for every j in `parents`.

    `coefficients` (n_pairs, n_columns + 2) are in units of the design: features, intercept, parent (of 0 and 1).
    Without an intercept that column is missing.
    """

    group: FeatureGroup
    target: int
    parents: Ints
    coefficients: Array
    reached: npt.NDArray[np.bool_]


class PairFits:
    """Fits of single labels, made at once, and of pairs, made by `each`: never all in memory.

    Parameters
    ----------
    learner : PairLearner
        Trains the single labels and says how the pairs are trained.
    problem : Problem
        Training rows; its graph is not used.
    candidates : sequence of ndarray of int, optional
        The parents that each label is trained with; by default all other labels.
    """

    def __init__(self, learner: PairLearner, problem: Problem, candidates: Sequence[Ints] | None = None) -> None:
        self.learner, self._candidates = learner, candidates
        self.alone = learner._fit(problem, None)
        training = weighing_rows(problem)
        self.problem = class_weighted(training, learner.class_weight)
        self.varying = np.flatnonzero(~constant_labels(self.problem.class_mass()))
        self.scales = column_scales(training.X, learner.standardize, training.row_weights)
        parents = training.parent_values.astype(np.float64)
        self._parent_scales = column_scales(parents, learner.scale_parents, training.row_weights)
        self.compiled = kernels_pay(training.X.shape[0] * training.X.shape[1], PLAIN + 1)
        self._sparse = self.compiled and sparse.issparse(training.X)
        centred = learner.fit_intercept and not self._sparse
        self.centres = column_means(training.X) if centred else np.zeros(training.X.shape[1])
        single = self.compiled and learner.dtype != "float64" and learner.tol >= FINEST_SINGLE
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self._matrices: dict[Any, tuple[Any, FeatureGroup, Rows]] = {}

    def groups(self) -> list[FeatureGroup]:
        """Return the labels that vary and have parents to be trained with, grouped by the features they may use."""
        support, targets = self.problem.support, self.varying
        if self._candidates is not None:
            targets = np.array([target for target in targets.tolist() if self._parents(target).size], dtype=np.int64)
        if support is None or not targets.size:
            return [FeatureGroup(None, targets)]
        rows, kind = np.unique(support[targets], axis=0, return_inverse=True)
        return [FeatureGroup(np.flatnonzero(row), targets[kind.ravel() == number]) for number, row in enumerate(rows)]

    def matrix(self, X: Any, group: FeatureGroup, dtype: Any) -> Rows:
        """Return rows, of training or others, as the fits of a group see them; the last few are kept."""
        key = (id(X), id(group), np.dtype(dtype))
        kept = self._matrices.get(key)
        if kept is None:
            # X and group are kept too: while they live no other object has their number.
            kept = (X, group, self._made(X, group, dtype))
            self._matrices = dict([*list(self._matrices.items())[-2:], (key, kept)])
        return kept[2]

    def _made(self, X: Any, group: FeatureGroup, dtype: Any) -> Rows:
        part: Any = slice(None) if group.columns is None else group.columns
        form = {"intercept": self.learner.fit_intercept, "dtype": dtype}
        if self._sparse:
            return SparseRows(X[:, part], self.scales[part], **form)
        values = X[:, part].toarray() if sparse.issparse(X) else X[:, part]
        return DenseRows(values, self.scales[part], self.centres[part], **form, compiled=self.compiled)

    def each(self, use: Callable[[TargetPairs], None], *others: Any) -> None:
        """Hand the fits of all pairs of varying labels to a function, target by target, in threads if jobs are given.

        `others` are further rows whose matrices it asks for, made before threads do.
        """
        n_threads = effective_n_jobs(None)
        with one_blas_thread():
            for group in self.groups() if len(self.varying) > 1 else []:
                matrix = self.matrix(self.problem.X, group, self.dtype)
                for X in others:
                    self.matrix(X, group, self.dtype)
                most = min(max(MOST_NUMBERS // matrix.size**2, 1), MOST_TARGETS, -(-group.targets.size // n_threads))
                firsts = range(0, group.targets.size, most)
                tasks = (delayed(self._used)(use, group, matrix, group.targets[k : k + most]) for k in firsts)
                Parallel(n_jobs=n_threads, require="sharedmem")(tasks)

    @np.errstate(invalid="ignore")  # for the products of all steps, see `core.products`
    def _used(self, use: Callable[[TargetPairs], None], group: FeatureGroup, matrix: Rows, targets: Ints) -> None:
        for pairs in self._solved(group, matrix, targets):
            use(pairs)

    def _task(self, matrix: Rows, group: FeatureGroup, targets: Ints) -> PairTask:
        """Return the pairs of a few targets."""
        kind, parents_of = matrix.dtype, [self._parents(target) for target in targets]
        labels = np.ascontiguousarray(self.problem.Y.T, dtype=kind)
        parents = labels
        if self.problem.parents is not None:
            parents = np.ascontiguousarray(self.problem.parents.T, dtype=kind)
        start = self._start(group, targets).astype(kind)
        scores = matrix.scores(start)
        weights = np.stack([self._weights(target) for target in targets]).astype(kind)
        p = expit(scores)
        return PairTask(
            matrix,
            labels,
            (parents / self._parent_scales[:, None]).astype(kind) if self.learner.scale_parents else parents,
            targets,
            np.repeat(np.arange(len(targets)), [len(each) for each in parents_of]),
            np.concatenate(parents_of),
            weights,
            np.stack([self._penalty(matrix.size, target) for target in targets]).astype(kind),
            start,
            scores,
            matrix.grams(weights * p * (1.0 - p)) if self._hessians_pay(matrix) else None,
            self.compiled,
        )

    def _hessians_pay(self, matrix: Rows) -> bool:
        """Say whether factors of whole Hessians cost less than the steps that their diagonals alone take more."""
        if not isinstance(matrix, SparseRows) or matrix.size > MOST_COLUMNS:
            return matrix.size <= MOST_COLUMNS
        n_parents, n_entries = self._n_parents, matrix.values.nnz
        factors = DENSE_SHARE * (matrix.size**3 / 3.0 + 10.0 * n_parents * matrix.size**2)
        return bool(factors <= MORE_STEPS * n_parents * (4.0 * n_entries + 20.0 * matrix.values.shape[0]))

    def _parents(self, target: int) -> Ints:
        if self._candidates is None:
            return self.varying[self.varying != target]
        return np.intersect1d(self._candidates[target], self.varying)

    @property
    def _n_parents(self) -> int:
        """Most parents that a label is trained with."""
        most = len(self.varying) - 1
        return most if self._candidates is None else min(most, max(map(len, self._candidates), default=0))

    def _solved(self, group: FeatureGroup, matrix: Rows, targets: Ints) -> Iterator[TargetPairs]:
        """Yield the pairs of a few targets; those that float32 does not solve are tried again in float64."""
        task, tol, max_iter = self._task(matrix, group, targets), CAUTION * self.learner.tol, self.learner.max_iter
        coefficients, reached = solve_pairs(task, tol=tol, max_iter=max_iter)
        if not reached.all():
            hard = np.unique(task.target_of[~reached])
            exact = self._task(self.matrix(self.problem.X, group, np.float64), group, targets[hard])
            left = np.flatnonzero(~reached[np.isin(task.target_of, hard)])
            exact = replace(exact, target_of=exact.target_of[left], parent_of=exact.parent_of[left])
            better, reached_now = solve_pairs(exact, tol=tol, max_iter=10 * max_iter)
            coefficients = coefficients.astype(np.float64)
            coefficients[~reached] = better
            reached[~reached] = reached_now
        coefficients[:, -1] /= self._parent_scales[task.parent_of]
        for place, target in enumerate(targets.tolist()):
            here = task.target_of == place
            yield TargetPairs(group, target, self._parents(target), coefficients[here], reached[here])

    def _start(self, group: FeatureGroup, targets: Ints) -> Floats:
        """Return the fits without parents in units of the design, the intercept last."""
        part: Any = slice(None) if group.columns is None else group.columns
        coef = self.alone.coef_[targets][:, part]
        start = coef * self.scales[part]
        if self.learner.fit_intercept:
            intercept = self.alone.intercept_[targets] + (coef * self.centres[part]).sum(axis=1)
            start = np.column_stack([start, intercept])
        return np.asarray(start)

    def _weights(self, target: int) -> Floats:
        weights = self.problem.weights_of(target)
        if weights is None:
            return np.ones(self.problem.Y.shape[0])
        return weights

    def _penalty(self, size: int, target: int) -> Floats:
        strengths = self.alone.C_
        assert strengths is not None
        penalty = np.full(size + 1, 1.0 / min(float(strengths[target]), MOST_STRENGTH))
        if self.learner.fit_intercept:
            penalty[-2] = 0.0
        return penalty
