"""From named columns of numbers, truth values and words to a `Dataset`: where every table ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import shown
from plait.data.dataset import Dataset
from plait.data.encoding import Attribute, encode_features, encode_labels, value_codes
from plait.data.errors import DataError
from plait.data.label_columns import LabelChoice, label_positions

__all__ = ["Column", "dataset_of_columns", "refuse_doubles"]


@dataclass(frozen=True)
class Column:
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
    columns: Sequence[Column], n_rows: int, labels: LabelChoice, nominal: str, name: str, source: str
) -> Dataset:
    """Return the data set of a table's columns.

    Parameters
    ----------
    columns : sequence of Column
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


def _label(column: Column, source: str) -> npt.NDArray[np.uint8]:
    if column.kind == "text":
        return encode_labels(column.name, column.values, source)
    known = np.isin(column.values, (0.0, 1.0))
    if not known.all():
        # The rows up to the first wrong one are enough for the sentence.
        return encode_labels(column.name, column.values[: int(np.argmin(known)) + 1].tolist(), source)
    return column.values.astype(np.uint8)


def _fill(column: Column, target: npt.NDArray[np.float64]) -> Attribute:
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
