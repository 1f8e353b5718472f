"""Under which names weights of rows and other metadata reach an estimator's `fit`."""

from collections.abc import Mapping
from typing import Any

from sklearn import get_config
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from plait.core.sentences import ParameterError
from plait.learners.estimator_words import estimator_name

__all__ = ["routed_metadata"]


def routed_metadata(learner: Any, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `learner.estimator.fit` is to be called with, by scikit-learn's routing where that is enabled.

    Without routing only `sample_weight` is known; it goes to the last step of a pipeline and to what a search
    fits, under the names that they expect.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> learner = SimpleNamespace(estimator=make_pipeline(MinMaxScaler(), BernoulliNB()))
    >>> routed_metadata(learner, {"sample_weight": [1.0, 2.0]})
    {'bernoullinb__sample_weight': [1.0, 2.0]}
    """
    if not metadata:
        return {}
    if get_config()["enable_metadata_routing"]:
        return _by_request(learner, metadata)
    others = sorted(set(metadata) - {"sample_weight"})
    if others:
        raise ParameterError(
            f"SklearnLearner.fit needs scikit-learn's metadata routing for {others[0]}, but it is not enabled. "
            "Call sklearn.set_config(enable_metadata_routing=True) and request it, or leave it out."
        )
    name = _weight_name(learner.estimator)
    if name is None:
        raise _no_taker(learner.estimator, "sample_weight")
    return {name: metadata["sample_weight"]}


def _by_request(learner: Any, metadata: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return dict(process_routing(learner, "fit", **metadata).estimator.fit)
    except TypeError as error:
        raise _no_taker(learner.estimator, ", ".join(sorted(metadata))) from error


def _weight_name(estimator: Any) -> str | None:
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        inner = _weight_name(last)
        return None if inner is None else f"{step}__{inner}"
    if isinstance(estimator, GridSearchCV | RandomizedSearchCV):
        return _weight_name(estimator.estimator)
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def _no_taker(estimator: Any, names: str) -> ParameterError:
    return ParameterError(
        f"SklearnLearner needs an estimator whose fit takes {names}, but {estimator_name(estimator)} does not take or "
        "not request it. Use another estimator (under metadata routing, call set_fit_request), or leave it out."
    )
