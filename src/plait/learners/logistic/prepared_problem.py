"""`PreparedProblem`: the logistic regressions of all labels of a problem, made ready once and solved for any C."""

from typing import Any, Protocol

import numpy as np

from plait.core.arrays import Floats
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.logistic.logistic_design import prepared_design
from plait.learners.logistic.logistic_solver import solve
from plait.learners.training.problem import ParentColumns, Problem, constant_labels, constant_scores
from plait.learners.training.weights import class_weighted, weighing_rows

__all__ = ["PreparedProblem", "Settings"]


class Settings(Protocol):
    """Parameters of a logistic learner that say how labels are fitted."""

    fit_intercept: bool
    standardize: bool | str
    class_weight: Any
    tol: float
    max_iter: int
    dtype: str


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
        )
        support = self._parents.support(self._problem)
        self._support = None if support is None else support[self.fitted]

    def solve(
        self, C: Floats, start: Solution | None = None, tol: float | None = None, *, polish: bool = False
    ) -> Solution:
        """Return the solutions for one C each, from a start if there is one.

        With `polish` those of small designs are found to the last digits: weights are then copies of rows.
        """
        return solve(
            self.design,
            self._problem.Y,
            strengths=C,
            columns=self.fitted,
            weights=self._problem.weights,
            support=self._support,
            start=start,
            tol=self.settings.tol if tol is None else tol,
            max_iter=self.settings.max_iter,
            dtype=self.settings.dtype,
            polish=polish and self.design.is_small,
        )

    def start_at(self, earlier: LinearConditionals) -> Solution:
        """Return earlier conditionals in units of the design."""
        coef = np.hstack([earlier.coef_, earlier.parent_coef_[:, self._parents.labels]])[self.fitted]
        return Solution.start(*self.design.prepared(coef, earlier.intercept_[self.fitted]))

    def conditionals(self, C: Floats, solution: Solution, made_by: str) -> LinearConditionals:
        """Return the conditionals of all labels, in units of X."""
        n_labels, n_features = self.rows.n_labels, self.rows.X.shape[1]
        coef, intercept = self.design.original(solution.coef, solution.intercept)
        parent_coef = np.zeros((n_labels, n_labels))
        parent_coef[np.ix_(self.fitted, self._parents.labels)] = coef[:, n_features:]
        return LinearConditionals(
            self.rows.graph,
            self._whole(np.zeros((n_labels, n_features)), coef[:, :n_features]),
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
