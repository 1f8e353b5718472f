"""Labels as people give them, in one form: the only check that Y is 0/1.

Each takes every form that `label_forms` reads. `label_matrix` gives 0/1; `as_targets` also takes scikit-learn's single
binary column and hands on names; `as_label_matrix` also takes a column of classes; `label_rows` takes labels of a model
whose names are known.
"""

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array
from plait.core.label_forms import WAY_OUT, read_labels
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError, shown
from plait.core.unknown_labels import UNKNOWN, is_gap

__all__ = [
    "Targets",
    "as_label_matrix",
    "as_targets",
    "holds_gaps",
    "label_matrix",
    "label_rows",
]

# Reading data needs none of these, and importing scikit-learn takes longer than reading most files.
_preprocessing = lazy_module("sklearn.preprocessing")
_multiclass = lazy_module("sklearn.utils.multiclass")
_validation = lazy_module("sklearn.utils.validation")


def label_matrix(
    owner: str,
    name: str,
    Y: Any,
    error: type[ValueError] = ParameterError,
    *,
    one_column: bool = True,
    unknown: bool = False,
) -> Any:
    """Return 0/1 labels as a `uint8` array or a canonical CSR matrix of shape (n_samples, n_labels).

    Parameters
    ----------
    owner, name : str
        Whose labels, and the argument that a complaint names.
    Y : array, sparse matrix or array, nested list, pandas or polars frame, or rows of names
        Labels. Frames of sparse columns do not become dense.
    error : class of ValueError, default=ParameterError
        What is raised.
    one_column : bool, default=True
        Whether one dimension is taken for one label, or refused.
    unknown : bool, default=False
        Whether labels may be unknown (NaN, None, NA): where some are, the answer is `int8`, dense, with -1 for them.

    Returns
    -------
    ndarray or CSR matrix of shape (n_samples, n_labels)
        Of `uint8`; of `int8`, with -1, where labels are unknown.

    Examples
    --------
    >>> label_matrix("fit", "y", [[0, 1.0], [True, 0]]).tolist()
    [[0, 1], [1, 0]]
    >>> label_matrix("fit", "y", [[0, float("nan")], [1, 0]], unknown=True)
    array([[ 0, -1],
           [ 1,  0]], dtype=int8)
    >>> label_matrix("fit", "y", [{"sun"}, {"sea", "sun"}]).tolist()
    [[0, 1], [1, 1]]
    >>> label_matrix("fit", "y", [[0, 2]])
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: fit needs y to hold only 0 and 1, but it holds 2. Pass ...
    """
    return _zero_one(owner, name, read_labels(owner, name, Y, error).table, error, one_column, unknown)


def _zero_one(
    owner: str, name: str, table: Any, error: type[ValueError], one_column: bool = True, unknown: bool = False
) -> Any:
    if table.ndim == 1 and one_column:
        table = table.reshape(-1, 1)
    if table.ndim != 2:
        raise error(
            f"{owner} needs {name} to have two dimensions, one column for each label, but its shape is {table.shape}. "
            "Reshape it to (n_samples, n_labels)."
        )
    gaps = _gaps(table.data if sparse.issparse(table) else table)
    if gaps is not None:
        if not unknown:
            raise error(
                f"{owner} needs every label of {name} to be known, but it holds NaN. Fill such labels in, leave their "
                "rows out, or train a model that takes them as unknown, such as JointClassifier."
            )
        return _with_gaps(owner, name, table, gaps, error)
    if sparse.issparse(table):
        return _sparse_labels(owner, name, sparse.csr_matrix(table), error)
    ones = table if table.dtype == bool else _ones(owner, name, table, error)
    return np.ascontiguousarray(ones).view(np.uint8)


def holds_gaps(table: Any) -> bool:
    """Say whether a table of labels holds values that stand for nothing.

    Parameters
    ----------
    table : ndarray or sparse matrix
        As `read_labels` gives it.

    Returns
    -------
    bool

    Examples
    --------
    >>> holds_gaps(np.array([[0.0, float("nan")]]))
    True
    """
    return _gaps(table.data if sparse.issparse(table) else table) is not None


def _gaps(values: Any) -> Any:
    """Return which values stand for nothing; None where none does."""
    if values.dtype.kind not in "fO":
        return None
    gaps = (
        np.isnan(values) if values.dtype.kind == "f" else np.array([is_gap(each) for each in values.flat], dtype=bool)
    )
    return gaps.reshape(values.shape) if gaps.any() else None


