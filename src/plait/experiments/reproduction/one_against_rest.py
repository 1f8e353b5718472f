"""A classifier of several classes from one logistic regression for each class, all solved in one batch."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from plait.core.checks import Constraint, Interval, check_parameters
from plait.learners import LogisticLearner

__all__ = ["OneAgainstRest"]


class OneAgainstRest(ClassifierMixin, BaseEstimator):
    """The class whose own logistic regression is surest; as fast as binary relevance, for label sets as classes.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in `LogisticLearner`.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.1, 0.0], [0.1, 1.0], [0.9, 0.1]])
    >>> OneAgainstRest(C=100.0).fit(X, [0, 1, 2, 0, 1, 2]).predict([[1.0, 0.05]])
    array([2])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"C": (Interval(float, 0, None, closed="neither"),)}

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> "OneAgainstRest":
        """Train one logistic regression for each class."""
        check_parameters(self)
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, places = np.unique(y, return_inverse=True)
        one_hot = (places[:, None] == np.arange(len(self.classes_))).astype(np.uint8)
        self.conditionals_: Any = LogisticLearner(C=self.C).fit(X, one_hot)
        return self

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(self.conditionals_.base_scores(X), dtype=np.float64)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the classes' own probabilities, divided by their sum."""
        own = np.maximum(expit(self._scores(X)), 1e-300)
        return np.asarray(own / own.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Any:
        """Return the surest class."""
        return self.classes_[self._scores(X).argmax(axis=1)]
