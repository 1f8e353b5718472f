"""How methods made of binary problems train them: by a learner of plait, or any scikit-learn classifier."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from plait.baselines.foundations.meta_classifier import ESTIMATOR_RULE, weight_keywords
from plait.core.arrays import Floats
from plait.core.checks import InstanceOf
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.naming import registered
from plait.learners import Conditionals, Learner, LinearSVMLearner, LogisticLearner, SklearnLearner

__all__ = [
    "LEARNER_RULE",
    "LabelRegressions",
    "binary_learner",
    "checked_weights",
]

LEARNER_RULE = (InstanceOf((Learner,)), *ESTIMATOR_RULE)


def binary_learner(estimator: Any) -> Learner:
    """Return the learner of all binary problems: the default, the one that was given, or one around a classifier."""
    if estimator is None:
        return LogisticLearner()
    return estimator if isinstance(estimator, Learner) else SklearnLearner(estimator)


def checked_weights(owner: str, learner: Learner, sample_weight: Any) -> None:
    """Refuse weights of rows where the classifier inside takes none."""
    if isinstance(learner, SklearnLearner):
        weight_keywords(owner, learner.estimator, sample_weight)


def _gives_probabilities(model: "LabelRegressions") -> bool:
    return model._probabilistic()


class LabelRegressions(MultilabelClassifier):
    """Base of classifiers whose last step is a learner of independent labels on other columns than X.

    `fit` of a subclass sets `conditionals_`; `_columns(X)` makes the columns for rows to predict.
    """

    conditionals_: Conditionals
    learner: Any

    @abstractmethod
    def _columns(self, X: Any) -> Any:
        """Return the columns that the learner sees, from checked rows."""

    def _probabilistic(self) -> bool:
        """Say whether the learner gives probabilities (before `fit`: whether it is going to, as far as known)."""
        if hasattr(self, "conditionals_"):
            return bool(self.conditionals_.probabilistic)
        if isinstance(self.learner, Learner):
            return self.learner.gives_probabilities
        return self.learner not in ("linear_svm", registered(LinearSVMLearner.__name__))

    def _scores(self, X: Any) -> Floats:
        return self.conditionals_.base_scores(self._columns(X))

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        return self._scores(X) > 0

    def _marginals(self, X: Any) -> Floats:
        return np.asarray(expit(self._scores(X)))
