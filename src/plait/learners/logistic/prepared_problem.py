"""`PreparedProblem`: the logistic regressions of all labels of a problem, made ready once and solved for any C.

`GraphBatch`: those of several graphs on the same rows, again and again under other weights.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.core.chunked.dask_blocks import current_client, on_cluster
from plait.learners.linear_conditionals import LinearConditionals, has_few_parents, parent_matrix, stacked
from plait.learners.logistic.logistic_batch import FewExtras, Solution
from plait.learners.logistic.logistic_design import SparseDesign, prepared_design
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
        self._support = self._columns()
        self._sent: tuple[str, Any] | None = None  # what workers hold of it

    def _columns(self) -> Any:
        """Return which columns each fitted label may use: a mask, `FewExtras` of many labels, or None for all."""
        problem = self._problem
        few = isinstance(self.design, SparseDesign) and has_few_parents(problem.graph)
        if not few or not len(self._parents.labels):
            support = self._parents.support(problem)
            return None if support is None else support[self.fitted]
        n_features = problem.X.shape[1]
        column = np.full(problem.n_labels, -1)
        column[self._parents.labels] = n_features + np.arange(len(self._parents.labels))
        extras = np.full((len(self.fitted), problem.graph.most_parents), -1)
        for row, label in enumerate(self.fitted.tolist()):
            parents = column[list(problem.graph.parents[label])]
            extras[row, : len(parents)] = parents
        own = None if problem.support is None else problem.support[self.fitted]
        return FewExtras(n_features, self.design.n_columns, extras, own)

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
            shared=np.asarray(self._support.all(axis=0)) if isinstance(self._support, np.ndarray) else None,
            start=start,
            tol=self.settings.tol if tol is None else tol,
            max_iter=self.settings.max_iter,
            dtype=self.settings.dtype,
            polish=polish and self.design.is_small,
        )

    def start_at(self, earlier: LinearConditionals) -> Solution:
        """Return earlier conditionals in units of the design."""
        coef, intercept = earlier.dense_coef[self.fitted], earlier.intercept_[self.fitted]
        if not isinstance(self._support, FewExtras):
            coef = np.hstack([coef, earlier.dense_parent_coef[:, self._parents.labels][self.fitted]])
            return Solution.start(*self.design.prepared(coef, intercept))
        used, (rows, columns), parents = self._extra_places()
        packed = np.zeros((len(coef), self._support.width))
        packed[:, : coef.shape[1]] = coef * self.design.scales[: coef.shape[1]]
        found = np.asarray(earlier.parent_coef_[self.fitted[rows], parents]).ravel()
        packed[:, coef.shape[1] :][used] = found * self.design.scales[columns]
        return Solution.start(packed, intercept)

    def _extra_places(self) -> tuple[Any, tuple[Ints, Ints], Ints]:
        """Return which packed places hold a parent, their rows and columns of the design, and the parents."""
        used = self._support.extras >= 0
        columns = self._support.extras[used]
        return used, (np.nonzero(used)[0], columns), self._parents.labels[columns - self._support.n_own]

    def _split(self, solution: Solution, last: bool) -> tuple[Floats, Any, Floats]:
        """Return coefficients of the features, of the parents (n_labels, n_labels) and intercepts, in units of X."""
        d, graph = self.rows.X.shape[1], self.rows.graph
        if not isinstance(self._support, FewExtras):
            coef, intercept = self.design.original(solution.coef, solution.intercept, in_place=last)
            rows, columns = np.nonzero(coef[:, d:])
            places = self.fitted[rows], self._parents.labels[columns]
            return coef[:, :d], parent_matrix(graph, coef[:, d:][rows, columns], places), intercept
        scales = self.design.scales
        used, (rows, columns), parents = self._extra_places()
        values = solution.coef[:, d:][used] / scales[columns]
        coef = np.divide(solution.coef[:, :d], scales[:d], out=solution.coef[:, :d] if last else None)
        return coef, parent_matrix(graph, values, (self.fitted[rows], parents)), solution.intercept

    def conditionals(self, C: Floats, solution: Solution, made_by: str, *, last: bool = False) -> LinearConditionals:
        """Return the conditionals of all labels, in units of X; the last use of a solution writes over it."""
        n_labels, n_features = self.rows.n_labels, self.rows.X.shape[1]
        coef, parent_coef, intercept = self._split(solution, last)
        whole = coef.shape == (n_labels, n_features) and coef.flags.c_contiguous
        return LinearConditionals(
            self.rows.graph,
            coef if whole else self._whole(np.zeros((n_labels, n_features)), coef),
            parent_coef,
            self._whole(self._without_fits.copy(), intercept),
            n_iter_=self._whole(np.zeros(n_labels, dtype=np.int64), solution.n_iter),
            converged_=self._whole(np.ones(n_labels, dtype=np.bool_), solution.converged),
            C_=self._whole(np.full(n_labels, np.nan), C),
            made_by=made_by,
        )

    @cached_property
    def _without_fits(self) -> Floats:
        """Intercepts of labels that have one value."""
        return constant_scores(self.rows.class_mass())

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
        coef, parent_coef, intercept, strengths = stacked(starts, "coef_", "parent_coef_", "intercept_", "C_")
        coef = np.hstack([coef, parent_coef[:, self.parents]])
        strengths[np.isnan(strengths)] = 1.0
        begin = Solution.start(*self.design.prepared(coef[fitted], intercept[fitted]))
        solution = solve(
            self.design,
            self.Y,
            strengths=strengths[fitted],
            columns=np.tile(np.arange(q), len(starts))[fitted],
            weights=weights,
            weight_columns=np.repeat(np.arange(len(starts)), q)[fitted],
            support=self._support(starts)[fitted],
            start=begin,
            tol=tol,
            max_iter=self.learner.max_iter,
            dtype=self.learner.dtype,
        )
        coef[fitted], intercept[fitted] = self.design.original(solution.coef, solution.intercept)
        n_iter, converged = np.zeros(len(coef), dtype=np.int64), np.ones(len(coef), dtype=np.bool_)
        n_iter[fitted], converged[fitted] = solution.n_iter, solution.converged
        own = np.ascontiguousarray(coef[:, : self.n_features])
        parent_coef = np.zeros((len(coef), q))
        parent_coef[:, self.parents] = coef[:, self.n_features :]
        return [
            replace(
                part,
                coef_=own[k * q : (k + 1) * q],
                parent_coef_=parent_coef[k * q : (k + 1) * q],
                intercept_=intercept[k * q : (k + 1) * q],
                n_iter_=n_iter[k * q : (k + 1) * q],
                converged_=converged[k * q : (k + 1) * q],
                C_=strengths[k * q : (k + 1) * q],
            )
            for k, part in enumerate(starts)
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


def l2_penalty(scales: Floats, parent_scales: Floats, conditionals: Sequence[Any]) -> float:
    """Return `sum_k ||w_k||^2 / (2 C_k)` of linear conditionals, features and parents in units of their scales.

    A label with one value is not fitted, has no C and counts nothing.
    """
    coef, parent_coef, C = stacked(conditionals, "coef_", "parent_coef_", "C_")
    sizes = np.square(coef * scales).sum(axis=1) + np.square(parent_coef * parent_scales).sum(axis=1)
    fitted = np.isfinite(C)
    return float((sizes[fitted] / (2.0 * C[fitted])).sum())
