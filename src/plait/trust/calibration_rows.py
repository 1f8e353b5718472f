"""Rows that calibrate a model: whether it is fitted, and labels in the order that it knows."""

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _num_samples, check_is_fitted

from plait.core.arrays import Ints
from plait.core.label_forms import LabelledRows
from plait.core.labels import Targets, as_targets, label_rows
from plait.core.sentences import ParameterError, shown
from plait.core.unknown_labels import UNKNOWN, given_again, is_gap
from plait.estimators.joint_pipeline import NamedLabels

__all__ = ["calibration_targets", "is_fitted", "named_labels", "rows_and_labels"]


def is_fitted(model: Any) -> bool:
    """Say whether a model is fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def calibration_targets(owner: str, model: Any, X: Any, y: Any, *, unknown: bool = False) -> Targets:
    """Return the labels of X; of a fitted model those that it knows, in its order.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    model : classifier
        Fitted or not.
    X : array, sparse matrix or data frame
        Rows.
    y : labels in any form that `fit` takes
        Their labels; of a model that was fitted on names, columns and rows of names are matched by name.
    unknown : bool, default=False
        Whether labels may be unknown.
    """
    names = getattr(model, "label_names_", None) if y is not None and is_fitted(model) else None
    if names is None:
        targets = as_targets(owner, y, unknown=unknown)
    elif getattr(model, "_one_column", False) and np.ndim(y) == 1:
        targets = _classes_of(owner, model, y, unknown)
    else:
        labels = label_rows(owner, y, _num_samples(X), [str(name) for name in names], unknown=unknown)
        targets = Targets(labels, tuple(str(name) for name in names))
    if targets.Y.shape[0] != _num_samples(X):
        raise ParameterError(
            f"{owner} needs X and Y to have the same number of rows, but X has {_num_samples(X)} and Y has "
            f"{targets.Y.shape[0]}. Pass rows of the same objects."
        )
    return targets


def _classes_of(owner: str, model: Any, y: Any, unknown: bool) -> Targets:
    """Return a column of the classes that a model was fitted on as one label."""
    values, classes = np.asarray(y, dtype=object), model.classes_
    gaps = np.array([is_gap(value) for value in values], dtype=np.bool_)
    wrong = [value for value in values[~gaps] if value not in classes]
    if wrong or (gaps.any() and not unknown):
        raise ParameterError(
            f"{owner} needs Y to hold classes that the model knows, {shown(classes.tolist())}, but it holds "
            f"{shown(wrong[0]) if wrong else 'NaN'}. Pass labels as they were given to the model's fit."
        )
    known = model._has_label(np.array(values[~gaps].tolist(), dtype=classes.dtype))
    Y = np.full((len(values), 1), UNKNOWN, dtype=np.int8)
    Y[~gaps] = known
    return Targets(Y if gaps.any() else Y.view(np.uint8), (str(model.label_names_[0]),), classes)


def rows_and_labels(X: Any, Y: Any) -> tuple[Any, Any]:
    """Return X and Y; where X is a data set alone, its rows and its labels with their names."""
    if Y is None and isinstance(X, LabelledRows):
        return X.X, NamedLabels.of(X.Y, X.label_names)
    return X, Y


def named_labels(targets: Targets, rows: Ints) -> NamedLabels:
    """Return the labels of some rows for `fit`, with their names; unknown ones as NaN.

    Examples
    --------
    >>> named_labels(as_targets("fit", [{"sea"}, {"sea", "sun"}]), np.array([1])).columns
    ['sea', 'sun']
    """
    labels = given_again(targets.Y[rows])
    return NamedLabels.of(labels if labels.dtype.kind == "f" else labels.astype(np.int64), targets.names)
