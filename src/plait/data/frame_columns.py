"""Columns of pandas and polars frames as plait's own columns, without importing either library."""

import datetime
import numbers
from decimal import Decimal
from typing import Any

import numpy as np

from plait.core.sentences import shown
from plait.data.cells import posix_seconds
from plait.data.columns import Column
from plait.data.errors import DataError

__all__ = ["column_of_objects", "pandas_column", "polars_column"]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_NOTHING = ("NAType", "NaTType")


def pandas_column(series: Any, name: str, source: str) -> Column:
    """Return a column of a pandas frame."""
    dtype = series.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        categories = [str(value) for value in dtype.categories]
        words = np.array([*categories, None], dtype=object)[series.cat.codes.to_numpy()]
        return Column(name, "text", words, tuple(categories if dtype.ordered else sorted(categories)))
    if dtype.kind in "iufb":
        extension = not isinstance(dtype, np.dtype) and type(dtype).__name__ != "SparseDtype"
        values = series.to_numpy(np.float64, **({"na_value": np.nan} if extension else {}))
        return Column(name, "boolean" if dtype.kind == "b" else "numeric", values)
    if isinstance(dtype, np.dtype) and dtype.kind in "Mm":
        return Column(name, "numeric", posix_seconds(series.to_numpy()))
    return column_of_objects(name, series.tolist(), source)


def polars_column(series: Any, name: str, source: str) -> Column:
    """Return a column of a polars frame."""
    dtype = series.dtype
    kind = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if kind == "Enum":
        declared = tuple(str(word) for word in dtype.categories)
        return Column(name, "text", np.array(series.to_list(), dtype=object), declared)
    if kind == "Boolean" or (dtype.is_numeric() and kind != "Decimal"):
        # Missing values make floats of the numbers, and objects of truth values.
        values = series.to_numpy().astype(np.float64)
        return Column(name, "boolean" if kind == "Boolean" else "numeric", values)
    if kind in ("Datetime", "Duration", "Date"):
        return Column(name, "numeric", posix_seconds(series.to_numpy()))
    return column_of_objects(name, series.to_list(), source)


def column_of_objects(name: str, objects: list[Any], source: str = "data") -> Column:
    """Return a column of Python objects: numbers, truth values, words, dates, times and durations.

    None, NaN and the libraries' own nothing are missing values. Words among numbers make all of them words.

    Examples
    --------
    >>> column_of_objects("day", [datetime.date(1970, 1, 2), None]).values
    array([86400.,    nan])
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
        words = [None if _is_missing(value) else str(value) for value in objects]
        return Column(name, "text", np.array(words, dtype=object))
    floats = [np.nan if _is_missing(value) else _seconds_or_number(value) for value in objects]
    return Column(name, "boolean" if kinds == {"boolean"} else "numeric", np.array(floats, dtype=np.float64))


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
    if isinstance(value, datetime.date):
        return "date"
    if isinstance(value, datetime.time):
        return "time"
    return "duration" if isinstance(value, datetime.timedelta) else "other"


def _seconds_or_number(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        return float(((value if value.tzinfo else value.replace(tzinfo=datetime.UTC)) - _EPOCH).total_seconds())
    if isinstance(value, datetime.date):
        return float((value - _EPOCH.date()).total_seconds())
    if isinstance(value, datetime.time):
        return value.hour * 3600.0 + value.minute * 60.0 + value.second + value.microsecond / 1e6
    if isinstance(value, datetime.timedelta):
        return float(value.total_seconds())
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
