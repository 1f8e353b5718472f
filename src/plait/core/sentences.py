"""One form for every complaint: whose parameter, what it must be, what it is, what to do; and warnings."""

import os
import sys
import warnings
from pathlib import Path
from sysconfig import get_path
from typing import Any

__all__ = ["ParameterError", "complaint", "counted", "shown", "warn_user"]

_LONGEST_SHOWN = 80


class ParameterError(ValueError):
    """A parameter has a value that cannot be used."""


def shown(value: Any) -> str:
    """Return a short `repr` of any value, cut so that an error stays one readable line.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str

    Examples
    --------
    >>> shown("x" * 200)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    text = " ".join(repr(value).split())
    if len(text) > _LONGEST_SHOWN:
        return text[: _LONGEST_SHOWN - 3] + "..."
    return text


def complaint(owner: str, name: str, must: str, value: Any, todo: str = "") -> str:
    """Return the one sentence form in which plait rejects a value.

    Parameters
    ----------
    owner : str
        The class or function that has the parameter.
    name : str
        The parameter.
    must : str
        What it must be, as in "an integer of at least 1".
    value : object
        What it is.
    todo : str, default=""
        What to do; when empty, "Pass <must>."

    Returns
    -------
    str

    Examples
    --------
    >>> complaint("MLkNN", "n_neighbors", "an integer of at least 1", 0)
    'MLkNN needs n_neighbors to be an integer of at least 1, but it is 0 (int). Pass an integer of at least 1.'
    """
    way_out = todo or f"Pass {must}."
    kind = "" if value is None else f" ({type(value).__name__})"
    return f"{owner} needs {name} to be {must}, but it is {shown(value)}{kind}. {way_out}"


def counted(number: int, word: str) -> str:
    """Return a number of things in words.

    Parameters
    ----------
    number : int
        How many.
    word : str
        What one of them is called.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"


# Whose lines a user did not write: plait, whatever is installed, Python itself.
_INSTALLED = [str(get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
_NOT_THE_USERS = tuple(place.rstrip(os.sep) + os.sep for place in [str(Path(__file__).parents[1]), *_INSTALLED])


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, as if by the innermost line that a user wrote: neither plait's nor of a library that calls it.

    Parameters
    ----------
    message : str
        What to say.
    category : type of Warning, default=UserWarning
        Its class.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("few rows")
    >>> str(caught[0].message)
    'few rows'
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