def _with_gaps(owner: str, name: str, table: Any, gaps: Any, error: type[ValueError]) -> Any:
    """Return labels of which some are unknown, dense."""
    if sparse.issparse(table):
        table = np.asarray(table.toarray(), dtype=np.float64)
        gaps = np.isnan(table)
    ones = _ones(owner, name, np.where(gaps, 0, table), error)
    return np.where(gaps, UNKNOWN, ones).astype(np.int8)


def _sparse_labels(owner: str, name: str, table: Any, error: type[ValueError]) -> Any:
    if not table.has_canonical_format:
        # Entries that stand twice add up; in a copy, since the caller's matrix stays as it is.
        table = table.copy()
        table.sum_duplicates()
    ones = _ones(owner, name, table.data, error)
    labels = sparse.csr_matrix((ones.view(np.uint8), table.indices, table.indptr), shape=table.shape)
    if not ones.all():
        labels = labels.copy()
        labels.eliminate_zeros()
    return labels


def _ones(owner: str, name: str, values: Any, error: type[ValueError]) -> Any:
    """Return where the values are 1; refuse anything that is neither 0 nor 1, such as a word."""
    if values.dtype.kind in "biuf":
        ones = values != 0
        right = ones == values
    else:
        right = np.array([_is_label(value) for value in values.flat], dtype=bool).reshape(values.shape)
        ones = (values == 1).astype(bool) if right.all() else right
    if not right.all():
        wrong = values[~right].flat[0]
        found = wrong.item() if isinstance(wrong, np.generic) else wrong
        raise error(f"{owner} needs {name} to hold only 0 and 1, but it holds {shown(found)}. {WAY_OUT}")
    return ones


def _is_label(value: Any) -> bool:
    return isinstance(value, numbers.Real | np.bool_) and value in (0, 1)


def as_label_matrix(owner: str, Y: Any, *, unknown: bool = False) -> Any:
    """Return Y as `uint8`, dense (n_samples, n_labels) or CSR.

    Parameters
    ----------
    owner : str
        Whose Y it is, for the error.
    Y : array, sparse matrix, frame or rows of names
        0/1 columns, one for each label. A single column of classes becomes one label for each class (one label in
        all when there are two classes), so that selectors also serve single-label problems.
    unknown : bool, default=False
        Whether labels may be unknown, see `label_matrix`.

    Returns
    -------
    ndarray or CSR matrix of uint8, shape (n_samples, n_labels)

    Examples
    --------
    >>> as_label_matrix("fit", [["sea"], ["sea", "sun"]])
    array([[1, 0],
           [1, 1]], dtype=uint8)
    """
    values, names = read_labels(owner, "y", Y)
    if sparse.issparse(values) or names is not None or (values.ndim == 2 and values.shape[1] != 1):
        return _zero_one(owner, "y", values, ParameterError, unknown=unknown)
    column = values.reshape(values.shape[0], -1)[:, 0]
    if unknown and _gaps(column) is not None:
        return _zero_one(owner, "y", column, ParameterError, unknown=True)
    if column.dtype.kind in "biuf" and np.isin(column, (0, 1)).all():
        return column.reshape(-1, 1).astype(np.uint8)
    if not _multiclass.type_of_target(column).startswith(("binary", "multiclass")):
        raise ParameterError(
            f"{owner} needs y to be 0/1 labels or classes. Unknown label type: {_multiclass.type_of_target(column)}, "
            f"with values such as {shown(column[:1].tolist()[0] if column.size else None)}. "
            "Pass one 0/1 column for each label."
        )
    return _preprocessing.LabelBinarizer().fit_transform(column).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Targets:
    """Labels of the training rows.

    Parameters
    ----------
    Y : ndarray of uint8, or CSR matrix, shape (n_samples, n_labels)
        0/1 labels; where some are unknown an ndarray of int8, with -1 for these.
    names : tuple of str
        Names of the labels; "y0", "y1", ... where the input had none.
    classes : ndarray, or None
        The classes of a single column given in one dimension (scikit-learn's binary problem); label 1 stands for
        the last of them. None for a matrix of labels.

    Examples
    --------
    >>> targets = as_targets("fit", [{"sun"}, {"sea", "sun"}])
    >>> targets.names, targets.Y.tolist()
    (('sea', 'sun'), [[0, 1], [1, 1]])
    """

    Y: Any
    names: tuple[str, ...]
    classes: Array | None = None


