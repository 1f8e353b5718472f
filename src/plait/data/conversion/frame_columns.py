"""From data frames of any library that narwhals reads to columns of numbers, truth values, dates and words."""

import datetime
import numbers
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.extras import installed, optional
from plait.core.sentences import shown
from plait.data.conversion.table_columns import TableColumn, posix_seconds
from plait.data.errors import DataError

__all__ = [
    "column_of_objects",
    "column_of_texts",
    "columns_of_frame",
    "frame_part",
    "frame_rows",
    "is_frame",
    "made_frame",
]

_NOTHING = ("NAType", "NaTType")
_LISTS = (list, tuple, set, frozenset, np.ndarray)


def _narwhals() -> Any:
    return optional("narwhals", extra="frames", purpose="data frames")


def is_frame(table: Any) -> bool:
    """Say whether something is a data frame: it has named columns, and is no array or matrix."""
    return hasattr(table, "columns") and hasattr(table, "shape") and not isinstance(table, np.ndarray)


def columns_of_frame(frame: Any, source: str, tags: str | None = None) -> list[TableColumn]:
    """Return the columns of a frame, by narwhals.

    Numbers stay numbers, missing values become NaN; durations and times of day become seconds; words and categories
    stay words, missing ones None.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or any other that narwhals reads
        The table.
    source : str
        Where it comes from, for errors.
    tags : str, optional
        A column whose cells may be lists of words; they are written out as lists are.

    Examples
    --------
    >>> import pandas as pd
    >>> [column.kind for column in columns_of_frame(pd.DataFrame({"size": [1], "sky": ["blue"]}), "data")]
    ['numeric', 'text']
    """
    narwhals = _narwhals()
    names = [str(name) for name in frame.columns]
    if installed("pandas") and type(frame).__module__.startswith("pandas"):
        # Narwhals wants words as names, which pandas does not.
        frame = frame.set_axis([str(j) for j in range(len(names))], axis=1)
    try:
        table = narwhals.from_native(frame, eager_only=True)
    except TypeError:
        found = f"a {type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
        raise DataError.at(source, None, "a data frame that narwhals can read", found) from None
    return [
        _column(table[:, j], name, source) if name != tags else _tags(table[:, j], name, source)
        for j, name in enumerate(names)
    ]


def _tags(series: Any, name: str, source: str) -> TableColumn:
    """Return a column of tags; of lists, arrays and sets of words the lists in writing."""
    cells = series.to_list()
    if not any(isinstance(cell, _LISTS) for cell in cells):
        return _column(series, name, source)
    words = [sorted(cell) if isinstance(cell, set | frozenset) else cell for cell in cells]
    lists = [None if _is_missing(cell) else repr(list(map(str, cell))) for cell in words]
    return TableColumn(name, "text", np.array(lists, dtype=object))


def column_of_texts(texts: Any) -> TableColumn | None:
    """Return the column of a list, a series or an array of texts in one dimension; None where it is something else.

    Examples
    --------
    >>> column_of_texts(["the sea", None, "a wind"]).name
    'text'
    >>> column_of_texts([["the sea"], ["a wind"]]) is None
    True
    """
    if isinstance(texts, list | tuple):
        cells = list(texts)
    elif len(getattr(texts, "shape", ())) == 1 and getattr(texts.dtype, "kind", "O") in "OUT":
        cells = texts.tolist() if hasattr(texts, "tolist") else texts.to_list()
    else:
        return None
    given = [cell for cell in cells if not _is_missing(cell)]
    if not given or not all(isinstance(cell, str) for cell in given):
        return None
    return TableColumn(str(getattr(texts, "name", None) or "text"), "text", _words(cells))


def frame_rows(frame: Any, rows: npt.NDArray[Any]) -> Any:
    """Return some rows of a frame, by position."""
    return _narwhals().from_native(frame, eager_only=True)[rows.astype(np.int64)].to_native()


def frame_part(frame: Any, columns: npt.NDArray[Any]) -> Any:
    """Return some columns of a frame, by position."""
    return _narwhals().from_native(frame, eager_only=True)[:, columns.tolist()].to_native()


