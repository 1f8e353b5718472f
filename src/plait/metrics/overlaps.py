"""How much true and predicted label sets overlap, counted by row or by label: all that the set metrics need."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait.core.arrays import Ints
from plait.core.lazy_modules import lazy_module
from plait.metrics.inputs import label_pair

__all__ = ["Overlap", "label_overlap", "row_overlap"]

_kernels = lazy_module("plait.metrics._kernels")


class Overlap(NamedTuple):
    """Counts of labels in both sets, in the true set and in the predicted one; and the number of labels."""

    both: Ints
    true: Ints
    predicted: Ints
    n_labels: int


def row_overlap(owner: str, Y_true: Any, Y_pred: Any) -> Overlap:
    """Return the counts of every row."""
    true, predicted = label_pair(owner, Y_true, Y_pred)
    counts = _zeros(true.shape[0])
    if sparse.issparse(true):
        _kernels.sparse_row_counts(true.indptr, true.indices, predicted.indptr, predicted.indices, *counts)
    else:
        _kernels.dense_row_counts(true, predicted, *counts)
    return Overlap(*counts, true.shape[1])


def label_overlap(owner: str, Y_true: Any, Y_pred: Any) -> Overlap:
    """Return the counts of every label."""
    true, predicted = label_pair(owner, Y_true, Y_pred)
    counts = _zeros(true.shape[1])
    if sparse.issparse(true):
        _kernels.sparse_label_counts(true.indptr, true.indices, predicted.indptr, predicted.indices, *counts)
    else:
        _kernels.dense_label_counts(true, predicted, *counts)
    return Overlap(*counts, true.shape[1])


def _zeros(size: int) -> tuple[Ints, Ints, Ints]:
    return np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