def as_targets(owner: str, Y: Any, *, keep_sparse: bool = False, unknown: bool = False) -> Targets:
    """Return targets as 0/1 labels.

    Parameters
    ----------
    owner : str
        Whose Y it is, for errors.
    Y : array, sparse matrix, data frame, or rows of names
        One 0/1, boolean or yes/no column for each label; or sets (lists, tuples) of label names, one for each row; or a
        single binary column in one dimension, as scikit-learn's binary classifiers take it.
    keep_sparse : bool, default=False
        Whether a sparse matrix stays one.
    unknown : bool, default=False
        Whether labels may be unknown, see `label_matrix`.

    Returns
    -------
    Targets

    Examples
    --------
    >>> as_targets("fit", [["sea"], ["sea", "sun"]]).names
    ('sea', 'sun')
    """
    if Y is None:
        raise ParameterError(f"{owner} requires y to be passed, but the target y is None. Pass one 0/1 column a label.")
    table, names = read_labels(owner, "y", Y)
    if sparse.issparse(table):
        labels = _zero_one(owner, "y", table, ParameterError, unknown=unknown)
        return _named(labels.toarray() if sparse.issparse(labels) and not keep_sparse else labels, names)
    if table.ndim == 1:
        return _one_column(owner, table, getattr(Y, "name", None), unknown)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ParameterError(
            f"{owner} needs y to have one column for each label, but its shape is {table.shape}. "
            "Pass shape (n_samples, n_labels)."
        )
    if table.dtype.kind == "f":
        _validation.assert_all_finite(table, input_name="y", allow_nan=True)
    return _named(_zero_one(owner, "y", table, ParameterError, unknown=unknown), names)


def _named(Y: Any, columns: Iterable[Any] | None) -> Targets:
    names = [f"y{k}" for k in range(Y.shape[1])] if columns is None else [str(name) for name in columns]
    return Targets(Y if sparse.issparse(Y) else np.ascontiguousarray(Y), tuple(names))


def _one_column(owner: str, column: Array, name: Any, unknown: bool) -> Targets:
    """Return a binary problem in one dimension as one label, with the name of a Series."""
    gaps = _gaps(column) if unknown else None
    if gaps is not None and not gaps.all():
        found = _one_column(owner, np.array(column[~gaps].tolist()), name, unknown)
        labels = np.full((len(column), 1), UNKNOWN, dtype=np.int8)
        labels[~gaps] = found.Y
        return replace(found, Y=labels)
    if column.dtype.kind == "f":
        _validation.assert_all_finite(column, input_name="y")
    _multiclass.check_classification_targets(column)
    values = _validation.column_or_1d(column)
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) > 2:
        raise ParameterError(
            f"{owner} needs one 0/1 column for each label. Only binary classification is supported in one column. The "
            f"type of the target is {_multiclass.type_of_target(values)}, with {len(classes)} classes. Make one column "
            "for each class, split joined tags with plait.data.split_tags, or use a multi-class classifier."
        )
    # A single class is the label that every row has, unless it is the number that means "has not".
    only = np.array([classes[0] not in (0, False)] * len(values)) if len(classes) == 1 else codes == 1
    label = name if isinstance(name, str) and name else "y0"
    return Targets(only.astype(np.uint8).reshape(-1, 1), (label,), classes)


def label_rows(owner: str, Y: Any, n_rows: int, names: Sequence[str], *, unknown: bool = False) -> Any:
    """Return label sets as `uint8` (n_rows, n_labels), or as `label_matrix` does; names stand for columns.

    Parameters
    ----------
    owner : str
        Who asks.
    Y : array, sparse matrix, frame, or rows of names
        Label sets.
    n_rows : int
        How many there must be.
    names : sequence of str
        Names of the labels.
    unknown : bool, default=False
        Whether labels may be unknown.

    Returns
    -------
    ndarray of uint8, shape (n_rows, n_labels)
        Of `int8`, with -1, where labels are unknown.

    Examples
    --------
    >>> label_rows("log_prob", [{"sun"}, set()], 2, ["sea", "sun"])
    array([[0, 1],
           [0, 0]], dtype=uint8)
    """
    n_labels = len(names)
    table = _zero_one(owner, "Y", read_labels(owner, "Y", Y, known=names).table, ParameterError, unknown=unknown)
    if table.shape != (n_rows, n_labels):
        raise ParameterError(
            f"{owner} needs Y to have shape ({n_rows}, {n_labels}), but it has {table.shape}. "
            "Pass one row for each row of X and one column for each label."
        )
    return np.asarray(table.toarray() if sparse.issparse(table) else table)
