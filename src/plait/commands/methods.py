"""Methods by name: what the command line calls `--method pcc`."""

import ast
from collections.abc import Sequence
from typing import Any

from plait.core.sentences import ParameterError, complaint, shown
from plait.estimators import recipes
from plait.experiments.planning.plan_objects import build

__all__ = ["make_method", "method_names", "parsed_settings"]


def method_names() -> list[str]:
    """Return the names of all recipes, sorted.

    Examples
    --------
    >>> "pcc" in method_names()
    True
    """
    return sorted(recipes.__all__)


def make_method(name: str, settings: dict[str, Any] | None = None, random_state: Any = None) -> Any:
    """Return an unfitted model by the name of its recipe.

    Parameters
    ----------
    name : str
        One of `method_names()`; capitals and hyphens do not matter.
    settings : dict, optional
        The recipe's own parameters (`k`), or parameters of the model's parts (`learner__C`).
    random_state : int, optional
        Seed of the model.

    Examples
    --------
    >>> make_method("kCC", {"k": 2}).structure
    KDependence(k=2)
    """
    known = name.lower().replace("-", "_")
    if known not in recipes.__all__:
        must = "one of " + ", ".join(method_names())
        raise ParameterError(complaint("plait", "--method", must, name, "Pass one of these."))
    return build({"use": known, "random_state": random_state, **(settings or {})})


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
