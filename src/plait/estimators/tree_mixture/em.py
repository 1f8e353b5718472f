"""EM for a mixture of conditional networks with fixed graphs [MC algorithm 1, MC 8-10]."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.logspace import log_normalize, log_sigmoid, log_sum_exp
from plait.core.parallel import Parallel, delayed
from plait.joint import GraphJoint, MixtureJoint
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.learners import Conditionals, Learner
from plait.learners.linear_conditionals import stacked
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph

__all__ = ["Mixture", "Steps", "component_log_probs", "weighted_problem"]

# A step of EM need not maximise, it must gain: a Newton step that promises less than this share is the last of a label.
_LOOSE = 0.05
# A component that explains less than this share of the rows is dropped; responsibilities are kept above the floor, so
# that every row weighs something in every component and the scaling of features stays the same from step to step.
_LEAST_SHARE = 1e-6
_FLOOR = 1e-12
# Scores of rows, components and labels that are held at the same time (32 MiB).
_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture in the making.

    Parameters
    ----------
    weights : ndarray of shape (n_components,)
        Mixture coefficients.
    conditionals : tuple of Conditionals
        Of every component.
    log_likelihoods : tuple of float
        sum_n log P(y^n | x^n) of the training rows before every step, and after the last.
    objectives : tuple of float
        The same less the penalty of the learner: what no step lowers.
    """

    weights: Floats
    conditionals: tuple[Conditionals, ...]
    log_likelihoods: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()

    def joint(self) -> MixtureJoint:
        """Return P(y | x), waiting for X."""
        return MixtureJoint(self.weights, tuple(GraphJoint(part) for part in self.conditionals))


def component_log_probs(mixture: Mixture, X: Any, Y: Labels) -> Floats:
    """Return log w_k + log P_k(y^n | x^n), shape (n_samples, n_components)."""
    parts = mixture.conditionals
    if all(map(attrgetter("linear"), parts)):
        logs = _linear_log_probs(parts, X, Y)
    else:
        logs = np.column_stack([GraphJoint(part).condition(X).log_prob(Y) for part in parts])
    return logs + np.log(mixture.weights)


