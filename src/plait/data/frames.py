"""From data frames, and from the columns that tables are read as, to a `Dataset`: where every table ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.extras import installed, optional
from plait.core.label_forms import read_labels
from plait.core.sentences import ParameterError, complaint, shown, warn_user
from plait.data.conversion.column_kinds import as_words, kind_of
from plait.data.conversion.frame_columns import columns_of_frame, is_frame, made_frame
from plait.data.conversion.label_columns import LabelChoice, label_column, label_positions
from plait.data.conversion.table_columns import TableColumn, refuse_doubles
from plait.data.dataset import Dataset
from plait.data.errors import DataError, DataWarning
from plait.data.joined_tags import read_tags, split_tags

__all__ = ["FRAME_LIBRARIES", "LabelPlan", "dataset_of_columns", "dataset_of_frame", "frame_library", "from_frame"]

_ROWS_AT_ONCE = 512

FRAME_LIBRARIES = ("pandas", "polars")


def frame_library(owner: str, library: str | None, purpose: str, *, extra: str = "frames") -> tuple[str, Any]:
    """Return the name and the module of the library to use: the one asked for, else pandas, else polars."""
    check_value(owner, "library", library, (OneOf(FRAME_LIBRARIES), Nothing()))
    chosen = library or next((name for name in FRAME_LIBRARIES if installed(name)), "pandas")
    return chosen, optional(chosen, extra=extra, purpose=purpose)


@dataclass(frozen=True)
class LabelPlan:
    """Where the labels of a table are, and what their words mean.

    Parameters
    ----------
    labels : list of str, str, re.Pattern or int, optional
        Which columns are labels.
    tags : str, optional
        Instead: the column that holds the labels of each row, joined.
    sep : str, optional
        What joins them; found out by default.
    positive : str or mapping, optional
        The word that means 1, for all labels or by label.
    """

    labels: LabelChoice = None
    tags: str | None = None
    sep: str | None = None
    positive: str | Mapping[str, str] | None = None

    def positions(self, names: Sequence[str], source: str) -> list[int]:
        """Return where the columns of labels, or of tags, stand."""
        if self.tags is None:
            return label_positions(names, self.labels, source)
        if self.labels is not None:
            raise DataError.at(source, None, "labels= or tags=", "both", "Pass one of them.")
        return label_positions(names, [self.tags], source)

    def read(self, columns: Sequence[TableColumn], n_rows: int, source: str) -> tuple[Any, list[str], str]:
        """Return 0/1 labels, NaN where unknown, their names, and what joins tags; notes say what is taken for what."""
        if self.tags is not None:
            words = as_words(columns[0])
            tags, sep, note = read_tags(words) if self.sep is None else (split_tags(words, self.sep), self.sep, None)
            if note:
                warn_user(f"{source}, column {shown(self.tags)}: {note}", DataWarning)
            found = read_labels("load_dataset", "tags", tags, DataError)
            return found.table, list(found.names or ()), sep
        values: list[Any] = []
        taken: dict[str, list[str]] = {}
        for column in columns:
            codes, word = label_column(column, source, self.positive)
            values.append(codes)
            if word:
                taken.setdefault(word, []).append(column.name)
        Y = np.column_stack(values) if values else np.empty((n_rows, 0), dtype=np.uint8)
        for word, names in taken.items():
            some = ", ".join(map(shown, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            warn_user(f"{source}: {word} is taken for 1 in {some}.", DataWarning)
        return Y, [column.name for column in columns], ""


def from_frame(
    frame: Any,
    labels: LabelChoice = None,
    *,
    tags: str | None = None,
    sep: str | None = None,
    positive: str | Mapping[str, str] | None = None,
    name: str = "data",
) -> Dataset:
    """Return the data set of a data frame of pandas, polars or another library that narwhals reads.

    Columns of numbers and truth values alone become an array, missing values NaN. If there are others, or such as only
    tell rows apart, `X` is the frame without its labels, for `TableEncoder` before a model. If all feature columns of
    a pandas frame are sparse, so is `X`; likewise `Y`.

    Parameters
    ----------
    frame : data frame
        Features and labels, one row a sample.
    labels : list of str, str, re.Pattern or int
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
    tags, sep : str, optional
        Instead of labels: the column that holds all labels of a row, as a list of words or joined, and what joins them
        ("|", ";", commas and lists in writing are found out).
    positive : str or dict, optional
        The word that means 1 in label columns of two words, for all or by label. 0 and 1, true and false, yes and no
        (in many languages), and x beside empty cells are understood without it.
    name : str, default="data"
        Name of the data set.

    Returns
    -------
    Dataset
        Labels in the order of the columns.

    Raises
    ------
    DataError
        If a label is not of two values, or a column holds something else, such as lists.

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
    if not is_frame(frame):
        raise ParameterError(complaint("from_frame", "frame", "a data frame", frame))
    return dataset_of_frame(frame, LabelPlan(labels, tags, sep, positive), name, name)


