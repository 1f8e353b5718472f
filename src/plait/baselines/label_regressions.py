"""`LabelRegressions`: what the methods share that end with one learner on columns of their own making."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from plait.core.arrays import Floats
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.naming import registered
from plait.learners import Conditionals, Learner, LinearConditionals, LinearSVMLearner

__all__ = ["LabelRegressions", "beside", "label_scores"]


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
        return self.learner != registered(LinearSVMLearner.__name__)

    def _scores(self, X: Any) -> Floats:
        X = self._rows(X)
        return label_scores(self.conditionals_, self._columns(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels that are more likely than not, (n_samples, n_labels)."""
        return self._labels_out(self._scores(X) > 0)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return P(label | x), (n_samples, n_labels)."""
        return self._probabilities_out(expit(self._scores(X)))


def label_scores(conditionals: Conditionals, X: Any) -> Floats:
    """Return the scores of labels without parents, (n_samples, n_labels)."""
    if isinstance(conditionals, LinearConditionals):
        return conditionals.base_scores(X)
    no_parents = np.empty((X.shape[0], 0), dtype=np.uint8)
    return np.column_stack([conditionals.scores(label, X, no_parents) for label in range(conditionals.n_labels)])


def beside(left: Any, right: Any) -> Any:
    """Return two blocks of columns as one matrix, sparse if one of them is.

    Examples
    --------
    >>> beside(np.ones((2, 1)), sparse.eye_array(2)).toarray()
    array([[1., 1., 0.],
           [1., 0., 1.]])
    """
    if sparse.issparse(left) or sparse.issparse(right):
        return sparse.hstack([sparse.csr_matrix(left), sparse.csr_matrix(right)], format="csr")
    return np.hstack([left, right])
