"""The work on one label: a classifier trained where the task has been sent to."""

import pickle
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from plait.learners.label_inputs import own_features, with_parents

__all__ = ["LabelFailure", "fit_label"]


class LabelFailure(Exception):  # noqa: N818 - carries a label and an error out of a worker, and is never shown
    """A classifier could not be trained: the label and the error, as arguments."""


def fit_label(
    label: int,
    estimator: Any,
    X: Any,
    columns: npt.NDArray[np.int64] | None,
    parent_values: npt.NDArray[np.uint8],
    target: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64] | None,
    metadata: dict[str, Any],
) -> tuple[int, Any, bool]:
    """Return the label, its classifier fitted on the label's columns and the values of its parents, and whether it
    has converged.

    Rows of weight 0 are left out, from `metadata` too. An error is raised as `LabelFailure(label, error)`.
    """
    if weights is not None and not weights.all():
        rows = np.flatnonzero(weights)
        X, parent_values, target = X[rows], parent_values[rows], target[rows]
        metadata = {name: _rows_of(value, rows, weights.size) for name, value in metadata.items()}
    failure = None
    try:
        converged = _fit_quietly(estimator, with_parents(own_features(X, columns), parent_values), target, metadata)
    except MemoryError:
        raise
    except Exception as error:
        failure = LabelFailure(label, _carried(error))
    if failure is not None:
        # Raised out here, without cause or context: these do not survive the way back from another process, and some
        # schedulers try to send them along, so that an error that cannot travel would break the one that can.
        raise failure
    return label, estimator, converged


def _fit_quietly(estimator: Any, inputs: Any, target: npt.NDArray[np.int64], metadata: dict[str, Any]) -> bool:
    """Fit and say whether no `ConvergenceWarning` came; other warnings go on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        estimator.fit(inputs, target, **metadata)
    converged = True
    for each in caught:
        if issubclass(each.category, ConvergenceWarning):
            converged = False
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return converged


def _rows_of(value: Any, rows: npt.NDArray[np.int64], n_samples: int) -> Any:
    if np.ndim(value) == 0 or np.shape(value)[0] != n_samples:
        return value
    return np.asarray(value)[rows]


def _carried(error: Exception) -> Exception:
    """Return the error, or one in its words where it cannot go from process to process."""
    try:
        same = pickle.loads(pickle.dumps(error))
    except Exception:
        same = None
    return error if type(same) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
