"""From pandas and polars frames to a `Dataset`, the same for both libraries."""

from typing import Any

import numpy as np

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.extras import installed, optional
from plait.core.sentences import ParameterError, complaint
from plait.data.columns import dataset_of_columns, refuse_doubles
from plait.data.dataset import Dataset
from plait.data.frame_columns import pandas_column, polars_column
from plait.data.label_columns import LabelChoice, label_positions

__all__ = ["FRAME_LIBRARIES", "dataset_of_frame", "frame_library", "from_frame"]

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
