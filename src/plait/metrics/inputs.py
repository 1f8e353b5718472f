"""Check what the metrics are given and bring it into one of two forms.

Labels become `uint8`, either a dense array or a CSR matrix with sorted columns and no stored zeros; scores become
floats without NaN. Anything else is refused in one sentence that names the metric and the argument.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array
from plait.core.label_forms import WAY_OUT, as_table, label_rows_of, read_labels
from plait.core.labels import label_matrix as labels_of
from plait.core.sentences import shown
from plait.core.unknown_labels import has_unknown, known_cells, unknown_as_absent
from plait.data.errors import DataError

__all__ = [
    "WholeRowsError",
    "label_blocks",
    "label_matrix",
    "label_pair",
    "same_columns",
    "same_shape",
    "score_blocks",
    "score_matrix",
]

# Tables are walked along in blocks of about this many entries, so that sparse ones are never dense all at once.
_ENTRIES = 1 << 20


class WholeRowsError(DataError):
    """A metric needs rows whose labels are all known, and there is none."""


def label_matrix(owner: str, name: str, Y: Any, *, unknown: bool = False) -> Any:
    """Return 0/1 labels as a `uint8` array or a canonical CSR matrix of shape (n_samples, n_labels).

    Parameters
    ----------
    owner, name : str
        The metric and the argument that a complaint names.
    Y : array, sparse matrix or array, nested list, pandas or polars frame, or rows of names
        Labels; one dimension is taken for one label.
    unknown : bool, default=False
        Whether labels may be unknown; where some are, the answer is a dense `int8` array with -1 for them.
    """
    table = _two_dimensional(owner, name, read_labels(owner, name, Y, DataError).table)
    if table.dtype == np.uint8 and not sparse.issparse(table) and table.max() <= 1:
        return np.ascontiguousarray(table)  # labels as plait itself has them, at a fraction of the cost
    return labels_of(owner, name, table, DataError, unknown=unknown)


def label_pair(owner: str, Y_true: Any, Y_pred: Any, *, cells: bool = False) -> tuple[Any, Any]:
    """Return true and predicted labels of one shape, both dense or both CSR.

    Where one is sparse, the other is made sparse: nothing is made dense. Rows of names are matched by name. Where true
    labels are unknown, `cells` takes both labels of such a cell as absent, for metrics that count labels; other metrics
    need whole rows, and rows with unknown labels are left out.
    """
    Y_true, Y_pred = by_name(owner, Y_true, Y_pred)
    true, predicted = label_matrix(owner, "Y_true", Y_true, unknown=True), label_matrix(owner, "Y_pred", Y_pred)
    same_shape(owner, true, predicted)
    if has_unknown(true):
        predicted = predicted.toarray() if sparse.issparse(predicted) else predicted
        if cells:
            return unknown_as_absent(true), predicted * known_cells(true)
        rows = whole_rows(owner, true)
        return unknown_as_absent(true[rows]), predicted[rows]
    if sparse.issparse(true) or sparse.issparse(predicted):
        return sparse.csr_matrix(true), sparse.csr_matrix(predicted)
    return true, predicted


def whole_rows(owner: str, true: Array) -> Any:
    """Return the rows whose labels are all known; refuse labels of which there is none."""
    rows = np.flatnonzero(known_cells(true).all(axis=1))
    if not len(rows):
        raise WholeRowsError(
            f"{owner} needs rows whose labels are all known, but every row of Y_true holds NaN. Use a metric that "
            "counts labels, such as micro_f1 or hamming_loss."
        )
    return rows


def label_blocks(true: Any, other: Any) -> Iterator[tuple[Array, Array]]:
    """Yield the rows of two tables in blocks, dense."""
    step = max(1, _ENTRIES // true.shape[1])
    for start in range(0, true.shape[0], step):
        rows = slice(start, start + step)
        yield _dense(true[rows]), _dense(other[rows])


def score_blocks(
    owner: str, name: str, Y_true: Any, scores: Any, *, cells: bool = False
) -> Iterator[tuple[Array, Array]]:
    """Yield true labels and scores of the same rows in blocks, checked and dense.

    Rows with unknown labels are left out; with `cells` they stay, and such labels are -1.
    """
    Y_true, scores = by_name(owner, Y_true, scores, name)
    labels, table = label_matrix(owner, "Y_true", Y_true, unknown=True), score_matrix(owner, name, scores)
    same_shape(owner, labels, table, name)
    if has_unknown(labels) and not cells:
        rows = whole_rows(owner, labels)
        labels, table = unknown_as_absent(labels[rows]), table[rows]
    yield from label_blocks(labels, table)


def _dense(table: Any) -> Array:
    return np.ascontiguousarray(table.toarray() if sparse.issparse(table) else table)


def score_matrix(owner: str, name: str, scores: Any) -> Any:
    """Return scores as a dense float array in row order or a CSR matrix, without NaN; infinities are legal."""
    table = _two_dimensional(owner, name, scores)
    is_sparse = sparse.issparse(table)
    if table.dtype not in (np.float32, np.float64):
        table = _as_floats(owner, name, table)
    if np.isnan(table.data if is_sparse else table).any():
        raise DataError(f"{owner} needs {name} to be numbers, but it holds nan. Remove or fill in those rows.")
    return table if is_sparse else np.ascontiguousarray(table)


def same_shape(owner: str, true: Any, other: Any, name: str = "Y_pred") -> None:
    """Refuse tables of different shapes."""
    if true.shape != other.shape:
        raise DataError(
            f"{owner} needs {name} to have the shape of Y_true, {true.shape}, but it is {other.shape}. "
            "Pass the same rows and labels in both."
        )


def same_columns(owner: str, Y_true: Any, other: Any, name: str = "Y_pred") -> None:
    """Refuse two frames whose columns have the same names in another order: labels are matched by position."""
    ours, theirs = (list(getattr(table, "columns", ())) for table in (Y_true, other))
    if ours != theirs and len(ours) == len(theirs) and set(map(str, ours)) == set(map(str, theirs)):
        place = next(j for j, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1])
        raise DataError(
            f"{owner} needs {name} to have its columns in the order of Y_true, but column {place} is "
            f"{shown(theirs[place])} instead of {shown(ours[place])}. Pass {name}[list(Y_true.columns)]."
        )


def by_name(owner: str, Y_true: Any, other: Any, name: str = "Y_pred") -> tuple[Any, Any]:
    """Return two tables whose columns are the same labels where one holds rows of names; else both as they are.

    What only one of them names is a column of zeros in the other, unless that holds scores: then it is refused.
    """
    in_true = label_rows_of(owner, "Y_true", Y_true, DataError) is not None
    in_other = name == "Y_pred" and label_rows_of(owner, name, other, DataError) is not None
    if not (in_true or in_other):
        same_columns(owner, Y_true, other, name)
        return Y_true, other
    names = [
        read_labels(owner, word, Y, DataError).names if rows else _column_names(Y)
        for word, Y, rows in (("Y_true", Y_true, in_true), (name, other, in_other))
    ]
    if names[0] is None or names[1] is None:
        sets, table = ("Y_true", name) if names[1] is None else (name, "Y_true")
        raise DataError(
            f"{owner} needs Y_true and {name} to be of one kind, but {sets} names labels and {table} has columns "
            "without names. Pass names in both (predict_sets gives them), or a frame whose columns are named."
        )
    if name != "Y_pred":
        return read_labels(owner, "Y_true", Y_true, DataError, names[1]).table, other
    union = [*names[1], *(each for each in names[0] if each not in set(names[1]))]
    return _columns_of(owner, "Y_true", Y_true, union), _columns_of(owner, name, other, union)


def _column_names(table: Any) -> tuple[str, ...] | None:
    columns = getattr(table, "columns", None)
    return None if columns is None else tuple(str(column) for column in columns)


def _columns_of(owner: str, name: str, Y: Any, names: list[str]) -> Any:
    """Return labels with exactly these columns, zeros where Y has none of a name."""
    given = read_labels(owner, name, Y, DataError, names)
    if given.names is None or len(given.names) == len(names):
        return given.table
    labels = sparse.coo_matrix(labels_of(owner, name, given.table, DataError))
    places = np.array([names.index(each) for each in given.names])
    return sparse.csr_matrix((labels.data, (labels.row, places[labels.col])), shape=(labels.shape[0], len(names)))


def _two_dimensional(owner: str, name: str, table: Any) -> Any:
    """Return an array or a CSR matrix with two dimensions, at least one row and one column."""
    table = as_table(owner, name, table, DataError)
    if table.ndim == 1:
        table = table.reshape(-1, 1)
    if table.ndim != 2:
        raise DataError(f"{owner} needs {name} to have two dimensions, but it has {table.ndim}. {WAY_OUT}")
    if 0 in table.shape:
        raise DataError(
            f"{owner} needs {name} to have at least one row and one label, but its shape is {table.shape}. "
            "Pass the rows that are to be scored."
        )
    return sparse.csr_matrix(table) if sparse.issparse(table) else table


def _as_floats(owner: str, name: str, table: Any) -> Any:
    if table.dtype.kind not in "biufO":
        raise DataError(
            f"{owner} needs {name} to be numbers, but its dtype is {table.dtype}. Pass scores of the labels."
        )
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(
            f"{owner} needs {name} to be numbers, but it holds something else ({problem}). Pass scores of the labels."
        ) from None
