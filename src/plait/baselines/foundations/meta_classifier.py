"""`MetaClassifier`: what the methods share that hand transformed problems to any classifier."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from plait.core.checks import HasMethods, Nothing
from plait.core.multilabel_classifier import WeightedClassifier
from plait.core.randomness import seeds
from plait.core.sentences import ParameterError
from plait.learners import Learner, SklearnLearner
from plait.learners.training.wrapped_estimators import estimator_name, routed_metadata, seeded_clones

__all__ = ["ESTIMATOR_RULE", "MetaClassifier", "seeded_members", "weight_keywords"]

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
