"""`PairFits`: the fits P(y_i | x) of all labels, and P(y_i | x, y_j) of all pairs, target by target."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Array, Floats, Ints
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.pairs.pair_designs import PairDesign, pair_design
from plait.learners.pairs.pair_solver import PairTask, solve_pairs
from plait.learners.training.column_scaling import column_means, column_scales
from plait.learners.training.problem import Problem, constant_labels
from plait.learners.training.weights import class_weighted, weighing_rows

__all__ = ["FeatureGroup", "PairFits", "PairLearner", "TargetPairs"]


# From this many columns on, a matrix of second derivatives costs more than the steps it saves.
MOST_COLUMNS = 4000
# Targets whose matrices of second derivatives are made together, and how many numbers these may hold.
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
        centred = learner.fit_intercept and not sparse.issparse(training.X)
        self.centres = column_means(training.X) if centred else np.zeros(training.X.shape[1])
        single = learner.dtype != "float64" and learner.tol >= FINEST_SINGLE
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self._designs: dict[Any, tuple[Any, FeatureGroup, PairDesign]] = {}

    def groups(self) -> list[FeatureGroup]:
        """Return the labels that vary, grouped by the features they may use."""
        support = self.problem.support
        if support is None:
            return [FeatureGroup(None, self.varying)]
        rows, kind = np.unique(support[self.varying], axis=0, return_inverse=True)
        return [
            FeatureGroup(np.flatnonzero(row), self.varying[kind.ravel() == number]) for number, row in enumerate(rows)
        ]

    def design(self, X: Any, group: FeatureGroup, dtype: Any) -> PairDesign:
        """Return rows, of training or others, as the fits of a group see them; the last few are kept."""
        key = (id(X), id(group), np.dtype(dtype))
        if key not in self._designs:
            part: Any = slice(None) if group.columns is None else group.columns
            # X and group are kept too: while they live no other object has their number.
            kept = pair_design(
                X[:, part], self.scales[part], self.centres[part], intercept=self.learner.fit_intercept, dtype=dtype
            )
            self._designs = dict([*list(self._designs.items())[-2:], (key, (X, group, kept))])
        return self._designs[key][2]

    def pairs(self) -> Iterator[TargetPairs]:
        """Yield the fits of all pairs of varying labels, one target at a time."""
        for group in self.groups():
            design = self.design(self.problem.X, group, self.dtype)
            n_targets = min(max(MOST_NUMBERS // design.size**2, 1), MOST_TARGETS)
            for first in range(0, group.targets.size, n_targets):
                for task, target in self._tasks(design, group, group.targets[first : first + n_targets]):
                    yield self._solved(group, task, target)

    def _tasks(self, design: PairDesign, group: FeatureGroup, targets: Ints) -> Iterator[tuple[PairTask, int]]:
        """Yield the tasks of a few targets; their matrices of second derivatives are made together."""
        kind = design.dtype
        labels = np.ascontiguousarray(self.problem.Y.T, dtype=kind)
        start = self._start(group, targets).astype(kind)
        scores = design.scores(start)
        weights = np.stack([self._weights(target) for target in targets]).astype(kind)
        p = expit(scores)
        grams = design.grams(weights * p * (1.0 - p)) if design.size <= MOST_COLUMNS else [None] * len(targets)
        for place, target in enumerate(targets):
            parents = labels[self._parents(target)]
            penalty = self._penalty(design.size, target).astype(kind)
            known = (start[place], scores[place], grams[place])
            yield PairTask(design, labels[target], weights[place], parents, penalty, *known), int(target)

    def _parents(self, target: int) -> Ints:
        return self.varying[self.varying != target]

    def _solved(self, group: FeatureGroup, task: PairTask, target: int) -> TargetPairs:
        tol, max_iter = CAUTION * self.learner.tol, self.learner.max_iter
        coefficients, reached = solve_pairs(task, tol=tol, max_iter=max_iter)
        if not reached.all():
            exact = self.design(self.problem.X, group, np.float64)
            again, _ = next(self._tasks(exact, group, np.array([target])))
            better, reached_now = solve_pairs(again.of(~reached), tol=tol, max_iter=10 * max_iter)
            coefficients = coefficients.astype(np.float64)
            coefficients[~reached] = better
            reached[~reached] = reached_now
        return TargetPairs(group, target, self._parents(target), coefficients, reached)

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
        penalty = np.full(size + 1, 1.0 / strengths[target])
        if self.learner.fit_intercept:
            penalty[-2] = 0.0
        return penalty
