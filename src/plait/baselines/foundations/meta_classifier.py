"""`MetaClassifier`: what the methods share that hand transformed problems to any classifier."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import get_tags

from plait import losses as losses_room
from plait.core.checks import HasMethods, Nothing
from plait.core.multilabel_classifier import WeightedClassifier
from plait.core.naming import resolve
from plait.core.randomness import seeds
from plait.core.sentences import ParameterError
from plait.learners import Learner, SklearnLearner
from plait.learners.training.wrapped_estimators import estimator_name, routed_metadata, seeded_clones
from plait.losses import Loss

__all__ = ["ESTIMATOR_RULE", "LossClassifier", "MetaClassifier", "seeded_members", "weight_keywords"]

ESTIMATOR_RULE = (HasMethods(("fit", "predict", "get_params", "set_params")), Nothing())


class MetaClassifier(WeightedClassifier):
    """Base of the transformations: they have a parameter `estimator`, and X may hold what that takes."""

    estimator: Any

    def _finite(self) -> bool | str:
        if isinstance(self.estimator, Learner):
            return "allow-nan" if self.estimator._allows_nan() else True
        if self.estimator is None or not hasattr(self.estimator, "__sklearn_tags__"):
            return True
        return "allow-nan" if get_tags(self.estimator).input_tags.allow_nan else True


class LossClassifier(WeightedClassifier):
    """Base of classifiers that know P(y | x) and decide for a loss: a subclass writes `_answer(X, loss)`."""

    loss: Any

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
        X = self._rows(X)
        chosen = resolve(type(self).__name__, "loss", self.loss if loss is None else loss, losses_room, Loss)
        answer = self._answer(X, chosen)
        if answer.dtype.kind == "f":
            raise ParameterError(
                f"predict needs a loss that decides on label sets, but {type(chosen).__name__} gives scores to rank "
                "by. Rank by predict_proba(X), or use another loss."
            )
        return self._labels_out(answer)

    @abstractmethod
    def _answer(self, X: Any, loss: Loss) -> npt.NDArray[Any]:
        """Return the best label sets of checked rows."""


def weight_keywords(owner: str, estimator: Any, sample_weight: Any) -> dict[str, Any]:
    """Return how weights of rows are handed to an estimator's `fit`; refuse an estimator that takes none."""
    if sample_weight is None:
        return {}
    try:
        return routed_metadata(SklearnLearner(estimator), {"sample_weight": sample_weight})
    except ParameterError as error:
        raise ParameterError(
            f"{owner} needs an estimator whose fit takes sample_weight, but {estimator_name(estimator)} does not take "
            "or not request it. Use another estimator, or fit without sample_weight."
        ) from error


def seeded_members(estimator: Any, n: int, random_state: Any) -> list[Any]:
    """Return `n` clones; where the estimator's own `random_state` is None, each gets a seed drawn from `random_state`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> one, two = seeded_members(DecisionTreeClassifier(), 2, random_state=0)
    >>> one.random_state == two.random_state
    False
    """
    template = clone(estimator)
    names = [name for name in template.get_params(deep=True) if name.split("__")[-1] == "random_state"]
    unset = [name for name in names if template.get_params(deep=True)[name] is None]
    (seed,) = seeds(random_state, 1)
    template.set_params(**{name: np.random.RandomState(seed) for name in unset})
    return seeded_clones(template, n)
