"""From named columns of numbers, truth values and words to a `Dataset`: where every table ends.

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
from plait.data.conversion.attributes import Attribute, value_codes
from plait.data.conversion.feature_encoding import encode_features, encode_labels
from plait.data.conversion.label_columns import LabelChoice, label_positions
from plait.data.dataset import Dataset
from plait.data.errors import DataError

__all__ = [
    "MISSING_WORDS",
    "TableColumn",
    "column_of_words",
    "dataset_of_columns",
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
    kind : {"numeric", "boolean", "text"}
        What it holds.
    values : ndarray of shape (n_samples,)
        Floats with NaN where a value is missing; for text, words with None where one is missing.
    declared : tuple of str, default=()
        The words that a text column may hold, in order; by default those it holds, in alphabetical order.
    """

    name: str
    kind: str
    values: npt.NDArray[Any]
    declared: tuple[str, ...] = ()


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


def dataset_of_columns(
    columns: Sequence[TableColumn], n_rows: int, labels: LabelChoice, nominal: str, name: str, source: str
) -> Dataset:
    """Return the data set of a table's columns.

    Parameters
    ----------
    columns : sequence of TableColumn
        All columns, labels among them.
    n_rows : int
        The length of each.
    labels : list of str, str, re.Pattern or int
        Which columns are labels, as `label_positions` takes it.
    nominal : {"onehot", "codes"}
        What text with more than two different words becomes.
    name : str
        Name of the data set.
    source : str
        Where the columns come from, for errors and warnings.
    """
    names = [column.name for column in columns]
    refuse_doubles(names, source)
    chosen = label_positions(names, labels, source)
    Y = np.empty((n_rows, len(chosen)), dtype=np.uint8)
    for k, j in enumerate(chosen):
        Y[:, k] = _label(columns[j], source)
    is_label = set(chosen)
    features = [column for j, column in enumerate(columns) if j not in is_label]
    X = np.empty((n_rows, len(features)))
    attributes = [_fill(column, X[:, j]) for j, column in enumerate(features)]
    X, feature_names, kinds = encode_features(X, attributes, nominal, source)
    return Dataset(X, Y, feature_names, [names[j] for j in chosen], name, kinds)


def _label(column: TableColumn, source: str) -> npt.NDArray[np.uint8]:
    if column.kind == "text":
        return encode_labels(column.name, column.values, source)
    known = np.isin(column.values, (0.0, 1.0))
    if not known.all():
        # The rows up to the first wrong one are enough for the sentence.
        return encode_labels(column.name, column.values[: int(np.argmin(known)) + 1].tolist(), source)
    return column.values.astype(np.uint8)


def _fill(column: TableColumn, target: npt.NDArray[np.float64]) -> Attribute:
    """Write a feature column as numbers or codes into its place and return what it is."""
    if column.kind != "text":
        target[:] = column.values
        return Attribute(column.name, *(("nominal", ("0", "1")) if column.kind == "boolean" else ()))
    # Not an array of NumPy's words: each would take as much room as the longest.
    words = column.values.tolist()
    values = column.declared or tuple(sorted({word for word in words if word is not None}))
    code: dict[str | None, float] = dict(zip(values, value_codes(values), strict=True))
    code[None] = np.nan
    target[:] = np.fromiter((code[word] for word in words), dtype=np.float64, count=len(words))
    return Attribute(column.name, "nominal", values) if values else Attribute(column.name)


def column_of_words(name: str, words: Sequence[str] | npt.NDArray[Any]) -> TableColumn:
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
    numbers = _numbers(words)
    if numbers is not None:
        return TableColumn(name, "numeric", numbers)
    known = [None if word in MISSING_WORDS else word for word in (word.strip() for word in words)]
    distinct = {word for word in known if word is not None}
    if all(word.lower() in _TRUTH for word in distinct):
        truth = [np.nan if word is None else _TRUTH[word.lower()] for word in known]
        return TableColumn(name, "boolean", np.array(truth, dtype=np.float64))
    if all(_DATE.fullmatch(word) for word in distinct):
        seconds = _dates(known)
        if seconds is not None:
            return TableColumn(name, "numeric", seconds)
    return TableColumn(name, "text", np.array(known, dtype=object))


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


def _dates(words: list[str | None]) -> npt.NDArray[np.float64] | None:
    try:
        return posix_seconds(np.array([word or "NaT" for word in words], dtype="datetime64[us]"))
    except ValueError:
        return None


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
