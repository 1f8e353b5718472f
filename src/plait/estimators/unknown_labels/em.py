"""Conditionals of a graph where some labels are unknown: EM on the observed-data likelihood [Dempster1977].

What is maximised is `sum_i log P(known labels of row i | x_i) - penalty`: unknown labels are summed out. That is right
where it does not depend on a label's value whether it is known, given all that is (missing at random [Rubin1976]).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Bools, Floats
from plait.core.progress_bar import progress
from plait.core.unknown_labels import has_unknown
from plait.estimators.unknown_labels.copies import WeightedCopies, expected_copies
from plait.joint import LinearDistribution
from plait.joint.row_streams import row_seeds
from plait.learners import Conditionals, Learner, LinearConditionals
from plait.learners.training.problem import Problem, constant_labels, constant_scores
from plait.structure import LabelGraph

__all__ = [
    "MOST_STEPS",
    "MOST_STEPS_OF_RECORDS",
    "TOL",
    "ObservedRows",
    "filled_parents",
    "fitted_on_known",
    "trained_on_known",
    "with_known_constants",
]

# One to three steps hold nearly all of the gain; with records that miss some it takes more.
MOST_STEPS, MOST_STEPS_OF_RECORDS, TOL = 3, 5, 1e-4


def filled_parents(alone: Conditionals, problem: Problem) -> Floats:
    """Return labels as parents: known ones as they are, unknown ones P(label | x) of conditionals without parents.

    A label whose known values are all the same has this value everywhere: it tells nothing as a parent.
    """
    Y, scores = problem.Y, alone.base_scores(problem.X)
    values = expit(scores) if alone.probabilistic else (scores > 0).astype(np.float64)
    mass = problem.with_known_targets().class_mass()
    values = np.where(constant_labels(mass), np.float64(mass[:, 1] > mass[:, 0]), values)
    return np.where(Y >= 0, Y, values)


def with_known_constants(start: LinearConditionals, problem: Problem) -> LinearConditionals:
    """Return conditionals in which labels of one known value, or of none, have that of the Laplace estimate.

    They may have been trained on rows whose unknown labels were drawn.
    """
    mass = problem.with_known_targets().class_mass()
    fixed = constant_labels(mass)
    if not fixed.any():
        return start
    coef, intercept, parents = start.coef_.copy(), start.intercept_.copy(), start.parent_coef_
    coef[fixed], intercept[fixed] = 0.0, constant_scores(mass)[fixed]
    keep = sparse.diags_array((~fixed).astype(np.float64))
    parents = sparse.csr_matrix(keep @ parents) if sparse.issparse(parents) else parents * ~fixed[:, None]
    return replace(start, coef_=coef, intercept_=intercept, parent_coef_=parents)


def fitted_on_known(learner: Learner, problem: Problem, seed: int, missed: Floats | None = None) -> Conditionals:
    """Return the conditionals of a graph; where labels are unknown, by EM from parents at their marginals."""
    if not has_unknown(problem.Y):
        return learner.fit_checked(problem) if missed is None else trained_on_known(learner, problem, seed, missed)
    alone = replace(problem, graph=LabelGraph([[]] * problem.n_labels))
    parents = filled_parents(learner.fit_checked(alone), alone)
    return trained_on_known(learner, replace(problem, parents=parents), seed, missed)


def trained_on_known(learner: Learner, problem: Problem, seed: int, missed: Floats | None = None) -> Conditionals:
    """Return the conditionals of a graph, trained where labels are known, then by EM if the learner can.

    Parameters
    ----------
    learner : Learner
        Trains conditionals. One that takes no soft targets has no steps of EM.
    problem : Problem
        Labels of `int8`, -1 where unknown, and `parents` filled in (not needed where all are known).
    seed : int
        Of completions that are drawn.
    missed : ndarray of shape (n_labels,), optional
        P(a label that is there is recorded as 0); by default every 0 is certain.
    """
    start = learner.fit_checked(problem)
    if not learner.takes_soft_targets or (not problem.graph.edges and missed is None):
        return start
    assert isinstance(start, LinearConditionals)
    rows = ObservedRows(learner, problem, start, seed, missed)
    return rows.maximized(MOST_STEPS if missed is None else MOST_STEPS_OF_RECORDS)


@dataclass(frozen=True, eq=False)
class Step:
    """Conditionals, in units of the scaled columns, and log P(known labels | x) of all rows under those before."""

    conditionals: LinearConditionals
    log_likelihood: float


class ObservedRows:
    """Steps of EM from conditionals that were trained where labels are known.

    Parameters
    ----------
    learner : Learner
        With `takes_soft_targets`.
    problem : Problem
        Rows, labels of which some are unknown, and the graph.
    start : LinearConditionals
        Where to start; penalties that were searched for stay as they are there.
    seed : int
        Of completions that are drawn: those of a row come from its own stream, the same in every step.
    missed : ndarray of shape (n_labels,), or None
        P(a label that is there is recorded as 0).
    """

    def __init__(
        self, learner: Learner, problem: Problem, start: LinearConditionals, seed: int, missed: Floats | None = None
    ) -> None:
        self.learner, self.scales = learner.on_fixed_scales(problem.X, start)
        self.X = _divided(problem.X, self.scales)
        self.evidence = problem.Y.astype(np.int8, copy=False)
        self.problem, self.missed, self.start = problem, missed, start
        self._row_weights = np.ones(self.X.shape[0]) if problem.weights is None else problem.weights
        # A label with one known value keeps it, and tells nothing as a parent.
        mass = problem.with_known_targets().class_mass()
        self._fixed: Bools = constant_labels(mass)
        parents = [[own for own in group if not self._fixed[own]] for group in problem.graph.parents]
        self.graph = LabelGraph(parents, problem.graph.order)
        self._seeds = row_seeds(seed, self.X.shape[0])

    def maximized(self, max_iter: int = MOST_STEPS, tol: float = TOL) -> LinearConditionals:
        """Return the conditionals after the last step: the relative gain is small, or steps are used up."""
        found, before = self.start, -np.inf
        for step in progress(self.path(max_iter), "EM over unknown labels, steps", total=max_iter):
            # The likelihood is that of the conditionals before the step.
            found = self.in_units_of_x(step.conditionals)
            if step.log_likelihood - before < tol * abs(before):
                break
            before = step.log_likelihood
        return found

    def path(self, max_iter: int) -> Iterator[Step]:
        """Yield every step."""
        now = self.begin()
        for _ in range(max_iter):
            copies = self.expected(now)
            now = self.fitted(now, copies)
            yield Step(now, float(self._row_weights @ copies.log_likelihood))

    def begin(self) -> LinearConditionals:
        """Return where to start, in units of the scaled columns."""
        return replace(self.start.divided_by(1.0 / self.scales), graph=self.graph)

    def expected(self, now: LinearConditionals) -> WeightedCopies:
        """Return the E-step: copies of rows, weighed by what is known."""
        model = LinearDistribution(self.graph, now.base_scores(self.X), now.parent_coef_, self.evidence)
        return expected_copies(model, self.missed, self._seeds)

    def fitted(
        self, now: LinearConditionals, copies: WeightedCopies, shares: Floats | None = None
    ) -> LinearConditionals:
        """Return the M-step: one batch of weighted regressions over the copies, from where they were.

        `shares` are how far each row belongs here, in a component of a mixture.
        """
        rows_weights = self._row_weights if shares is None else self._row_weights * shares
        weights = copies.weights * rows_weights[copies.rows, None]
        weights[:, self._fixed] = 0.0
        rows = Problem(self.X[copies.rows], copies.targets, self.graph, self.problem.support, weights, copies.parents)
        found = self.learner.fit_checked(rows, now)
        assert isinstance(found, LinearConditionals)
        return self._with_fixed(found)

    def _with_fixed(self, found: LinearConditionals) -> LinearConditionals:
        """Return the conditionals with those of labels of one known value as they were."""
        if self._fixed.any():
            assert found.C_ is not None
            for name in ("coef_", "parent_coef_", "intercept_", "C_"):
                value: Any = getattr(self.start, name)
                if not sparse.issparse(value):  # one value needs no parents
                    getattr(found, name)[self._fixed] = value[self._fixed]
        return found

    def in_units_of_x(self, found: LinearConditionals) -> LinearConditionals:
        """Return the conditionals for the columns of X, over the whole graph."""
        return replace(found.divided_by(self.scales), graph=self.problem.graph, made_by=self.start.made_by)


def _divided(X: Any, scales: Floats) -> Any:
    if sparse.issparse(X):
        return sparse.csr_matrix(X @ sparse.diags_array(1.0 / scales))
    return X / scales
