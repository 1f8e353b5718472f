"""What a learner's penalty takes off the likelihood, so that steps of EM can be compared."""

from collections.abc import Callable
from typing import Any

import numpy as np

from plait.learners import Conditionals, Learner, LinearConditionals, LogisticLearner
from plait.learners.training.column_scaling import column_scales

__all__ = ["penalty_on"]


def penalty_on(learner: Learner, X: Any) -> Callable[[Conditionals], float]:
    """Return the penalty of conditionals that the learner trains on X, as a function of them.

    A logistic learner maximises `sum_n log P(y^n | x^n) - sum_k ||w_k||^2 / (2 C_k)` over scaled columns; other
    learners keep their penalty to themselves, and it counts as zero.

    Parameters
    ----------
    learner : Learner
        Who trains.
    X : array or CSR matrix
        Training rows, all of which weigh something.
    """
    if not isinstance(learner, LogisticLearner):
        return lambda part: 0.0
    scales = column_scales(X, learner.standardize)

    def penalty(part: Conditionals) -> float:
        assert isinstance(part, LinearConditionals)
        assert part.C_ is not None
        sizes = np.square(part.coef_ * scales).sum(axis=1) + np.square(part.parent_coef_).sum(axis=1)
        fitted = np.isfinite(part.C_)  # a label with one value is not fitted
        return float((sizes[fitted] / (2.0 * part.C_[fitted])).sum())

    return penalty
