"""`LabelSetClassifier`: what methods share that take the label sets of the training as classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from plait import losses as losses_room
from plait.baselines.foundations.meta_classifier import LossClassifier, MetaClassifier, weight_keywords
from plait.core.arrays import Floats, Labels
from plait.core.naming import resolve
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.inference.search.label_tables import distinct_vectors
from plait.learners import LogisticLearner
from plait.learners.fitted_classifiers import read_only
from plait.learners.training.problem import constant_labels, constant_scores
from plait.learners.training.wrapped_estimators import estimator_name
from plait.losses import Loss

__all__ = ["LabelSetClassifier", "LabelSetModel", "constant_marginals", "fitted_label_sets", "label_set_estimator"]


@dataclass(frozen=True, eq=False)
class LabelSetModel:
    """P(label set | x) over the label sets of the training.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_sets, n_labels)
        The label sets, the smallest vector first; class c of the classifier is row c.
    classifier : classifier or None
        Fitted on the numbers of the label sets; None where there is one set only.
    fixed : ndarray of float64, shape (n_labels,)
        Marginals of labels with one value only in training (their Laplace estimate), NaN for all others.
    """

    vectors: Labels
    classifier: Any
    fixed: Floats

    def predict(self, X: Any) -> Labels:
        """Return the label set that the classifier decides on, (n_samples, n_labels)."""
        if self.classifier is None:
            return np.repeat(self.vectors, X.shape[0], axis=0)
        return self.vectors[np.asarray(self.classifier.predict(X)).astype(np.int64).ravel()]

    def probabilities(self, X: Any) -> Floats:
        """Return the probability of each label set, (n_samples, n_sets)."""
        if self.classifier is None:
            return np.ones((X.shape[0], 1))
        found = np.zeros((X.shape[0], len(self.vectors)))
        found[:, np.asarray(self.classifier.classes_).astype(np.int64)] = self.classifier.predict_proba(X)
        return found

    def marginals(self, X: Any) -> Floats:
        """Return P(y_k = 1 | x), summed over the label sets, (n_samples, n_labels)."""
        sums = np.clip(self.probabilities(X) @ self.vectors.astype(np.float64), 0.0, 1.0)
        return np.where(np.isnan(self.fixed), sums, self.fixed)


def fitted_label_sets(estimator: Any, X: Any, Y: Labels, metadata: dict[str, Any], fixed: Floats) -> LabelSetModel:
    """Fit an estimator (itself, no clone) on the label sets of the rows as classes."""
    vectors, codes = distinct_vectors(Y)
    if len(vectors) == 1:
        return LabelSetModel(vectors, None, fixed)
    return LabelSetModel(vectors, estimator.fit(read_only(X), codes.astype(np.int64), **metadata), fixed)


def constant_marginals(Y: Labels, sample_weight: Any = None) -> Floats:
    """Return (n_1 + 1) / (N + 2) for labels with one value only, NaN for all others; rows count by their weight.

    Examples
    --------
    >>> constant_marginals(np.array([[0, 1], [0, 0]], dtype=np.uint8))
    array([0.25,  nan])
    """
    weights = np.ones(len(Y)) if sample_weight is None else sample_weight
    ones = weights @ Y.astype(np.float64)
    mass = np.column_stack([weights @ (1.0 - Y), ones])
    laplace = 1.0 / (1.0 + np.exp(-constant_scores(mass)))
    return np.where(constant_labels(mass), laplace, np.nan)


class LabelSetRegressions(ClassifierMixin, BaseEstimator):
    """`LogisticLearner` on all classes in one batch, each against the others; probabilities are made to sum to one.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.4], [0.5]])
    >>> LabelSetRegressions(C=10.0).fit(X, [0, 0, 1, 1]).predict([[0.0], [0.6]])
    array([0, 1])
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LabelSetRegressions":
        """Train one regression a class."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        members = np.eye(len(self.classes_), dtype=np.uint8)[codes]
        self.conditionals_ = LogisticLearner(C=self.C).fit(X, members, sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the greatest score."""
        return np.asarray(self.classes_[self.conditionals_.base_scores(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the regressions, divided by their sum."""
        return np.asarray(softmax(log_expit(self.conditionals_.base_scores(X)), axis=1))


def label_set_estimator(estimator: Any) -> Any:
    """Return a fresh copy of what label sets are classified with."""
    return LabelSetRegressions() if estimator is None else clone(estimator)


def _gives_probabilities(model: "LabelSetClassifier") -> bool:
    return model._probabilistic()


class LabelSetClassifier(LossClassifier, MetaClassifier):
    """Base of `LabelPowerset` and `PrunedSets`: a subclass says which rows the classifier is trained on.

    Attributes
    ----------
    model_ : LabelSetModel
        What tells the label sets apart.
    """

    loss: Any
    model_: LabelSetModel

    def _training_sets(self, X: Any, Y: Labels, weights: Any) -> tuple[Any, Labels, Any]:
        """Return the rows, label sets and weights to train on."""
        return X, Y, weights

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        resolve(type(self).__name__, "loss", self.loss, losses_room, Loss)
        estimator = label_set_estimator(self.estimator)
        fixed = constant_marginals(Y, weights)
        X, Y, weights = self._training_sets(X, Y, weights)
        keywords = weight_keywords(type(self).__name__, estimator, weights)
        self.model_ = fitted_label_sets(estimator, X, Y, keywords, fixed)
        self.label_sets_ = self.model_.vectors
        self.estimator_ = self.model_.classifier

    def _answer(self, X: Any, loss: Loss) -> npt.NDArray[Any]:
        # The classifier itself decides for whole label sets: it may give no probabilities.
        return self.model_.predict(X) if loss.wanted == "mode" else loss.decide(self._support(X))

    def _marginals(self, X: Any) -> Floats:
        return self.model_.marginals(X)

    def _probabilistic(self) -> bool:
        return self.estimator is None or hasattr(self.estimator, "predict_proba")

    @available_if(_gives_probabilities)
    def label_support(self, X: Any) -> LabelSupport:
        """Return P(label set | x) over the label sets of the training, with exact marginals.

        Losses decide on it: `plait.losses.F1().decide(model.label_support(X))`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        return self._support(self._rows(X))

    def _support(self, X: Any) -> LabelSupport:
        if not self._probabilistic():
            raise ParameterError(
                f"{type(self).__name__} needs an estimator with predict_proba for a loss other than 'subset', but "
                f"{estimator_name(self.estimator)} has none. Use loss='subset', or another estimator."
            )
        chances = self.model_.probabilities(X)
        vectors = self.model_.vectors
        with np.errstate(divide="ignore"):
            logs = np.log(chances)
        return LabelSupport(
            np.broadcast_to(vectors, (len(chances), *vectors.shape)),
            logs,
            "distribution",
            "label sets of the training",
            np.ones(len(chances), dtype=np.bool_),
            marginals=np.clip(chances @ vectors.astype(np.float64), 0.0, 1.0),
        )
