"""`PairFits`: the fits P(y_i | x) of all labels, and P(y_i | x, y_j) of all pairs, target by target."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Array, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.learners.label_pairs.pair_solver import PairTask, solve_pairs
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.logistic.logistic_batch import MOST_STRENGTH
from plait.learners.logistic.logistic_design import SMALL
from plait.learners.logistic.row_matrices import DenseRows, SparseRows
from plait.learners.training.column_scaling import column_means, column_scales
from plait.learners.training.problem import Problem, constant_labels
from plait.learners.training.weights import class_weighted, weighing_rows

__all__ = ["FeatureGroup", "PairFits", "PairLearner", "TargetPairs"]


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

    `coefficients` (n_pairs, n_columns + 2) are in units of the design: features, intercept, parent. Without an
    intercept that column is missing.
    """

    group: FeatureGroup
    target: int
    parents: Ints
    coefficients: Array
    reached: npt.NDArray[np.bool_]


class PairFits:
    """Fits of single labels, made at once, and of pairs, made while `pairs()` is read: never all in memory.

    Parameters
    ----------
    learner : PairLearner
        Trains the single labels and says how the pairs are trained.
    problem : Problem
        Training rows; its graph is not used.
    """

    def __init__(self, learner: PairLearner, problem: Problem) -> None:
        self.learner = learner
        self.alone = learner._fit(problem, None)
        training = weighing_rows(problem)
        self.problem = class_weighted(training, learner.class_weight)
        self.varying = np.flatnonzero(~constant_labels(self.problem.class_mass()))
        self.scales = column_scales(training.X, learner.standardize, training.row_weights)
        self.compiled = kernels_pay(training.X.shape[0] * training.X.shape[1], SMALL + 1)
        self._sparse = self.compiled and sparse.issparse(training.X)
        centred = learner.fit_intercept and not self._sparse
        self.centres = column_means(training.X) if centred else np.zeros(training.X.shape[1])
        single = self.compiled and learner.dtype != "float64" and learner.tol >= FINEST_SINGLE
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self._matrices: dict[Any, tuple[Any, FeatureGroup, Rows]] = {}

    def groups(self) -> list[FeatureGroup]:
        """Return the labels that vary, grouped by the features they may use."""
        support = self.problem.support
        if support is None:
            return [FeatureGroup(None, self.varying)]
        rows, kind = np.unique(support[self.varying], axis=0, return_inverse=True)
        return [
            FeatureGroup(np.flatnonzero(row), self.varying[kind.ravel() == number]) for number, row in enumerate(rows)
        ]

    def matrix(self, X: Any, group: FeatureGroup, dtype: Any) -> Rows:
        """Return rows, of training or others, as the fits of a group see them; the last few are kept."""
        key = (id(X), id(group), np.dtype(dtype))
        if key not in self._matrices:
            # X and group are kept too: while they live no other object has their number.
            kept = (X, group, self._made(X, group, dtype))
            self._matrices = dict([*list(self._matrices.items())[-2:], (key, kept)])
        return self._matrices[key][2]

    def _made(self, X: Any, group: FeatureGroup, dtype: Any) -> Rows:
        part: Any = slice(None) if group.columns is None else group.columns
        form = {"intercept": self.learner.fit_intercept, "dtype": dtype}
        if self._sparse:
            return SparseRows(X[:, part], self.scales[part], **form)
        values = X[:, part].toarray() if sparse.issparse(X) else X[:, part]
        return DenseRows(values, self.scales[part], self.centres[part], **form, compiled=self.compiled)

    def pairs(self) -> Iterator[TargetPairs]:
        """Yield the fits of all pairs of varying labels, one target after the other."""
        for group in self.groups():
            matrix = self.matrix(self.problem.X, group, self.dtype)
            most = min(max(MOST_NUMBERS // matrix.size**2, 1), MOST_TARGETS)
            for first in range(0, group.targets.size if len(self.varying) > 1 else 0, most):
                yield from self._solved(group, matrix, group.targets[first : first + most])

    def _task(self, matrix: Rows, group: FeatureGroup, targets: Ints) -> PairTask:
        """Return the pairs of a few targets."""
        kind, n_parents = matrix.dtype, len(self.varying) - 1
        start = self._start(group, targets).astype(kind)
        scores = matrix.scores(start)
        weights = np.stack([self._weights(target) for target in targets]).astype(kind)
        p = expit(scores)
        return PairTask(
            matrix,
            np.ascontiguousarray(self.problem.Y.T, dtype=kind),
            targets,
            np.repeat(np.arange(len(targets)), n_parents),
            np.concatenate([self._parents(target) for target in targets]),
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
        n_parents, n_entries = len(self.varying) - 1, matrix.values.nnz
        factors = DENSE_SHARE * (matrix.size**3 / 3.0 + 10.0 * n_parents * matrix.size**2)
        return bool(factors <= MORE_STEPS * n_parents * (4.0 * n_entries + 20.0 * matrix.values.shape[0]))

    def _parents(self, target: int) -> Ints:
        return self.varying[self.varying != target]

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
        for place, target in enumerate(targets.tolist()):
            here = task.target_of == place
            yield TargetPairs(group, target, self._parents(target), coefficients[here], reached[here])

    def _start(self, group: FeatureGroup, targets: Ints) -> Floats:
        """Return the fits without parents in units of the design, the intercept last."""
        part: Any = slice(None) if group.columns is None else group.columns
        coef = self.alone.coef_[targets][:, part]
        start = coef * self.scales[part]
        if self.learner.fit_intercept:
            intercept = self.alone.intercept_[targets] + coef @ self.centres[part]
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
