"""`PreparedProblem`: the logistic regressions of all labels of a problem, made ready once and solved for any C.

`GraphBatch`: those of several graphs on the same rows, again and again under other weights.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.core.chunked.dask_blocks import current_client, on_cluster
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.logistic.logistic_design import prepared_design
from plait.learners.logistic.logistic_solver import solve
from plait.learners.training.problem import (
    ParentColumns,
    Problem,
    class_weighted,
    constant_labels,
    constant_scores,
    weighing_rows,
)

__all__ = ["GraphBatch", "PreparedProblem", "Settings", "l2_penalty"]


class Settings(Protocol):
    """Parameters of a logistic learner that say how labels are fitted."""

    fit_intercept: bool
    standardize: bool | str
    scale_parents: bool
    class_weight: Any
    tol: float
    max_iter: int
    dtype: str


# Numbers of a design times labels from which on workers of a cluster are worth their messages.
MANY_ON_WORKERS = 1 << 24
# On a worker: problems prepared last.
_prepared: dict[str, "PreparedProblem"] = {}
_MOST_PREPARED = 4


def _solved_share(sent: tuple[Settings, Problem], key: str, share: Callable[[], tuple[Any, ...]]) -> Solution:
    """Solve a share of the labels on a worker, which prepares a problem once for all shares it gets."""
    found = _prepared.pop(key, None) or PreparedProblem(*sent)
    _prepared[key] = found  # the last one used stands last
    while len(_prepared) > _MOST_PREPARED:
        del _prepared[next(iter(_prepared))]
    return found.solve_some(*share())


class PreparedProblem:
    """Scaled columns of features and parents, class weights, and which labels have both values.

    Parameters
    ----------
    settings : Settings
        How labels are fitted.
    problem : Problem
        Rows that weigh nothing for any label are left out first.

    Attributes
    ----------
    rows : Problem
        The rows that weigh something, without class weights.
    fitted : ndarray of int
        Labels that have both values; all else is one number for each of them.
    """

    def __init__(self, settings: Settings, problem: Problem) -> None:
        self.settings, self.rows = settings, weighing_rows(problem)
        self._problem = class_weighted(self.rows, settings.class_weight)
        self._parents = ParentColumns.of(self._problem)
        self.fitted = np.flatnonzero(~constant_labels(self._problem.class_mass()))
        self.design = prepared_design(
            self.rows.X,
            self._parents.values,
            standardize=settings.standardize,
            fit_intercept=settings.fit_intercept,
            row_weights=self.rows.row_weights,
            scale_extra=settings.scale_parents,
        )
        support = self._parents.support(self._problem)
        self._support = None if support is None else support[self.fitted]
        self._sent: tuple[str, Any] | None = None  # what workers hold of it

    def solve(
        self, C: Floats, start: Solution | None = None, tol: float | None = None, *, polish: bool = False
    ) -> Solution:
        """Return the solutions for one C each, from a start if there is one.

        With `polish` those of small designs are found to the last digits: weights are then copies of rows. Where a
        Dask client is at hand, the labels of a large problem are shared out to its workers; bits stay the same.
        """
        # Without kernels, bits of products depend on how many labels there are.
        large = self.design.compiled and self.design.n_numbers * len(self.fitted) >= MANY_ON_WORKERS
        client = current_client() if large else None
        if client is not None:
            return self._solve_on_workers(client, C, start, tol, polish)
        return self.solve_some(np.arange(len(self.fitted)), C, start, tol, polish)

    def _solve_on_workers(
        self, client: Any, C: Floats, start: Solution | None, tol: float | None, polish: bool
    ) -> Solution:
        """Hand a share of the labels to every thread of the workers; Dask solves the share of a lost one again."""
        n_shares = min(max(1, sum(client.nthreads().values())), max(1, len(self.fitted)))
        if self._sent is None:
            self._sent = f"{id(self)}-{time.time_ns()}", on_cluster(client, (self.settings, self.rows))
        key, rows = self._sent
        # Dealt out by rarity, as threads get them: hard problems are shared evenly.
        by_rarity = np.argsort(self._problem.class_mass()[self.fitted].min(axis=1), kind="stable")
        shares = [by_rarity[first::n_shares] for first in range(n_shares)]
        starts = [None if start is None else Solution.start(start.coef[some], start.intercept[some]) for some in shares]
        tasks = [
            client.submit(
                _solved_share, rows, key, partial(tuple, (some, C[some], begin, tol, polish)), pure=False, retries=3
            )
            for some, begin in zip(shares, starts, strict=True)
        ]
        found = [task.result() for task in tasks]
        return Solution.joined(found, np.argsort(np.concatenate(shares)))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_sent": None}

    def solve_some(self, some: Ints, C: Floats, start: Solution | None, tol: float | None, polish: bool) -> Solution:
        """Return the solutions of some of the fitted labels, here; C and start are theirs."""
        return solve(
            self.design,
            self._problem.Y,
            strengths=C,
            columns=self.fitted[some],
            weights=self._problem.weights,
            support=None if self._support is None else self._support[some],
            shared=None if self._support is None else np.asarray(self._support.all(axis=0)),
            start=start,
            tol=self.settings.tol if tol is None else tol,
            max_iter=self.settings.max_iter,
            dtype=self.settings.dtype,
            polish=polish and self.design.is_small,
        )

    def start_at(self, earlier: LinearConditionals) -> Solution:
        """Return earlier conditionals in units of the design."""
        coef = np.hstack([earlier.dense_coef, earlier.parent_coef_[:, self._parents.labels]])[self.fitted]
        return Solution.start(*self.design.prepared(coef, earlier.intercept_[self.fitted]))

    def conditionals(self, C: Floats, solution: Solution, made_by: str, *, last: bool = False) -> LinearConditionals:
        """Return the conditionals of all labels, in units of X; the last use of a solution writes over it."""
        n_labels, n_features = self.rows.n_labels, self.rows.X.shape[1]
        coef, intercept = self.design.original(solution.coef, solution.intercept, in_place=last)
        parent_coef = np.zeros((n_labels, n_labels))
        parent_coef[np.ix_(self.fitted, self._parents.labels)] = coef[:, n_features:]
        whole = coef.shape == (n_labels, n_features)
        return LinearConditionals(
            self.rows.graph,
            coef if whole else self._whole(np.zeros((n_labels, n_features)), coef[:, :n_features]),
            parent_coef,
            self._whole(constant_scores(self.rows.class_mass()), intercept),
            n_iter_=self._whole(np.zeros(n_labels, dtype=np.int64), solution.n_iter),
            converged_=self._whole(np.ones(n_labels, dtype=np.bool_), solution.converged),
            C_=self._whole(np.full(n_labels, np.nan), C),
            made_by=made_by,
        )

    def _whole(self, values: Any, fitted: Any) -> Any:
        """Return values of all labels, those of the fitted ones replaced."""
        values[self.fitted] = fitted
        return values


class GraphBatch:
    """All labels of all graphs are one batch over one design, which is prepared once.

    A fit gives what `learner.fit` gives for each graph, up to the tolerance: strengths of the penalty are those of the
    conditionals to start from. Labels that have one value under the weights of now stay as they were, whose likelihood
    no step of EM may lower; the estimate that `learner.fit` gives them could. There are no class weights and no masks.

    Parameters
    ----------
    learner : LogisticLearner
        Says how columns are scaled and labels are solved.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features of rows that all weigh something.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    """

    def __init__(self, learner: Any, X: Any, Y: npt.NDArray[np.uint8]) -> None:
        self.learner, self.Y = learner, Y
        self.n_features = X.shape[1]
        # Every label that varies stands beside X: any of them may be a parent in some graph.
        self.parents = np.flatnonzero(Y.min(axis=0) != Y.max(axis=0))
        self.design = prepared_design(
            X,
            np.ascontiguousarray(Y[:, self.parents]) if len(self.parents) else None,
            standardize=learner.standardize,
            fit_intercept=learner.fit_intercept,
            scale_extra=learner.scale_parents,
        )

    def fit(self, starts: Sequence[LinearConditionals], weights: Floats, tol: float) -> list[LinearConditionals]:
        """Return the conditionals over the graphs of `starts`, trained from there.

        Parameters
        ----------
        starts : sequence of LinearConditionals
            Graphs, strengths and where to start.
        weights : ndarray of shape (n_samples, n_graphs)
            Weights of rows in every graph.
        tol : float
            When a label is solved, see `solve`.
        """
        q = self.Y.shape[1]
        mass = self._class_mass(weights)
        fitted = ~constant_labels(mass)
        strengths = np.concatenate([_strengths(part) for part in starts])
        begin = self._begin(starts)
        solution = solve(
            self.design,
            self.Y,
            strengths=strengths[fitted],
            columns=np.tile(np.arange(q), len(starts))[fitted],
            weights=weights,
            weight_columns=np.repeat(np.arange(len(starts)), q)[fitted],
            support=self._support(starts)[fitted],
            start=Solution.start(begin.coef[fitted], begin.intercept[fitted]),
            tol=tol,
            max_iter=self.learner.max_iter,
            dtype=self.learner.dtype,
        )
        coef, intercept = self._coefficients(starts)
        coef[fitted], intercept[fitted] = self.design.original(solution.coef, solution.intercept)
        n_iter, converged = np.zeros(len(coef), dtype=np.int64), np.ones(len(coef), dtype=np.bool_)
        n_iter[fitted], converged[fitted] = solution.n_iter, solution.converged
        places = [slice(k * q, (k + 1) * q) for k in range(len(starts))]
        return [
            replace(
                self._conditionals(part, coef[here], intercept[here]),
                n_iter_=n_iter[here],
                converged_=converged[here],
                C_=strengths[here],
            )
            for part, here in zip(starts, places, strict=True)
        ]

    def _class_mass(self, weights: Floats) -> Floats:
        """Return the weight of the rows of each class, labels of one graph after those of another."""
        ones = (weights.T @ self.Y.astype(np.float64)).ravel()
        total = np.repeat(weights.sum(axis=0), self.Y.shape[1])
        return np.column_stack([total - ones, ones])

    def _support(self, starts: Sequence[LinearConditionals]) -> npt.NDArray[np.bool_]:
        q = self.Y.shape[1]
        support = np.zeros((len(starts) * q, self.n_features + q), dtype=np.bool_)
        support[:, : self.n_features] = True
        edges = [
            (k * q + label, self.n_features + parent)
            for k, part in enumerate(starts)
            for label, parents in enumerate(part.graph.parents)
            for parent in parents
        ]
        support[tuple(np.array(edges, dtype=np.int64).reshape(-1, 2).T)] = True
        return support[:, np.append(np.arange(self.n_features), self.n_features + self.parents)]

    def _begin(self, starts: Sequence[LinearConditionals]) -> Solution:
        coef, intercept = self.design.prepared(*self._coefficients(starts))
        return Solution.start(coef, intercept)

    def _coefficients(self, starts: Sequence[LinearConditionals]) -> tuple[Floats, Floats]:
        coef = np.vstack([np.hstack([part.dense_coef, part.parent_coef_[:, self.parents]]) for part in starts])
        return coef, np.concatenate([part.intercept_ for part in starts])

    def _conditionals(self, part: LinearConditionals, coef: Floats, intercept: Floats) -> LinearConditionals:
        parent_coef = np.zeros_like(part.parent_coef_)
        parent_coef[:, self.parents] = coef[:, self.n_features :]
        own = np.ascontiguousarray(coef[:, : self.n_features])
        return replace(part, coef_=own, parent_coef_=parent_coef, intercept_=intercept)


def _strengths(part: LinearConditionals) -> Floats:
    assert part.C_ is not None
    return np.where(np.isnan(part.C_), 1.0, part.C_)


def l2_penalty(scales: Floats, parent_scales: Floats, conditionals: Sequence[Any]) -> float:
    """Return `sum_k ||w_k||^2 / (2 C_k)` of linear conditionals, features and parents in units of their scales.

    A label with one value is not fitted, has no C and counts nothing.
    """
    coef = np.concatenate([part.dense_coef for part in conditionals]) * scales
    parent_coef = np.concatenate([part.parent_coef_ for part in conditionals]) * parent_scales
    C = np.concatenate([part.C_ for part in conditionals])
    sizes = np.square(coef).sum(axis=1) + np.square(parent_coef).sum(axis=1)
    fitted = np.isfinite(C)
    return float((sizes[fitted] / (2.0 * C[fitted])).sum())
