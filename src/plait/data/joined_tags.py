"""A column of joined tags ("sea|sun") as rows of names, which every `Y` of plait may be."""

import ast
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from plait.core.sentences import ParameterError, shown

__all__ = ["SEPARATOR", "read_tags", "split_tags"]

SEPARATOR = "|"


def split_tags(column: Any, sep: str = "|") -> list[tuple[str, ...]]:
    """Return the tags of every row of a column of joined tags; a gap has none.

    Parameters
    ----------
    column : list, array or Series of str
        Such as "sea|sun"; blanks around tags do not count, nor does what stands twice.
    sep : str, default="|"
        What stands between two tags.

    Returns
    -------
    list of tuple of str

    Examples
    --------
    >>> split_tags(["sea | sun", "", None, "sun"])
    [('sea', 'sun'), (), (), ('sun',)]
    """
    if not isinstance(sep, str) or not sep:
        raise ParameterError(f"split_tags needs sep to be a text that is not empty, but it is {shown(sep)}. Pass '|'.")
    return [_tags(row, value, sep) for row, value in enumerate(column)]


def read_tags(column: Sequence[str | None]) -> tuple[list[tuple[str, ...]], str, str | None]:
    """Return the tags of a column of which nothing is said, what joins them, and what to tell the user, if anything.

    "|" and ";" join tags wherever they stand. Commas do if tags recur and no more of them come out than there were
    cells: names hold commas, too. Cells such as "['sea', 'sun']", as pandas writes a column of lists, are lists.

    Examples
    --------
    >>> read_tags(["sea; sun", "", "sun"])
    ([('sea', 'sun'), (), ('sun',)], ';', "tags are split at ';'; sep= (--sep) says otherwise.")
    >>> read_tags(["['sea', 'sun']", "[]"])[0]
    [('sea', 'sun'), ()]
    """
    texts = sorted({cell for cell in column if cell and cell.strip()})
    lists = {text: _listed(text) for text in texts}
    if texts and all(tags is not None for tags in lists.values()):
        return [tuple(dict.fromkeys(lists.get(cell or "") or ())) for cell in column], SEPARATOR, None
    parts = Counter(part.strip() for text in texts for part in set(text.split(",")))
    commas = any("," in text for text in texts)
    recur = len(parts) <= len(texts) and max(parts.values(), default=0) > 1
    joined = [sep for sep in (SEPARATOR, ";") if any(sep in text for text in texts)]
    found = joined[0] if joined else "," if commas and recur else SEPARATOR
    note = None
    if found != SEPARATOR:
        note = f"tags are split at {found!r}; sep= (--sep) says otherwise."
    elif commas and not joined:
        first = next(text for text in texts if "," in text)
        note = f"{shown(first)} is taken for one tag; sep=',' (--sep ,) splits at commas."
    return split_tags(column, found), found, note


def _listed(text: str) -> list[str] | None:
    """Return the words of a list in writing, or None if it is none."""
    if not (text.strip().startswith("[") and text.strip().endswith("]")):
        return None
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        found = ast.literal_eval(text.strip())
        if isinstance(found, list) and all(isinstance(tag, str) for tag in found):
            return [word for tag in found if (word := tag.strip())]
    return None


def _tags(row: int, value: Any, sep: str) -> tuple[str, ...]:
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value):
        return ()
    if not isinstance(value, str):
        raise ParameterError(
            f"split_tags needs joined tags, but row {row} holds {shown(value)} ({type(value).__name__}). "
            "Pass a column of words."
        )
    return tuple(dict.fromkeys(tag for part in value.split(sep) if (tag := part.strip())))
