"""What the words of a text table's column mean: numbers, truth values, dates or plain words.

The rule is plait's own, so that a file means the same whichever library has split it into cells.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.data.columns import Column

__all__ = ["MISSING_WORDS", "column_of_words", "posix_seconds"]

MISSING_WORDS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"})

_TRUTH = {"true": 1.0, "false": 0.0}
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?")
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def column_of_words(name: str, words: Sequence[str] | npt.NDArray[Any]) -> Column:
    """Return the column that the words of a table spell.

    Blanks around a word do not count. Words such as `NA`, `?` or nothing are missing values (`MISSING_WORDS`). If all
    others are numbers, the column is numeric; if all are true or false (in any case), it is boolean; if all are dates
    `2024-01-31` or times `2024-01-31 12:30:00`, they become seconds since 1970 (UTC); else it is text.

    Parameters
    ----------
    name : str
        Name of the column.
    words : sequence of str
        Its cells.

    Examples
    --------
    >>> column_of_words("size", ["1", "NA", "2.5"]).values
    array([1. , nan, 2.5])
    >>> column_of_words("sky", ["sun", "rain", "?"]).values
    array(['sun', 'rain', None], dtype=object)
    """
    stripped = [word.strip() for word in words]
    numbers = _numbers(stripped)
    if numbers is not None:
        return Column(name, "numeric", numbers)
    known = [None if word in MISSING_WORDS else word for word in stripped]
    distinct = {word for word in known if word is not None}
    if all(word.lower() in _TRUTH for word in distinct):
        truth = [np.nan if word is None else _TRUTH[word.lower()] for word in known]
        return Column(name, "boolean", np.array(truth, dtype=np.float64))
    if all(_DATE.fullmatch(word) for word in distinct):
        seconds = _dates(known)
        if seconds is not None:
            return Column(name, "numeric", seconds)
    return Column(name, "text", np.array(known, dtype=object))


def posix_seconds(times: npt.NDArray[np.datetime64] | npt.NDArray[np.timedelta64]) -> npt.NDArray[np.float64]:
    """Return seconds, since 1970 for times, NaN where there is none.

    Examples
    --------
    >>> posix_seconds(np.array(["1970-01-02T00:00:00.5", "NaT"], dtype="datetime64[ms]"))
    array([86400.5,     nan])
    """
    unit = np.datetime_data(times.dtype)[0]
    if unit not in _PER_SECOND:
        kind = "datetime64[s]" if times.dtype.kind == "M" else "timedelta64[s]"
        times, unit = times.astype(kind), "s"
    ticks = times.astype(np.int64)
    # Whole seconds and the rest apart: one rounding only.
    whole, rest = np.divmod(ticks, _PER_SECOND[unit])
    seconds = whole + rest / _PER_SECOND[unit]
    seconds[np.isnat(times)] = np.nan
    return seconds


def _numbers(words: list[str]) -> npt.NDArray[np.float64] | None:
    """Return the words as numbers, NaN where missing, or None if one is no number."""
    try:
        values = np.array(words, dtype=object).astype(np.float64)
    except ValueError:
        try:
            values = np.array([np.nan if word in MISSING_WORDS else float(word) for word in words], dtype=np.float64)
        except ValueError:
            return None
    # Python reads 1_000 as a number; a table means a word.
    return None if "_" in "".join(words) else values


def _dates(words: list[str | None]) -> npt.NDArray[np.float64] | None:
    try:
        return posix_seconds(np.array([word or "NaT" for word in words], dtype="datetime64[us]"))
    except ValueError:
        return None
