"""What may stand for a learner: an object, a word, or any scikit-learn classifier."""

from typing import Any

from plait import learners as learners_room
from plait.core.checks import Constraint, HasMethods, InstanceOf, Nothing
from plait.core.naming import resolve
from plait.learners.learner import Learner
from plait.learners.logistic_learner import LogisticLearner
from plait.learners.sklearn_learner import SklearnLearner

__all__ = ["LEARNER_RULES", "as_learner", "tuned"]

_CLASSIFIER = HasMethods(("fit", "predict", "get_params", "set_params"))
LEARNER_RULES: tuple[Constraint, ...] = (InstanceOf((Learner, str)), _CLASSIFIER, Nothing())


def tuned() -> LogisticLearner:
    """Return what the word "tuned" stands for: logistic regression, its penalty by cross-validation."""
    return LogisticLearner(C="cv", standardize="balanced")


def as_learner(owner: str, value: Any) -> Learner:
    """Return a learner: the value itself, the learner of a word, or a scikit-learn classifier wrapped for each label.

    Parameters
    ----------
    owner : str
        Whose parameter `learner` it is.
    value : Learner, str or classifier
        A word is "tuned", or a class of `plait.learners` such as "logistic" and "linear_svm".

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> as_learner("JointClassifier", "linear_svm"), as_learner("JointClassifier", DecisionTreeClassifier())
    (LinearSVMLearner(), SklearnLearner(estimator=DecisionTreeClassifier()))
    """
    if not isinstance(value, str | Learner) and _CLASSIFIER.accepts(value):
        return SklearnLearner(value)
    found: Learner = resolve(owner, "learner", value, learners_room, Learner, {"tuned": tuned})
    return found
