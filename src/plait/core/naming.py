"""Names for classes: where a user would type a word, the registered name is accepted too.

The registry of a room is read from its `__all__`, so that adding one idea stays one file with its export line.
"""

import re
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from plait.core.sentences import ParameterError, complaint

__all__ = ["registered", "registry", "resolve"]


def registered(name: str) -> str:
    """Return the word by which a class is known.

    Examples
    --------
    >>> registered("BestFirst"), registered("MLkNN"), registered("F1"), registered("SCLS")
    ('best_first', 'mlknn', 'f1', 'scls')
    """
    # A capital starts a new word only between lower-case letters and only if more of them follow.
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", name).lower()


def registry(room: ModuleType, base: type) -> dict[str, type]:
    """Return word -> class for every class in the room's `__all__` that derives from `base`."""
    classes = [getattr(room, name) for name in room.__all__]
    return {registered(kind.__name__): kind for kind in classes if _is_kind(kind, base)}


def _is_kind(kind: Any, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base) and kind is not base


def resolve(owner: str, name: str, value: Any, room: ModuleType, base: type) -> Any:
    """Return an instance of `base`: the value itself, or a default one of the class it names.

    "k_dependence" is taken for "kdependence", too. A wrong name lists the right ones, and the nearest.
    """
    if isinstance(value, base):
        return value
    # Rooms load lazily: only the class that the word names is looked at.
    for candidate in room.__all__ if isinstance(value, str) else ():
        if registered(candidate) in (value, value.replace("_", "")) and _is_kind(
            kind := getattr(room, candidate), base
        ):
            return kind()
    known = sorted(registry(room, base))
    must = f"an instance of {base.__name__} or one of " + ", ".join(repr(word) for word in known)
    near = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    raise ParameterError(complaint(owner, name, must, value, f"Did you mean {near[0]!r}?" if near else ""))
