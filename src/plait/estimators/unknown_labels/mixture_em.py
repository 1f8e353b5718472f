"""EM of a mixture where labels are unknown: responsibilities of what is known, copies of rows by component."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.core.logspace import log_normalize, log_sum_exp
from plait.estimators.unknown_labels.em import (
    MOST_STEPS,
    MOST_STEPS_OF_RECORDS,
    TOL,
    ObservedRows,
    with_known_constants,
)
from plait.learners import LinearConditionals
from plait.learners.training.problem import Problem

__all__ = ["MixtureSteps", "mixture_on_known"]

Parts = tuple[Floats, list[LinearConditionals]]


class MixtureSteps:
    """Steps of EM of a mixture from one that was trained before.

    In every step row i belongs to component m by `gamma_m(i)`, in proportion to `weight_m * P_m(known labels | x_i)`,
    which multiplies the weights of the row's copies there.

    Parameters
    ----------
    learner : Learner
        With `takes_soft_targets`.
    X, Y, sample_weight
        Rows, labels of `int8` with -1 where unknown, and weights of rows or None.
    weights : ndarray of shape (n_components,)
        Mixture coefficients to start from.
    conditionals : sequence of LinearConditionals
        Of every component; their penalties stay.
    seed : int
        Of completions that are drawn, where a graph is no polytree.
    missed : ndarray of shape (n_labels,), optional
        P(a label that is there is recorded as 0); by default every 0 is certain.
    """

    def __init__(
        self,
        learner: Any,
        X: Any,
        Y: Any,
        sample_weight: Floats | None,
        weights: Floats,
        conditionals: Sequence[LinearConditionals],
        seed: int,
        missed: Floats | None = None,
    ) -> None:
        self._rows = np.ones(len(Y)) if sample_weight is None else sample_weight
        self.weights = weights
        problems = [Problem(X, Y, part.graph, None, sample_weight) for part in conditionals]
        self.components = [
            ObservedRows(learner, problem, with_known_constants(part, problem), seed, missed)
            for problem, part in zip(problems, conditionals, strict=True)
        ]

    def path(self, max_iter: int) -> Iterator[tuple[Parts, float]]:
        """Yield weights and conditionals after every step, and log P(known labels | x) of all rows before it."""
        weights, parts = self.weights, [component.begin() for component in self.components]
        for _ in range(max_iter):
            copies = [component.expected(part) for component, part in zip(self.components, parts, strict=True)]
            logs = np.log(weights) + np.column_stack([each.log_likelihood for each in copies])
            shares = np.exp(log_normalize(logs, axis=1))
            parts = [
                component.fitted(part, each, shares[:, m])
                for m, (component, part, each) in enumerate(zip(self.components, parts, copies, strict=True))
            ]
            weights = np.maximum(self._rows @ shares, np.finfo(float).tiny)
            weights = weights / weights.sum()
            found = [component.in_units_of_x(part) for component, part in zip(self.components, parts, strict=True)]
            yield (weights, found), float(self._rows @ log_sum_exp(logs, axis=1))


def mixture_on_known(steps: MixtureSteps, tol: float = TOL) -> tuple[Parts, list[float]]:
    """Return the mixture after the last step, and the log-likelihoods of what is known before every step."""
    likelihoods: list[float] = []
    max_iter = MOST_STEPS if steps.components[0].missed is None else MOST_STEPS_OF_RECORDS
    found: Parts
    for parts, likelihood in steps.path(max_iter):
        found = parts
        likelihoods.append(likelihood)
        if len(likelihoods) > 1 and likelihoods[-1] - likelihoods[-2] < tol * abs(likelihoods[-2]):
            break
    return found, likelihoods
