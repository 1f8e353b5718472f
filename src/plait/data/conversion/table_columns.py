"""Named columns of numbers, truth values, dates and words: what every table becomes first.

What the words of a text table mean (numbers, truth values, dates or plain words) is plait's own rule, so that a file
means the same whichever library has split it into cells.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import shown
from plait.data.errors import DataError

__all__ = [
    "MISSING_WORDS",
    "NotOfKindError",
    "TableColumn",
    "column_of_words",
    "parsed_date",
    "parsed_number",
    "posix_seconds",
    "refuse_doubles",
]

MISSING_WORDS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"})

_TRUTH = {"true": 1.0, "false": 0.0}
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?")
_DAY_FIRST = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"numeric", "boolean", "date", "text"}
        What it holds.
    values : ndarray of shape (n_samples,)
        Floats with NaN where a value is missing; dates with NaT; for text, words with None where one is missing.
    """

    name: str
    kind: str
    values: npt.NDArray[Any]

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Where no value is."""
        if self.kind == "text":
            return np.array([word is None or word.strip() in MISSING_WORDS for word in self.values], dtype=bool)
        return np.isnat(self.values) if self.kind == "date" else np.isnan(self.values)

    def equals(self, other: "TableColumn") -> bool:
        """Say whether another column has the same name, kind and values; missing ones are equal."""
        if (self.name, self.kind, len(self.values)) != (other.name, other.kind, len(other.values)):
            return False
        missing = self.missing
        return bool((missing == other.missing).all() and (self.values == other.values)[~missing].all())


def refuse_doubles(names: Sequence[str], source: str) -> None:
    """Raise if two columns have the same name, or one has none."""
    seen: set[str] = set()
    for position, name in enumerate(names, start=1):
        if not name:
            raise DataError.at(
                source, None, "a name for every column", f"none for column {position}", "Name it, or leave it out."
            )
        if name in seen:
            raise DataError.at(
                source, None, "columns with different names", f"{shown(name)} twice", "Rename one of them."
            )
        seen.add(name)


class NotOfKindError(ValueError):
    """A word of a column is not what the column is to hold: its row, and what was expected there."""

    def __init__(self, row: int, expected: str, word: str) -> None:
        super().__init__(row, expected, word)
        self.row, self.expected, self.word = row, expected, word


def column_of_words(
    name: str, words: Sequence[str] | npt.NDArray[Any], kind: str | None = None, *, comma: bool = False
) -> TableColumn:
    """Return the column that the words of a table spell.

    Blanks around a word do not count. Words such as `NA`, `?` or nothing are missing values (`MISSING_WORDS`). If all
    others are numbers, the column is numeric; if all are true or false (in any case), it is boolean; if all are dates
    `2024-01-31`, `31.01.2024` or times `2024-01-31 12:30:00`, it holds dates; else it is text.

    Parameters
    ----------
    name : str
        Name of the column.
    words : sequence of str
        Its cells.
    kind : {"numeric", "date", "text"}, optional
        What the column must be; a word that is not so is a `NotOfKindError`.
    comma : bool, default=False
        Whether 1,5 is a number.

    Examples
    --------
    >>> column_of_words("size", ["1", "NA", "2.5"]).values
    array([1. , nan, 2.5])
    >>> column_of_words("sky", ["sun", "rain", "?"]).values
    array(['sun', 'rain', None], dtype=object)
    """
    numbers = _numbers(words) if kind in (None, "numeric") else None
    if numbers is not None:
        return TableColumn(name, "numeric", numbers)
    known = [None if word in MISSING_WORDS else word for word in (word.strip() for word in words)]
    distinct = {word for word in known if word is not None}
    if kind == "numeric" or (kind is None and comma and _all(distinct, parsed_number)):
        return TableColumn(name, "numeric", np.array(_each(known, parsed_number, "a number"), dtype=np.float64))
    if kind is None and all(word.lower() in _TRUTH for word in distinct):
        truth = [np.nan if word is None else _TRUTH[word.lower()] for word in known]
        return TableColumn(name, "boolean", np.array(truth, dtype=np.float64))
    if kind == "date" or (kind is None and _all(distinct, parsed_date)):
        dates = [np.datetime64("NaT") if date is None else date for date in _each(known, parsed_date, "a date")]
        return TableColumn(name, "date", np.array(dates, dtype="datetime64[us]"))
    return TableColumn(name, "text", np.array(known, dtype=object))


def _all(distinct: set[str], parse: Any) -> bool:
    return all(parse(word) is not None for word in distinct)


def _each(words: Sequence[str | None], parse: Any, expected: str) -> list[Any]:
    meanings = {word: None if word is None else parse(word) for word in dict.fromkeys(words)}
    for row, word in enumerate(words):
        if word is not None and meanings[word] is None:
            raise NotOfKindError(row, expected, word)
    return [meanings[word] for word in words]


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


def _numbers(words: Sequence[str] | npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Return the words as numbers, NaN where missing, or None if one is no number."""
    try:
        try:
            values = np.fromiter(map(float, words), dtype=np.float64, count=len(words))
        except ValueError:
            values = np.array([np.nan if word.strip() in MISSING_WORDS else float(word) for word in words])
    except ValueError:
        return None
    # Python reads 1_000 as a number; a table means a word.
    return None if "_" in "".join(words) else values


def parsed_number(word: str) -> float | None:
    """Return the number that a word spells, with a point or a comma before its decimals, or None.

    Examples
    --------
    >>> parsed_number("1.5"), parsed_number("1,5"), parsed_number("one")
    (1.5, 1.5, None)
    """
    try:
        return float(word.replace(",", ".") if _COMMA_NUMBER.fullmatch(word) else word) if "_" not in word else None
    except ValueError:
        return None


def parsed_date(word: str) -> np.datetime64 | None:
    """Return the date that a word spells, as 2024-01-31 (with or without a time) or as 31.01.2024, or None.

    Examples
    --------
    >>> parsed_date("31.1.2024"), parsed_date("2024-13-01")
    (np.datetime64('2024-01-31T00:00:00.000000'), None)
    """
    day_first = _DAY_FIRST.fullmatch(word)
    if day_first:
        day, month, year = day_first.groups()
        word = f"{year}-{month:0>2}-{day:0>2}"
    elif not _DATE.fullmatch(word):
        return None
    try:
        return np.datetime64(word, "us")
    except ValueError:
        return None
