"""Weights of the two classes of each label, turned into weights of rows."""

from dataclasses import replace
from typing import Any

import numpy as np

from plait.core.sentences import ParameterError, complaint
from plait.learners.problem import Problem

__all__ = ["class_weighted"]


def class_weighted(problem: Problem, class_weight: Any) -> Problem:
    """Return the problem with row weights multiplied by class weights, label by label.

    "balanced" gives class c of a label the weight `n / (2 n_c)`, with weighted counts where rows have weights, as
    scikit-learn does; labels with one class only stay as they are. A dict maps 0 and 1 to weights, 1 where missing.
    """
    if class_weight is None:
        return problem
    if isinstance(class_weight, dict):
        _check(class_weight)
        factors = np.tile([float(class_weight.get(0, 1.0)), float(class_weight.get(1, 1.0))], (problem.n_labels, 1))
    else:
        mass = problem.class_mass()
        factors = np.divide(mass.sum(axis=1, keepdims=True), 2 * mass, out=np.ones_like(mass), where=mass > 0)
    weights = np.where(problem.Y == 1, factors[:, 1], factors[:, 0])
    if problem.weights is not None:
        weights *= problem.weights if problem.weights.ndim == 2 else problem.weights[:, None]
    return replace(problem, weights=weights)


def _check(class_weight: dict[Any, Any]) -> None:
    strange = [key for key in class_weight if key not in (0, 1)]
    wrong = [value for value in class_weight.values() if not np.isfinite(value) or value < 0]
    if strange or wrong:
        must = "None, 'balanced' or a dict from the classes 0 and 1 to finite weights of at least 0"
        raise ParameterError(complaint("LogisticLearner", "class_weight", must, class_weight))
