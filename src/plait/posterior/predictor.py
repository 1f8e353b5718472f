"""`Predictor`: a fitted model for a service, which answers rows without looking at them first."""

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.named_answers import TopLabels
from plait.posterior.posterior import Posterior

__all__ = ["Predictor"]


class Predictor:
    """The answers of a fitted model for a caller that is trusted: nothing about X is checked. Made by `predictor()`.

    X must be an array or CSR matrix of finite floats with as many columns as at `fit`; anything else gives wrong
    answers or errors of any kind. Inference and loss are those that the model has now: what is set on the model later
    does not reach the predictor.

    Parameters
    ----------
    model : JointModel
        A fitted classifier.

    Examples
    --------
    >>> from plait import recipes
    >>> model = recipes.pcc().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [[0, 0], [0, 1], [1, 1], [1, 0]] * 9)
    >>> service = model.predictor()
    >>> service.predict(np.array([[3.0]]))
    array([[1, 0]])
    """

    def __init__(self, model: Any) -> None:
        self._model = copy(model)
        self._model._trusted = True
        for name in ("inference", "loss"):
            if hasattr(model, name):
                setattr(self._model, name, model.part(name))

    def predict(self, X: Any, loss: Any = None, *, sparse_output: bool | str = "auto") -> Any:
        """Return what `predict` of the model returns.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        loss : Loss or str, optional
            By default the model's.
        sparse_output : bool or "auto", default="auto"
            As `predict` of the model takes it.
        """
        return self._model.predict(X, loss, sparse_output=sparse_output)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return what `predict_proba` of the model returns.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        found: Floats = self._model.predict_proba(X)
        return found

    def top_labels(self, X: Any, k: int = 5) -> TopLabels:
        """Return what `top_labels` of the model returns.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        k : int, default=5
            How many.
        """
        found: TopLabels = self._model.top_labels(X, k)
        return found

    def joint(self, X: Any) -> Posterior:
        """Return what `joint` of the model returns.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        found: Posterior = self._model.joint(X)
        return found