def made_frame(columns: Sequence[TableColumn], library: str | None = None) -> Any:
    """Return a frame of columns, by default of pandas where it is installed, else of polars."""
    library = library or ("polars" if installed("polars") and not installed("pandas") else "pandas")
    frames = optional(library, extra="frames", purpose="tables that hold more than numbers")
    return frames.DataFrame({column.name: _cells(column) for column in columns})


def _cells(column: TableColumn) -> Any:
    if column.kind == "text":
        return column.values.tolist()
    if column.kind != "boolean":
        return column.values
    if not np.isnan(column.values).any():
        return column.values.astype(bool)
    return [None if value != value else bool(value) for value in column.values.tolist()]


def _column(series: Any, name: str, source: str) -> TableColumn:
    kind = str(series.dtype).partition("(")[0]
    if kind == "Boolean" or (series.dtype.is_numeric() and kind != "Decimal"):
        values = series.to_numpy()
        if values.dtype != np.float64:
            values = series.cast(_narwhals().Float64).to_numpy()
        return TableColumn(name, "boolean" if kind == "Boolean" else "numeric", values)
    if kind in ("Datetime", "Date"):
        if kind == "Date":
            series = series.cast(_narwhals().Datetime("us"))
        if getattr(series.dtype, "time_zone", None):
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return TableColumn(name, "date", series.to_numpy().astype("datetime64[us]"))
    if kind == "Duration":
        return TableColumn(name, "numeric", posix_seconds(series.to_numpy()))
    if kind in ("String", "Categorical", "Enum"):
        words = [word if isinstance(word, str) else None for word in series.to_list()]
        if words and all(word is None for word in words):
            return TableColumn(name, "numeric", np.full(len(words), np.nan))
        return TableColumn(name, "text", np.array(words, dtype=object))
    return column_of_objects(name, series.to_list(), source)


def column_of_objects(name: str, objects: list[Any], source: str = "data") -> TableColumn:
    """Return a column of Python objects: numbers, truth values, words, dates, times and durations.

    None, NaN and the libraries' own nothing are missing values. Words among numbers make all of them words.

    Examples
    --------
    >>> column_of_objects("day", [datetime.date(1970, 1, 2), None]).values
    array(['1970-01-02T00:00:00.000000', 'NaT'], dtype='datetime64[us]')
    """
    present = [value for value in objects if not _is_missing(value)]
    kinds = {_kind(value) for value in present}
    if "other" in kinds or (len(kinds) > 1 and not kinds <= {"boolean", "numeric", "text"}):
        strange = next((value for value in present if _kind(value) == "other"), present[0])
        raise DataError.at(
            source,
            None,
            f"numbers, words or dates in column {shown(name)}",
            f"{shown(strange)} ({type(strange).__name__})" if "other" in kinds else "a mixture",
            "Leave the column out, or encode it.",
        )
    if "text" in kinds:
        return TableColumn(name, "text", _words(objects))
    if kinds == {"date"}:
        dates = [np.datetime64("NaT") if _is_missing(value) else _moment(value) for value in objects]
        return TableColumn(name, "date", np.array(dates, dtype="datetime64[us]"))
    floats = [np.nan if _is_missing(value) else _seconds_or_number(value) for value in objects]
    return TableColumn(name, "boolean" if kinds == {"boolean"} else "numeric", np.array(floats, dtype=np.float64))


def _words(objects: list[Any]) -> npt.NDArray[np.object_]:
    return np.array([None if _is_missing(value) else str(value) for value in objects], dtype=object)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in _NOTHING:
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, numbers.Real | Decimal):
        return "numeric"
    if isinstance(value, datetime.date | np.datetime64):
        return "date"
    if isinstance(value, datetime.time):
        return "time"
    return "duration" if isinstance(value, datetime.timedelta) else "other"


def _moment(value: Any) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _seconds_or_number(value: Any) -> float:
    if isinstance(value, datetime.time):
        return value.hour * 3600.0 + value.minute * 60.0 + value.second + value.microsecond / 1e6
    if isinstance(value, datetime.timedelta):
        return float(value.total_seconds())
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
