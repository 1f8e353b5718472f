"""`LabelSetClassifier`: what methods share that take the label sets of the training as classes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from plait import losses as losses_room
from plait.baselines.label_set_model import LabelSetModel, constant_marginals, fitted_label_sets
from plait.baselines.meta_classifier import MetaClassifier, weight_keywords
from plait.baselines.scaled_logistic import ScaledLogisticRegression
from plait.core.arrays import Labels
from plait.core.checks import check_parameters
from plait.core.naming import resolve
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.learners.training.wrapped_estimators import estimator_name
from plait.losses import Loss, Subset

__all__ = ["LabelSetClassifier", "label_set_estimator"]


def label_set_estimator(estimator: Any) -> Any:
    """Return a fresh copy of what label sets are classified with."""
    # Tighter than scikit-learn's 1e-4, at which sparse and dense X differ in the third digit of a probability.
    return ScaledLogisticRegression(max_iter=1000, tol=1e-5) if estimator is None else clone(estimator)


def _gives_probabilities(model: "LabelSetClassifier") -> bool:
    return model.estimator is None or hasattr(model.estimator, "predict_proba")


class LabelSetClassifier(MetaClassifier):
    """Base of `LabelPowerset` and `PrunedSets`: a subclass says which rows the classifier is trained on."""

    loss: Any
    model_: LabelSetModel

    def _training_sets(self, X: Any, Y: Labels, weights: Any) -> tuple[Any, Labels, Any]:
        """Return the rows, label sets and weights to train on."""
        return X, Y, weights

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LabelSetClassifier":
        """Train one classifier with label sets as classes.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, where the estimator takes them.

        Returns
        -------
        self
        """
        check_parameters(self)
        resolve(type(self).__name__, "loss", self.loss, losses_room, Loss)
        X, Y, weights = self._weighing_data(X, y, sample_weight)
        estimator = label_set_estimator(self.estimator)
        fixed = constant_marginals(Y, weights)
        X, Y, weights = self._training_sets(X, Y, weights)
        keywords = weight_keywords(type(self).__name__, estimator, weights)
        self.model_ = fitted_label_sets(estimator, X, Y, keywords, fixed)
        self.label_sets_ = self.model_.vectors
        self.estimator_ = self.model_.classifier
        return self

    def predict(self, X: Any, loss: Any = None) -> npt.NDArray[Any]:
        """Return for every row the label set that the classifier decides on, or the one with the least expected loss.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        loss : Loss or str, optional
            Another loss than the classifier's own, for this call.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        X = self._rows(X)
        chosen = resolve(type(self).__name__, "loss", self.loss if loss is None else loss, losses_room, Loss)
        if isinstance(chosen, Subset):
            return self._labels_out(self.model_.predict(X))
        answer = chosen.decide(self._support(X))
        if answer.dtype.kind == "f":
            raise ParameterError(
                f"predict needs a loss that decides on label sets, but {type(chosen).__name__} gives scores to rank "
                "by. Rank by predict_proba(X), or use another loss."
            )
        return self._labels_out(answer)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return P(y_k = 1 | x), the sum of the probabilities of the label sets that hold the label.

        A label with one value only in training has the Laplace estimate (n_1 + 1) / (N + 2). Fitted on a single column
        in one dimension, one column for each class, as scikit-learn does.
        """
        X = self._rows(X)
        return self._probabilities_out(self.model_.marginals(X))

    @available_if(_gives_probabilities)
    def label_support(self, X: Any) -> LabelSupport:
        """Return P(label set | x) over the label sets of the training, with exact marginals.

        Losses decide on it: `plait.losses.F1().decide(model.label_support(X))`.
        """
        return self._support(self._rows(X))

    def _support(self, X: Any) -> LabelSupport:
        if not _gives_probabilities(self):
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
