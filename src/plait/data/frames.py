"""From pandas and polars frames to a `Dataset`, the same for both libraries and without importing either."""

import datetime
import numbers
from decimal import Decimal
from typing import Any

import numpy as np

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.extras import installed, optional
from plait.core.sentences import ParameterError, complaint, shown
from plait.data.conversion.label_columns import LabelChoice, label_positions
from plait.data.conversion.table_columns import TableColumn, dataset_of_columns, posix_seconds, refuse_doubles
from plait.data.dataset import Dataset
from plait.data.errors import DataError

__all__ = ["FRAME_LIBRARIES", "dataset_of_frame", "frame_library", "from_frame"]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_NOTHING = ("NAType", "NaTType")


FRAME_LIBRARIES = ("pandas", "polars")


def frame_library(owner: str, library: str | None, purpose: str, *, extra: str = "frames") -> tuple[str, Any]:
    """Return the name and the module of the library to use: the one asked for, else pandas, else polars."""
    check_value(owner, "library", library, (OneOf(FRAME_LIBRARIES), Nothing()))
    chosen = library or next((name for name in FRAME_LIBRARIES if installed(name)), "pandas")
    return chosen, optional(chosen, extra=extra, purpose=purpose)


def from_frame(frame: Any, labels: LabelChoice, *, nominal: str = "onehot", name: str = "data") -> Dataset:
    """Return the data set of a pandas or polars DataFrame.

    Numbers stay numbers, missing values become NaN; truth values become binary features; words and categories become
    nominal ones, their values in alphabetical order unless the categories have an order; dates and times become
    seconds since 1970 (UTC), durations seconds. If all feature columns of a pandas frame are sparse, so is `X`;
    likewise `Y`.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        Features and labels, one row a sample.
    labels : list of str, str, re.Pattern or int
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
    nominal : {"onehot", "codes"}, default="onehot"
        What a column of more than two different words becomes: an indicator for each, or one column of codes.
    name : str, default="data"
        Name of the data set.

    Returns
    -------
    Dataset
        Labels in the order of the columns.

    Raises
    ------
    DataError
        If a label is missing or not of two values, or a column holds something else, such as lists.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.5, 2.0], "blue": [True, False], "sea": [1, 0], "sun": [1, 1]})
    >>> data = from_frame(frame, ["sea", "sun"], name="beach")
    >>> data
    Dataset 'beach': 2 rows, 2 features (dense), 2 labels (dense), cardinality 1.500
    >>> data.feature_kinds
    ('numeric', 'binary')
    """
    library = type(frame).__module__.partition(".")[0]
    if library not in FRAME_LIBRARIES or type(frame).__name__ != "DataFrame":
        raise ParameterError(complaint("from_frame", "frame", "a pandas or polars DataFrame", frame))
    return dataset_of_frame(frame, labels, nominal, name, name)


def dataset_of_frame(frame: Any, labels: LabelChoice, nominal: str, name: str, source: str) -> Dataset:
    """Do the work of `from_frame`, with `source` in warnings and errors."""
    names = [str(column) for column in frame.columns]
    if type(frame).__module__.startswith("polars"):
        columns = [polars_column(frame.to_series(j), column, source) for j, column in enumerate(names)]
        return dataset_of_columns(columns, len(frame), labels, nominal, name, source)
    refuse_doubles(names, source)
    chosen = label_positions(names, labels, source)
    features = [j for j in range(len(names)) if j not in set(chosen)]
    if features and all(_is_sparse(frame.dtypes.iloc[j]) for j in features):
        return _sparse_dataset(frame, names, chosen, features, nominal, name, source)
    columns = [pandas_column(frame.iloc[:, j], column, source) for j, column in enumerate(names)]
    return dataset_of_columns(columns, len(frame), labels, nominal, name, source)


def _is_sparse(dtype: Any) -> bool:
    return type(dtype).__name__ == "SparseDtype" and dtype.kind in "iufb" and dtype.fill_value == 0


def _sparse_dataset(
    frame: Any, names: list[str], chosen: list[int], features: list[int], nominal: str, name: str, source: str
) -> Dataset:
    X = frame.iloc[:, features].sparse.to_coo().tocsr().astype(np.float64)
    label_names = [names[j] for j in chosen]
    if chosen and all(_is_sparse(frame.dtypes.iloc[j]) for j in chosen):
        Y: Any = frame.iloc[:, chosen].sparse.to_coo().tocsr()
    else:
        columns = [pandas_column(frame.iloc[:, j], names[j], source) for j in chosen]
        Y = dataset_of_columns(columns, len(frame), label_names, nominal, name, source).Y
    kinds = ["binary" if frame.dtypes.iloc[j].kind == "b" else "numeric" for j in features]
    return Dataset(X, Y, [names[j] for j in features], label_names, name, kinds)


def pandas_column(series: Any, name: str, source: str) -> TableColumn:
    """Return a column of a pandas frame."""
    dtype = series.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        categories = [str(value) for value in dtype.categories]
        words = np.array([*categories, None], dtype=object)[series.cat.codes.to_numpy()]
        return TableColumn(name, "text", words, tuple(categories if dtype.ordered else sorted(categories)))
    if dtype.kind in "iufb":
        extension = not isinstance(dtype, np.dtype) and type(dtype).__name__ != "SparseDtype"
        values = series.to_numpy(np.float64, **({"na_value": np.nan} if extension else {}))
        return TableColumn(name, "boolean" if dtype.kind == "b" else "numeric", values)
    if isinstance(dtype, np.dtype) and dtype.kind in "Mm":
        return TableColumn(name, "numeric", posix_seconds(series.to_numpy()))
    return column_of_objects(name, series.tolist(), source)


def polars_column(series: Any, name: str, source: str) -> TableColumn:
    """Return a column of a polars frame."""
    dtype = series.dtype
    kind = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if kind == "Enum":
        declared = tuple(str(word) for word in dtype.categories)
        return TableColumn(name, "text", np.array(series.to_list(), dtype=object), declared)
    if kind == "Boolean" or (dtype.is_numeric() and kind != "Decimal"):
        # Missing values make floats of the numbers, and objects of truth values.
        values = series.to_numpy().astype(np.float64)
        return TableColumn(name, "boolean" if kind == "Boolean" else "numeric", values)
    if kind in ("Datetime", "Duration", "Date"):
        return TableColumn(name, "numeric", posix_seconds(series.to_numpy()))
    return column_of_objects(name, series.to_list(), source)


def column_of_objects(name: str, objects: list[Any], source: str = "data") -> TableColumn:
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
        return TableColumn(name, "text", np.array(words, dtype=object))
    floats = [np.nan if _is_missing(value) else _seconds_or_number(value) for value in objects]
    return TableColumn(name, "boolean" if kinds == {"boolean"} else "numeric", np.array(floats, dtype=np.float64))


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