def _linear_log_probs(parts: Sequence[Any], X: Any, Y: Labels) -> Floats:
    """Return log P_k(y^n | x^n) with one product for all labels of all components; scores clipped as in the joint."""
    coef, parent_coef, intercept = stacked(parts, "coef_", "parent_coef_", "intercept_")
    logs = np.empty((len(Y), len(parts)))
    step = max(1, _ENTRIES // len(coef))
    for start in range(0, len(Y), step):
        rows = slice(start, start + step)
        scores = np.asarray(X[rows] @ coef.T) + Y[rows] @ parent_coef.T + intercept
        scores = np.clip(scores, -SCORE_LIMIT, SCORE_LIMIT).reshape(-1, len(parts), Y.shape[1])
        logs[rows] = log_sigmoid(np.where(Y[rows, None, :] == 1, scores, -scores)).sum(axis=2)
    return logs


class Steps:
    """Steps of EM on some rows.

    Responsibilities themselves, not normalised within a component, are the weights of the fits: with the penalty fixed
    no step can then lower `sum_n log P(y^n | x^n) - penalty`. Every fit starts from the last one.

    Parameters
    ----------
    learner : Learner
        Trains the conditionals; strengths of the penalty are those of the mixture it starts from.
    X, Y : features and labels
        Training rows, checked.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of rows.
    n_jobs : int, optional
        Threads over components, for learners that train them one by one.
    normalized : bool, default=False
        Whether weights of a component's rows are w_k, responsibilities over their mean [MC 10]: all components then
        have as much weight as all rows, against the same penalty, and steps may lower the objective.
    """

    def __init__(
        self,
        learner: Learner,
        X: Any,
        Y: Labels,
        sample_weight: Floats | None = None,
        n_jobs: int | None = None,
        normalized: bool = False,
    ) -> None:
        rows = np.ones(Y.shape[0]) if sample_weight is None else sample_weight
        if (rows == 0).any():  # they would only change the scales of features
            X, Y, rows = X[rows > 0], Y[rows > 0], rows[rows > 0]
        self.X, self.Y, self.rows, self.learner, self.n_jobs = X, Y, rows, learner, n_jobs
        self.normalized = normalized
        self._batch, self._penalty = learner.graph_batch(X, Y), learner.penalty_on(X, Y)

    def judged(self, mixture: Mixture) -> tuple[Mixture, Floats]:
        """Return the mixture with its likelihood and objective noted, and log w_k + log P_k of the rows."""
        logs = component_log_probs(mixture, self.X, self.Y)
        likelihood = float(self.rows @ log_sum_exp(logs, axis=1))
        objective = likelihood - self._penalty(mixture.conditionals)
        likelihoods, objectives = (*mixture.log_likelihoods, likelihood), (*mixture.objectives, objective)
        return replace(mixture, log_likelihoods=likelihoods, objectives=objectives), logs

    def path(self, mixture: Mixture, tol: float, max_iter: int) -> Iterator[Mixture]:
        """Yield the mixture after every step, until the relative gain is below `tol` or the steps are used up."""
        mixture, logs = self.judged(replace(mixture, log_likelihoods=(), objectives=()))
        for _ in range(max_iter):
            mixture, logs = self.judged(self._maximized(mixture, logs, tightly=False))
            yield mixture
            before, now = (mixture.log_likelihoods if self.normalized else mixture.objectives)[-2:]
            # Without a known penalty the likelihood alone may fall, which is a change too.
            if abs(now - before) < tol * abs(before):
                return

    def converged(self, mixture: Mixture, tol: float, max_iter: int) -> Mixture:
        """Return the end of the path, the last of at most `max_iter` steps solved tightly."""
        loose = 0 if len(mixture.weights) == 1 else max_iter - 1
        last = deque(self.path(mixture, tol, loose), maxlen=1)
        return self.finished(last[0] if last else mixture)

    def finished(self, mixture: Mixture) -> Mixture:
        """Return the mixture after one more step, whose fits are solved to the learner's tolerance."""
        if not mixture.objectives:
            mixture, logs = self.judged(mixture)
        else:
            logs = component_log_probs(mixture, self.X, self.Y)
        return self.judged(self._maximized(mixture, logs, tightly=True))[0]

    def _maximized(self, mixture: Mixture, logs: Floats, *, tightly: bool) -> Mixture:
        """Return the M step: new weights, and conditionals fitted to each component's share of the rows."""
        shares = np.maximum(np.exp(log_normalize(logs, axis=1)), _FLOOR) * self.rows[:, None]
        mass = shares.sum(axis=0)
        kept = np.flatnonzero(mass >= _LEAST_SHARE * mass.sum())
        weights = shares[:, kept] * (mass.sum() / mass[kept] if self.normalized else 1.0)
        fitted = self._fitted([mixture.conditionals[k] for k in kept], weights, tightly)
        return replace(mixture, weights=mass[kept] / mass[kept].sum(), conditionals=tuple(fitted))

    def _fitted(self, starts: Sequence[Conditionals], shares: Floats, tightly: bool) -> Sequence[Conditionals]:
        """Return conditionals fitted to shares (n_samples, n_components) of the rows.

        A learner that trains several graphs in one batch need not quite solve them, unless it is asked to; others
        train every component by itself.
        """
        if self._batch is not None:
            tol = self._batch.learner.tol
            return self._batch.fit(starts, shares, tol if tightly else max(_LOOSE, tol))
        return Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self.learner.fit_checked)(weighted_problem(self.X, self.Y, part.graph, shares[:, k]), part)
            for k, part in enumerate(starts)
        )


def weighted_problem(X: Any, Y: Labels, graph: LabelGraph, weights: Floats) -> Problem:
    """Return checked rows under weights, one column for each label: weights of labels never touch how X is scaled."""
    return Problem(X, Y, graph, None, np.repeat(weights[:, None], Y.shape[1], axis=1))