def dataset_of_frame(frame: Any, plan: LabelPlan, name: str, source: str, *, keep: bool | None = False) -> Dataset:
    """Do the work of `from_frame`, with `source` in warnings and errors; `keep` leaves X a frame in any case."""
    names = [str(column) for column in frame.columns]
    refuse_doubles(names, source)
    chosen = plan.positions(names, source)
    features = [j for j in range(len(names)) if j not in set(chosen)]
    by_pandas = type(frame).__module__.startswith("pandas") and features
    if by_pandas and all(_is_sparse(frame.dtypes.iloc[j]) for j in features):
        return _sparse_dataset(frame, plan, features, name, source)
    return dataset_of_columns(columns_of_frame(frame, source, plan.tags), len(frame), plan, name, source, keep=keep)


def _is_sparse(dtype: Any) -> bool:
    return type(dtype).__name__ == "SparseDtype" and dtype.kind in "iufb" and dtype.fill_value == 0


def _sparse_dataset(frame: Any, plan: LabelPlan, features: list[int], name: str, source: str) -> Dataset:
    names = [str(column) for column in frame.columns]
    chosen = plan.positions(names, source)
    X = frame.iloc[:, features].sparse.to_coo().tocsr().astype(np.float64)
    label_names, sep = [names[j] for j in chosen], ""
    if chosen and all(_is_sparse(frame.dtypes.iloc[j]) for j in chosen):
        Y: Any = frame.iloc[:, chosen].sparse.to_coo().tocsr()
    else:
        Y, label_names, sep = plan.read(columns_of_frame(frame.iloc[:, chosen], source, plan.tags), len(frame), source)
    kinds = ["binary" if frame.dtypes.iloc[j].kind == "b" else "numeric" for j in features]
    return Dataset(X, Y, [names[j] for j in features], label_names, name, kinds, tags_sep=sep)


def dataset_of_columns(
    columns: Sequence[TableColumn],
    n_rows: int,
    plan: LabelPlan,
    name: str,
    source: str,
    *,
    keep: bool | None = False,
    lines: Any = None,
) -> Dataset:
    """Return the data set of a table's columns.

    Parameters
    ----------
    columns : sequence of TableColumn
        All columns, labels among them.
    n_rows : int
        The length of each.
    plan : LabelPlan
        Which columns are labels, and how they are read.
    name : str
        Name of the data set.
    source : str
        Where the columns come from, for errors and warnings.
    keep : bool or None, default=False
        Whether X is a frame even if an array could hold all of it; None for an array in any case.
    lines : ndarray of int, optional
        The line of its file that each row begins in.
    """
    names = [column.name for column in columns]
    refuse_doubles(names, source)
    chosen = plan.positions(names, source)
    Y, label_names, sep = plan.read([columns[j] for j in chosen], n_rows, source)
    is_label = set(chosen)
    features = [column for j, column in enumerate(columns) if j not in is_label]
    kinds = [_KINDS[column.kind] for column in features]
    plain = all(column.kind in ("numeric", "boolean") and kind_of(column)[1] in _PLAIN for column in features)
    framed = features and keep is not None and (keep or not plain)
    X = made_frame(features) if framed else _beside(features, n_rows)
    return Dataset(X, Y, [column.name for column in features], label_names, name, kinds, lines, sep)


def _beside(columns: Sequence[TableColumn], n_rows: int) -> npt.NDArray[np.float64]:
    """Return columns as a matrix; some rows at a time, which stay in the cache while all columns come in."""
    X = np.empty((n_rows, len(columns)))
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        for j, column in enumerate(columns):
            X[rows, j] = column.values[rows]
    return X


_KINDS = {"numeric": "numeric", "boolean": "binary", "text": "words", "date": "dates"}
# Why a column of numbers may be left out and be held by an array nevertheless.
_PLAIN = ("", "is empty")
