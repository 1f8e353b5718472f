"""Scikit-learn's estimators inside ours: their names and failures in errors, a seed for each copy, and under which
names weights of rows and other metadata reach their `fit`.
"""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from plait.core.randomness import seeds
from plait.core.sentences import ParameterError

__all__ = ["called_failure", "estimator_name", "fit_failure", "routed_metadata", "seeded_clones"]


# Some libraries keep a seed in a signed 32-bit integer.
_HIGHEST_SEED = 2**31 - 1


_LONGEST_CAUSE = 300


def estimator_name(estimator: Any) -> str:
    """Return the class of an estimator and, for a pipeline or a search, the classes inside it.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> estimator_name(make_pipeline(StandardScaler(), LinearSVC()))
    'Pipeline(StandardScaler, LinearSVC)'
    """
    name = type(estimator).__name__
    params = estimator.get_params(deep=False)
    steps = params.get("steps")
    inside = [step for _, step in steps] if isinstance(steps, list) else [params.get("estimator")]
    names = [estimator_name(each) for each in inside if hasattr(each, "get_params")]
    return f"{name}({', '.join(names)})" if names else name


def fit_failure(estimator: Any, label: int, cause: Exception) -> ParameterError:
    """Return the error for a classifier that could not be trained on a label."""
    return ParameterError(
        f"SklearnLearner needs an estimator that trains on every label, but {estimator_name(estimator)} failed on "
        f"label {label} with {_cause(cause)} {_way_out(cause)}"
    )


def called_failure(name: str, label: int, cause: Exception) -> ParameterError:
    """Return the error for a trained classifier that could not be asked about rows."""
    return ParameterError(
        f"FittedClassifiers needs rows like those of the training, but {name} failed on label {label} with "
        f"{_cause(cause)} {_way_out(cause)}"
    )


def _cause(error: Exception) -> str:
    text = " ".join(str(error).split()) or "no message"
    text = text if len(text) <= _LONGEST_CAUSE else text[: _LONGEST_CAUSE - 3] + "..."
    return f"{type(error).__name__}: {text}" + ("" if text.endswith((".", "!", "?")) else ".")


def _way_out(error: Exception) -> str:
    text = str(error).lower()
    if "sparse" in text:
        return "Pass X.toarray(), or an estimator that takes sparse X."
    if "nan" in text or "missing values" in text:
        return "Put an imputer before it in a pipeline, or use an estimator that takes NaN."
    return "Mend what its message says, or use another estimator."


def seeded_clones(estimator: Any, n: int) -> list[Any]:
    """Return `n` clones; a `random_state` that is None or a RandomState becomes an integer, another for each clone.

    This goes for nested parameters and for splitters such as `KFold` too. An integer is left as it is. A RandomState
    is not moved on, so that the clones are the same each time; None draws from NumPy's global generator, as
    scikit-learn does.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> [each.random_state for each in seeded_clones(DecisionTreeClassifier(random_state=3), 2)]
    [3, 3]
    """
    moved: dict[int, np.random.RandomState] = {}
    params = estimator.get_params(deep=True)
    chosen = {name: _seeds_of(params[name], n, moved) for name in sorted(params) if _wants_seed(name, params[name])}
    return [_seeded(clone(estimator), {name: each[i] for name, each in chosen.items()}) for i in range(n)]


def _is_state(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def _is_open(state: Any) -> bool:
    return state is None or isinstance(state, np.random.RandomState)


def _wants_seed(name: str, value: Any) -> bool:
    if _is_state(name):
        return _is_open(value)
    return _holds_state(value) and _is_open(value.random_state)


def _holds_state(value: Any) -> bool:
    """Say whether a parameter is an object with a `random_state` that `get_params` does not reach: a splitter."""
    plain = not isinstance(value, type) and not hasattr(value, "get_params")
    return plain and "random_state" in getattr(value, "__dict__", {})


def _seeds_of(value: Any, n: int, moved: dict[int, np.random.RandomState]) -> list[int]:
    state = value.random_state if _holds_state(value) else value
    source = check_random_state(None) if state is None else moved.setdefault(id(state), copy.deepcopy(state))
    return [seed & _HIGHEST_SEED for seed in seeds(source, n)]


def _seeded(estimator: Any, chosen: dict[str, int]) -> Any:
    params = estimator.get_params(deep=True)
    for name, seed in chosen.items():
        if not _is_state(name):
            # The clone's own splitter: `clone` has copied it.
            params[name].random_state = seed
    return estimator.set_params(**{name: seed for name, seed in chosen.items() if _is_state(name)})


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
