"""A chain of labels that is trained once and asked several questions, as in the tables of [PCC]."""

import hashlib
import pickle
from copy import copy
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, clone

from plait.core.checks import Constraint, HasMethods, InstanceOf, check_parameters
from plait.inference import Inference
from plait.losses import Loss

__all__ = ["AskedChain"]


class AskedChain(BaseEstimator):
    """One chain, trained once and asked several questions: the chain of the last fit serves the next one like it.

    [PCC tables 2 and 3] ask the same chain five times and print its training time once, "SAA" below it.

    Parameters
    ----------
    estimator : JointClassifier
        What is trained.
    inference : Inference or str, default="auto"
        How it is asked.
    loss : Loss or str, default="subset"
        For which loss.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from plait import recipes
    >>> X, Y = np.arange(8.0)[:, None], (np.arange(8)[:, None] > [3, 4]).astype(int)
    >>> asked = [AskedChain(recipes.cc(order="given"), word).fit(X, Y) for word in ("greedy", "best_first")]
    >>> asked[0].estimator_.conditionals_ is asked[1].estimator_.conditionals_
    True
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "estimator": (HasMethods(("fit", "joint")),),
        "inference": (InstanceOf((Inference, str)),),
        "loss": (InstanceOf((Loss, str)),),
    }
    _last: ClassVar[dict[str, Any]] = {}

    def __init__(self, estimator: Any, inference: Any = "auto", loss: Any = "subset") -> None:
        self.estimator = estimator
        self.inference = inference
        self.loss = loss

    def fit(self, X: Any, y: Any) -> "AskedChain":
        """Train the chain, unless the last one was trained with the same parameters on the same rows."""
        check_parameters(self)
        key = hashlib.sha256(pickle.dumps((repr(self.estimator.get_params()), X, y))).hexdigest()
        if key not in self._last:
            self._last.clear()
            self._last[key] = clone(self.estimator).fit(X, y)
        self.estimator_ = copy(self._last[key]).set_params(inference=self.inference, loss=self.loss)
        return self

    def predict(self, X: Any) -> Any:
        """Return the answer to the question."""
        return self.estimator_.predict(X)
