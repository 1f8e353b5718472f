"""Methods by name: what the command line calls `--method pcc`."""

import ast
import inspect
from collections.abc import Sequence
from typing import Any

from plait import baselines
from plait.core.sentences import ParameterError, complaint, shown
from plait.estimators import recipes
from plait.experiments.planning.plan_objects import build

__all__ = ["make_method", "method_names", "parsed_settings"]


def method_names() -> list[str]:
    """Return the names of all recipes and baselines, each sorted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "pcc" in method_names(), "MLkNN" in method_names()
    (True, True)
    """
    return [*sorted(recipes.__all__), *sorted(baselines.__all__)]


def make_method(name: str, settings: dict[str, Any] | None = None, random_state: Any = None) -> Any:
    """Return an unfitted model by the name of its recipe or its class.

    Parameters
    ----------
    name : str
        One of `method_names()`; capitals, hyphens and underscores do not matter.
    settings : dict, optional
        The recipe's own parameters (`k`), or parameters of the model's parts (`learner__C`).
    random_state : int, optional
        Seed of the model.

    Returns
    -------
    estimator
        Not fitted.

    Examples
    --------
    >>> make_method("kCC", {"k": 2}).structure
    KDependence(k=2, order='information')
    """
    known = {_plain(word): word for word in method_names()}.get(_plain(name))
    if known is None:
        must = "one of " + ", ".join(method_names())
        raise ParameterError(complaint("plait", "--method", must, name, "Pass one of these."))
    seeded = {"random_state": random_state} if known in recipes.__all__ or _takes_seed(known) else {}
    return build({"use": known, **seeded, **(settings or {})})


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _takes_seed(name: str) -> bool:
    return "random_state" in inspect.signature(getattr(baselines, name)).parameters


def parsed_settings(words: Sequence[str]) -> dict[str, Any]:
    """Return NAME=VALUE words as a dict; a value is a number, True, False, None, or else a word.

    Examples
    --------
    >>> parsed_settings(["k=2", "learner__C=cv"])
    {'k': 2, 'learner__C': 'cv'}
    """
    settings: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise ParameterError(f"plait needs --set to be NAME=VALUE, but it is {shown(word)}. Pass for example k=3.")
        try:
            settings[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            settings[name] = value
    return settings
