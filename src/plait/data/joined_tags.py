"""A column of joined tags ("sea|sun") as rows of names, which every `Y` of plait may be."""

from typing import Any

from plait.core.sentences import ParameterError, shown

__all__ = ["split_tags"]


def split_tags(column: Any, sep: str = "|") -> list[tuple[str, ...]]:
    """Return the tags of every row of a column of joined tags; a gap has none.

    Parameters
    ----------
    column : list, array or Series of str
        Such as "sea|sun"; blanks around tags do not count, nor does what stands twice.
    sep : str, default="|"
        What stands between two tags.

    Examples
    --------
    >>> split_tags(["sea | sun", "", None, "sun"])
    [('sea', 'sun'), (), (), ('sun',)]
    """
    if not isinstance(sep, str) or not sep:
        raise ParameterError(f"split_tags needs sep to be a text that is not empty, but it is {shown(sep)}. Pass '|'.")
    return [_tags(row, value, sep) for row, value in enumerate(column)]


def _tags(row: int, value: Any, sep: str) -> tuple[str, ...]:
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value):
        return ()
    if not isinstance(value, str):
        raise ParameterError(
            f"split_tags needs joined tags, but row {row} holds {shown(value)} ({type(value).__name__}). "
            "Pass a column of words."
        )
    return tuple(dict.fromkeys(tag for part in value.split(sep) if (tag := part.strip())))
