"""Weights of rows, and of the two classes of each label, which become weights of rows."""

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.learners.training.problem import Problem

__all__ = ["CLASS_WEIGHT_RULES", "class_weighted", "weighing_rows"]


def class_weighted(problem: Problem, class_weight: Any) -> Problem:
    """Return the problem with row weights multiplied by class weights, label by label.

    "balanced" gives class c of a label the weight `n / (2 n_c)`, with weighted counts where rows have weights, as
    scikit-learn does; labels with one class only stay as they are. A dict maps 0 and 1 to weights, 1 where missing.
    """
    if class_weight is None:
        return problem
    if isinstance(class_weight, dict):
        factors = np.tile([float(class_weight.get(0, 1.0)), float(class_weight.get(1, 1.0))], (problem.n_labels, 1))
    else:
        mass = problem.class_mass()
        factors = np.divide(mass.sum(axis=1, keepdims=True), 2 * mass, out=np.ones_like(mass), where=mass > 0)
    weights = np.where(problem.Y == 1, factors[:, 1], factors[:, 0])
    if problem.weights is not None:
        weights *= problem.weights if problem.weights.ndim == 2 else problem.weights[:, None]
    return replace(problem, weights=weights)


def weighing_rows(problem: Problem) -> Problem:
    """Return the problem without the rows whose weight is 0 for every label; one row is left where all weigh 0."""
    if problem.weights is None:
        return problem
    some = problem.weights > 0 if problem.weights.ndim == 1 else (problem.weights > 0).any(axis=1)
    if some.all():
        return problem
    rows = np.flatnonzero(some) if some.any() else np.arange(1)
    return replace(problem, X=problem.X[rows], Y=problem.Y[rows], weights=problem.weights[rows])


WEIGHT = Interval(float, 0, sys.float_info.max, closed="right")


@dataclass(frozen=True)
class ClassWeights(Constraint):
    """A dict from the classes 0 and 1 of every label to their weights.

    Examples
    --------
    >>> ClassWeights().accepts({0: 1.0, 1: 5}), ClassWeights().accepts({2: 1.0})
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Say whether all keys are classes and all values weights."""
        if not isinstance(value, dict) or any(key not in (0, 1) for key in value):
            return False
        return all(WEIGHT.accepts(weight) for weight in value.values())

    def describe(self) -> str:
        """Say so."""
        return "a dict from the classes 0 and 1 to finite weights above 0"

    def wrong(self) -> list[Any]:
        """Return dicts with another class, and with weights of 0, below and infinite."""
        return [{2: 1.0}, {1: -1.0}, {0: 0.0, 1: 1.0}, {0: float("inf")}, {1: "heavy"}]


CLASS_WEIGHT_RULES: tuple[Constraint, ...] = (Nothing(), OneOf(("balanced",)), ClassWeights())
