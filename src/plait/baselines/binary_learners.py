"""How methods made of binary problems train them: by a learner of plait, or any scikit-learn classifier."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.baselines.meta_classifier import ESTIMATOR_RULE, weight_keywords
from plait.core.checks import InstanceOf
from plait.learners import Conditionals, Learner, LinearConditionals, LogisticLearner, SklearnLearner

__all__ = ["LEARNER_RULE", "binary_learner", "checked_weights", "gives_probabilities", "label_scores"]

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


def gives_probabilities(learner: Learner) -> bool:
    """Say whether scores will be log-odds, as far as it is known before training."""
    if isinstance(learner, SklearnLearner):
        return hasattr(learner.estimator, "predict_proba")
    return learner.gives_probabilities


def label_scores(conditionals: Conditionals, X: Any) -> npt.NDArray[np.float64]:
    """Return the scores of all labels of conditionals without parents, (n_samples, n_labels)."""
    if isinstance(conditionals, LinearConditionals):
        return conditionals.base_scores(X)
    nothing = np.zeros((X.shape[0], 0), dtype=np.uint8)
    return np.column_stack([conditionals.scores(label, X, nothing) for label in range(conditionals.n_labels)])
