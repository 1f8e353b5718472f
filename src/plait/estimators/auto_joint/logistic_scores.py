"""`LogisticScores`: the log-odds of logistic regressions, the penalty found once for all folds."""

from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, held_rows
from plait.learners import LogisticLearner
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph

__all__ = ["LogisticScores"]


class LogisticScores(BaseScores):
    """Logistic regression of every label, all labels in one batch.

    Parameters
    ----------
    C : float, array of shape (n_labels,) or "cv", default="cv"
        Inverse strength of the penalty; "cv" finds it by cross-validation.
    standardize : bool, "auto" or "balanced", default="balanced"
        How columns are scaled, see `LogisticLearner`.

    Attributes
    ----------
    conditionals_ : LinearConditionals
        Of all rows.
    learner_ : LogisticLearner
        With the penalties that were found.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=[LogisticScores(C=1.0)])
    AutoJoint(learners=[LogisticScores(C=1.0)])
    """

    name = "logistic"

    def __init__(self, C: Any = "cv", standardize: Any = "balanced") -> None:
        self.C = C
        self.standardize = standardize

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Fit on all rows, and each fold with the penalties found there and from the coefficients found there."""
        learner = LogisticLearner(C=self.C, standardize=self.standardize)
        self.conditionals_: Any = learner.fit_checked(_problem(X, Y, sample_weight))
        self.learner_ = learner.settled(self.conditionals_)
        scores = np.empty(Y.shape)
        for training, held in folds:
            weights = None if sample_weight is None else sample_weight[training]
            part: Any = self.learner_.fit_checked(_problem(X[training], Y[training], weights), start=self.conditionals_)
            scores[held] = part.base_scores(X[held])
        return scores[held_rows(folds)]

    def log_odds(self, X: Any) -> Floats:
        """Return `X @ W + b`."""
        return np.asarray(self.conditionals_.base_scores(X))


def _problem(X: Any, Y: Labels, weights: Any) -> Problem:
    return Problem(X, Y, LabelGraph([[]] * Y.shape[1]), None, weights)
