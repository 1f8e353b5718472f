"""Targets of any form a user has, as one 0/1 matrix with names."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import assert_all_finite, column_or_1d

from plait.core.sentences import ParameterError, shown

__all__ = ["Targets", "as_targets", "label_rows"]


@dataclass(frozen=True, eq=False)
class Targets:
    """Labels of the training rows.

    Parameters
    ----------
    Y : ndarray of uint8, shape (n_samples, n_labels)
        0/1 labels.
    names : tuple of str
        Names of the labels; "y0", "y1", ... where the input had none.
    classes : ndarray, or None
        The classes of a single column given in one dimension (scikit-learn's binary problem); label 1 stands for
        the last of them. None for a matrix of labels.
    """

    Y: npt.NDArray[np.uint8]
    names: tuple[str, ...]
    classes: npt.NDArray[Any] | None = None


def as_targets(owner: str, Y: Any) -> Targets:
    """Return targets as 0/1 labels.

    Parameters
    ----------
    owner : str
        Whose Y it is, for errors.
    Y : array, sparse matrix, data frame, or list of label sets
        One 0/1 or boolean column for each label; or sets (or lists) of label names, one for each row; or a single
        binary column in one dimension, as scikit-learn's binary classifiers take it.
    """
    if Y is None:
        raise ParameterError(f"{owner} requires y to be passed, but the target y is None. Pass one 0/1 column a label.")
    columns = getattr(Y, "columns", None)
    if sparse.issparse(Y):
        return _named(_zero_one(owner, Y.toarray()), None)
    if isinstance(Y, list | tuple) and _holds_label_sets(owner, Y):
        binarizer = MultiLabelBinarizer()
        return _named(binarizer.fit_transform(Y).astype(np.uint8), binarizer.classes_)
    table = np.asarray(Y)
    if table.ndim == 1:
        return _one_column(owner, table)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ParameterError(
            f"{owner} needs y to have one column for each label, but its shape is {table.shape}. "
            "Pass shape (n_samples, n_labels)."
        )
    return _named(_zero_one(owner, table), columns)


def _named(Y: npt.NDArray[np.uint8], columns: Iterable[Any] | None) -> Targets:
    names = [f"y{k}" for k in range(Y.shape[1])] if columns is None else [str(name) for name in columns]
    return Targets(np.ascontiguousarray(Y), tuple(names))


def _zero_one(owner: str, table: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    if table.dtype == np.bool_:
        return table.astype(np.uint8)
    if table.dtype.kind == "O":
        table = _as_numbers(owner, table)
    if table.dtype.kind not in "iuf":
        raise _not_labels(owner, table.flat[0].item() if table.size else None)
    if table.dtype.kind == "f":
        assert_all_finite(table, input_name="y")
    wrong = table[(table != 0) & (table != 1)]
    if wrong.size:
        raise _not_labels(owner, wrong[0].item())
    return table.astype(np.uint8)


def _as_numbers(owner: str, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError):
        raise _not_labels(owner, table.flat[0]) from None


def _not_labels(owner: str, value: Any) -> ParameterError:
    return ParameterError(
        f"{owner} needs y to hold only 0 and 1, one column for each label, but it holds {shown(value)}. Columns of "
        "several classes are not labels: make one 0/1 column for each class (pandas.get_dummies)."
    )


def _one_column(owner: str, column: npt.NDArray[Any]) -> Targets:
    """Return a binary problem in one dimension as one label."""
    if column.dtype.kind == "f":
        assert_all_finite(column, input_name="y")
    check_classification_targets(column)
    values = column_or_1d(column)
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) > 2:
        raise ParameterError(
            f"{owner} needs one 0/1 column for each label. Only binary classification is supported in one column. The "
            f"type of the target is {type_of_target(values)}, with {len(classes)} classes. Make one column for each "
            "class, or use a multi-class classifier."
        )
    # A single class is the label that every row has, unless it is the number that means "has not".
    only = np.array([classes[0] not in (0, False)] * len(values)) if len(classes) == 1 else codes == 1
    return Targets(only.astype(np.uint8).reshape(-1, 1), ("y0",), classes)


def _holds_label_sets(owner: str, Y: Any) -> bool:
    """Say whether rows are sets of label names; refuse rows of numbers of different lengths."""
    rows = list(Y)
    if not rows:
        return False
    if all(isinstance(row, set | frozenset) for row in rows):
        return True
    if not all(isinstance(row, list | tuple) for row in rows):
        return False
    entries = [entry for row in rows for entry in row]
    if entries and all(isinstance(entry, str) for entry in entries):
        return True
    if len({len(row) for row in rows}) > 1:
        raise ParameterError(
            f"{owner} needs y to be a matrix or a list of sets of label names, but its rows are lists of different "
            f"lengths that hold {shown(entries[0])}. Pass sets, or sklearn.preprocessing.MultiLabelBinarizer()"
            ".fit_transform(y)."
        )
    return False


def label_rows(owner: str, Y: Any, n_rows: int, n_labels: int) -> npt.NDArray[np.uint8]:
    """Return label sets of known rows and labels as `uint8` (n_rows, n_labels)."""
    table = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    table = table.reshape(-1, 1) if table.ndim == 1 and n_labels == 1 else table
    if table.shape != (n_rows, n_labels):
        raise ParameterError(
            f"{owner} needs Y to have shape ({n_rows}, {n_labels}), but it has {table.shape}. "
            "Pass one row for each row of X and one column for each label."
        )
    return _zero_one(owner, table)
