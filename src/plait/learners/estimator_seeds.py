"""Copies of an estimator for many labels, each with seeds of its own, made before any work starts."""

import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from plait.core.randomness import seeds

__all__ = ["seeded_clones"]

# Some libraries keep a seed in a signed 32-bit integer.
_HIGHEST_SEED = 2**31 - 1


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
