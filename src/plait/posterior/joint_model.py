"""`JointModel`: what all classifiers of this room share once they hold a fitted joint distribution."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait import inference as inference_room
from plait import losses as losses_room
from plait.core.multilabel_classifier import MultilabelClassifier, available_where
from plait.core.naming import resolve
from plait.core.sentences import ParameterError
from plait.inference import Auto, Inference
from plait.joint import GraphDistribution
from plait.losses import Loss
from plait.posterior.posterior import Joint, Posterior

__all__ = ["JointModel"]


def _gives_probabilities(model: "JointModel") -> bool:
    return model._probabilistic()


def _gives_margins(model: "JointModel") -> bool:
    return model._has_margins()


class JointModel(MultilabelClassifier):
    """Base of classifiers that learn P(Y | X): `fit` of a subclass sets `joint_` and `_seed`.

    Inference and loss are read when a question is asked, so both may be changed after `fit` with `set_params`.
    """

    joint_: Joint
    inference: Any
    loss: Any
    n_jobs: int | None
    _seed: int

    def _probabilistic(self) -> bool:
        """Say whether the model gives probabilities (before `fit`: whether it is going to, as far as known)."""
        return True

    def _has_margins(self) -> bool:
        """Say whether the model gives margins instead."""
        return not self._probabilistic()

    def _posterior(self, X: Any) -> Posterior:
        X = self._rows(X)
        how = Auto() if self.inference is None else self.inference
        chosen = resolve(type(self).__name__, "inference", how, inference_room, Inference)
        return Posterior(self.joint_, X, list(self.label_names_), chosen, self.loss, self._seed, self.n_jobs)

    @available_where(_gives_probabilities)
    def joint(self, X: Any) -> Posterior:
        """Return P(y | x) of every row, to ask questions of.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        return self._posterior(X)

    def predict(self, X: Any, loss: Any = None) -> npt.NDArray[Any]:
        """Return for every row the label set with the least expected loss.

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
        chosen: Loss = resolve(type(self).__name__, "loss", self.loss if loss is None else loss, losses_room, Loss)
        if chosen.answer == "scores":
            raise ParameterError(
                f"predict needs a loss that decides on label sets, but {type(chosen).__name__} gives scores to rank "
                f"by. Use joint(X).decide({type(chosen).__name__.lower()!r}), or another loss."
            )
        return self._labels_out(self._posterior(X).decide(chosen))

    @available_where(_gives_probabilities)
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the marginals P(y_k = 1 | x), (n_samples, n_labels).

        Fitted on a single column in one dimension, it returns one column for each class, as scikit-learn does.
        """
        return self._probabilities_out(self._posterior(X).marginals())

    @available_where(_gives_margins)
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the margin of every label where the parents have the values that were predicted for them."""
        posterior = self._posterior(X)
        labels = posterior.decide("subset").astype(np.uint8)
        distribution = self.joint_.condition(posterior.X)
        assert isinstance(distribution, GraphDistribution)  # only products over a graph have margins
        rows = np.arange(len(labels))
        parents = distribution.graph.parents
        margins = np.column_stack([distribution.scores(k, rows, labels[:, list(p)]) for k, p in enumerate(parents)])
        return margins[:, 0] if self._one_column else margins
