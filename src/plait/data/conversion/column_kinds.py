"""What a column of a table is for a learner, and its values as numbers, dates or words.

The kinds: "numbers", "yes/no", "dates", "words" (few different ones), "text" (sentences) and "left out" (nothing to
learn from: no values at all, or one of its own in every row).
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.no_yes import meaning, no_yes_codes
from plait.core.sentences import ParameterError, shown
from plait.data.conversion.feature_encoding import is_identifier
from plait.data.conversion.table_columns import MISSING_WORDS, TableColumn, parsed_date, parsed_number
from plait.data.errors import DataError

__all__ = [
    "KINDS",
    "as_dates",
    "as_numbers",
    "as_truths",
    "as_words",
    "date_columns",
    "dates_seen",
    "kind_of",
    "said_kinds",
]

KINDS = ("numbers", "yes/no", "dates", "words", "text", "left out")

_ID_NAME = re.compile(r"(?:.*[\W_])?(?:id|uuid|guid|index|row)", re.IGNORECASE)
_TEXT_WORDS, _TEXT_LETTERS = 3.0, 40.0  # the mean length of a cell from which a column is text
_FEWEST_ROWS = 8
_DATE_PARTS = ("year", "month", "weekday", "age")
_EPOCH = np.datetime64(0, "us")


def kind_of(column: TableColumn) -> tuple[str, str]:
    """Return the kind of a column, and why where it is left out.

    Examples
    --------
    >>> kind_of(TableColumn("sky", "text", np.array(["blue", "grey", "blue"], dtype=object)))
    ('words', '')
    """
    if column.kind == "date":
        return ("left out", "is empty") if np.isnat(column.values).all() else ("dates", "")
    if column.kind != "text":
        return _kind_of_numbers(column)
    words = [word for word in as_words(column) if word is not None]
    distinct = set(words)
    if not words:
        return "left out", "is empty"
    if no_yes_codes(distinct) is not None:
        return "yes/no", ""
    if all(parsed_date(word) is not None for word in distinct):
        return "dates", ""
    mostly_different = 2 * len(distinct) > len(words)
    if mostly_different and _is_text(distinct):
        return "text", ""
    if is_identifier(len(words), len(distinct), len(distinct)):
        return "left out", "only tells rows apart"
    return "words", ""


def _kind_of_numbers(column: TableColumn) -> tuple[str, str]:
    first = column.values[:_FEWEST_ROWS]
    if column.kind == "numeric" and (first != np.floor(first))[np.isfinite(first)].any():
        return "numbers", ""
    known = column.values[~np.isnan(column.values)]
    if not len(known):
        return "left out", "is empty"
    if column.kind == "boolean":
        return "yes/no", ""
    whole = len(known) >= _FEWEST_ROWS and bool((known == np.floor(known)).all())
    if whole and len(np.unique(known)) == len(known) and (_ID_NAME.fullmatch(column.name) or _counts_rows(known)):
        return "left out", "only tells rows apart"
    return "numbers", ""


def _counts_rows(numbers: npt.NDArray[np.float64]) -> bool:
    """Say whether different whole numbers count upward nearly without gaps, as row numbers of a part do."""
    return bool((np.diff(numbers) > 0).all() and numbers[-1] - numbers[0] < 2 * len(numbers))


def _is_text(distinct: set[str]) -> bool:
    lengths = [(len(word.split()), len(word)) for word in distinct]
    n_words, n_letters = np.mean(lengths, axis=0)
    return bool(n_words >= _TEXT_WORDS or n_letters >= _TEXT_LETTERS)


def said_kinds(owner: str, names: list[str], asked: Mapping[str, Any]) -> dict[str, str]:
    """Return the kinds that a user asks for, by column: `asked` holds names by "text", "words", ... or "drop"."""
    said: dict[str, str] = {}
    for word, given in asked.items():
        for name in [given] if isinstance(given, str) else given or ():
            if name not in names:
                near = get_close_matches(str(name), names, n=1) or names[:5]
                hint = f"Did you mean {' or '.join(map(shown, near))}?"
                raise ParameterError(f"{owner} needs {word} to name columns, but {shown(name)} is none. {hint}")
            said[name] = "left out" if word == "drop" else word
    return said


def as_words(column: TableColumn) -> list[str | None]:
    """Return the values of any column as words, None where missing; 1.0 is "1", and blanks around do not count.

    Examples
    --------
    >>> days = np.array(["2026-01-02", "2026-01-02T15:30", "NaT"], dtype="datetime64[us]")
    >>> as_words(TableColumn("taken", "date", days))
    ['2026-01-02', '2026-01-02T15:30:00', None]
    """
    if column.kind == "text":
        return [None if word is None or word.strip() in MISSING_WORDS else word.strip() for word in column.values]
    if column.kind == "date":
        moments = np.datetime_as_string(column.values, "s").tolist()
        return [None if text == "NaT" else text.removesuffix("T00:00:00") for text in moments]
    if column.kind == "boolean":
        return [None if value != value else "true" if value else "false" for value in column.values.tolist()]
    return [None if value != value else _number_word(value) for value in column.values.tolist()]


def _number_word(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def as_numbers(column: TableColumn, source: str) -> npt.NDArray[np.float64]:
    """Return the values as numbers, NaN where missing; a word that is no number is refused."""
    if column.kind in ("numeric", "boolean"):
        return column.values
    return np.array(
        [_parsed(column, word, parsed_number, "a number", source) for word in as_words(column)], dtype=float
    )


def as_dates(column: TableColumn, source: str) -> npt.NDArray[np.datetime64]:
    """Return the values as dates, NaT where missing; a word that is no date is refused."""
    if column.kind == "date":
        return column.values
    parsed = [_parsed(column, word, parsed_date, "a date", source) for word in as_words(column)]
    return np.array([np.datetime64("NaT") if date is None else date for date in parsed], dtype="datetime64[us]")


def _parsed(column: TableColumn, word: str | None, parse: Any, what: str, source: str) -> Any:
    value = None if word is None else parse(word)
    if word is not None and value is None:
        row = as_words(column).index(word) + 1
        raise DataError.at(
            source,
            None,
            f"{what} in every row of column {shown(column.name)}",
            f"{shown(word)} in row {row}",
            "Mend it, or leave the cell empty.",
        )
    return value


def as_truths(column: TableColumn, codes: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """Return 0 and 1, NaN where a value is missing or means neither.

    Examples
    --------
    >>> as_truths(TableColumn("blue", "text", np.array(["ja", None], dtype=object)), {"nein": 0.0, "ja": 1.0})
    array([ 1., nan])
    """
    if column.kind in ("numeric", "boolean"):
        return np.where(np.isin(column.values, (0.0, 1.0)), column.values, np.nan)
    words = as_words(column)
    return np.array([np.nan if word is None else codes.get(meaning(word), np.nan) for word in words], dtype=float)


def dates_seen(dates: npt.NDArray[np.datetime64]) -> tuple[float, list[str]]:
    """Return the latest of some dates in days since 1970, and which parts tell them apart: the hour where it is set."""
    known = dates[~np.isnat(dates)]
    timed = bool((known.astype("datetime64[D]") != known).any())
    return float(_days(known).max()), [*_DATE_PARTS, *(["hour"] if timed else [])]


def date_columns(dates: npt.NDArray[np.datetime64], latest: float, parts: list[str]) -> list[npt.NDArray[np.float64]]:
    """Return parts of dates as numbers: year, month (1 to 12), weekday (Monday is 0), years before `latest`, hour.

    Examples
    --------
    >>> day = np.array(["2024-01-31"], dtype="datetime64[us]")
    >>> [float(part[0]) for part in date_columns(day, 19753.0, ["year", "month", "weekday", "age"])]
    [2024.0, 1.0, 2.0, 0.0]
    """
    years, months, days = (dates.astype(f"datetime64[{unit}]") for unit in "YMD")
    found = {
        "year": _steps(years) + 1970.0,
        "month": _steps(months) - 12.0 * _steps(years) + 1.0,
        "weekday": (_steps(days) + 3.0) % 7.0,  # 1970 began on a Thursday
        "age": (latest - _days(dates)) / 365.2425,
        "hour": (dates - days) / np.timedelta64(1, "h"),
    }
    return [found[part] for part in parts]


def _days(dates: npt.NDArray[np.datetime64]) -> npt.NDArray[np.float64]:
    return (dates - _EPOCH) / np.timedelta64(1, "D")


def _steps(times: npt.NDArray[np.datetime64]) -> npt.NDArray[np.float64]:
    """Return whole units since 1970, NaN where there is no date."""
    return np.where(np.isnat(times), np.nan, times.astype(np.int64).astype(np.float64))
