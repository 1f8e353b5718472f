"""Names for classes: where a user would type a word, the registered name is accepted too.

The registry of a room is read from its `__all__`, so that adding one idea stays one file with its export line.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from inspect import signature
from types import ModuleType
from typing import Any

from plait.core.sentences import ParameterError, complaint

__all__ = ["registered", "registry", "resolve"]


@cache
def registered(name: str) -> str:
    """Return the word by which a class is known.

    Parameters
    ----------
    name : str
        Of the class.

    Returns
    -------
    str

    Examples
    --------
    >>> registered("BestFirst"), registered("MLkNN"), registered("MicroF1"), registered("LinearSVM")
    ('best_first', 'mlknn', 'micro_f1', 'linear_svm')
    """
    # A capital starts a new word after a small letter, if a small letter, a digit or two more capitals follow it; and
    # after two capitals, if a small letter does.
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z](?:[a-z0-9]|[A-Z]{2}))|(?<=[A-Z]{2})(?=[A-Z][a-z])", "_", name).lower()


@cache
def _plain(name: str, base: type) -> str:
    """Return the word of a class without the word of its base: "logistic" for a `LogisticLearner`."""
    return registered(name).removesuffix(f"_{registered(base.__name__)}")


def registry(room: ModuleType, base: type) -> dict[str, Any]:
    """Return word -> class for every class in the room's `__all__` that derives from `base`.

    Parameters
    ----------
    room : module
        Whose names are looked at.
    base : class
        What the classes derive from.

    Returns
    -------
    dict of str to class

    Examples
    --------
    >>> from plait import losses
    >>> registry(losses, losses.Loss)["micro_f1"].__name__
    'MicroF1'
    """
    classes = [getattr(room, name) for name in room.__all__]
    return {_plain(kind.__name__, base): kind for kind in classes if _is_kind(kind, base)}


def _is_kind(kind: Any, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base) and kind is not base


def _needs_nothing(kind: type) -> bool:
    return all(each.default is not each.empty for each in signature(kind).parameters.values())


def resolve(
    owner: str, name: str, value: Any, room: ModuleType, base: type, more: Mapping[str, Callable[[], Any]] | None = None
) -> Any:
    """Return an instance of `base`: the value itself, a default one of the class it names, or what `more` makes of it.

    "k_dependence" is taken for "kdependence", too, and "logistic_learner" for "logistic". A wrong name lists the right
    ones, and the nearest.

    Parameters
    ----------
    owner, name : str
        Whose parameter, and its name, for complaints.
    value : object or str
        An instance, or the word for a class.
    room : module
        Where words are looked up.
    base : class
        What is wanted.
    more : mapping of str to callable, optional
        Further words, and what makes their objects.

    Returns
    -------
    object
        An instance of `base`.

    Examples
    --------
    >>> from plait import losses
    >>> resolve("MyModel", "loss", "hamming", losses, losses.Loss)
    Hamming()
    """
    if isinstance(value, base):
        return value
    if isinstance(value, str) and value in (more or {}):
        return (more or {})[value]()
    forms = {value, value.replace("_", "")} if isinstance(value, str) else set()
    # Rooms load lazily: only the class that the word names is looked at.
    for candidate in room.__all__ if forms else ():
        named = forms & {registered(candidate), _plain(candidate, base)}
        if named and _is_kind(kind := getattr(room, candidate), base):
            return kind()
    known = sorted([*(more or {}), *(word for word, kind in registry(room, base).items() if _needs_nothing(kind))])
    must = f"an instance of {base.__name__} or one of " + ", ".join(repr(word) for word in known)
    near = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    raise ParameterError(complaint(owner, name, must, value, f"Did you mean {near[0]!r}?" if near else ""))
