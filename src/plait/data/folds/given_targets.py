"""The `y` that people pass to a splitter, whatever its form, as one sparse pattern."""

from typing import Any

import numpy as np
from scipy import sparse

from plait.core.sentences import shown
from plait.data.errors import DataError
from plait.data.label_sets import label_pattern

__all__ = ["given_labels"]


def given_labels(owner: str, y: Any) -> sparse.csr_matrix:
    """Return which labels are on: from a matrix, sparse or not, a data frame, or one column of 0 and 1."""
    if y is None:
        raise DataError(f"{owner} needs y, the labels to spread over the folds, but it is None. Pass split(X, y).")
    matrix = _matrix(owner, y)
    values = matrix.data if sparse.issparse(matrix) else matrix
    wrong = values[(values != 0) & (values != 1)]  # NaN differs from both
    if wrong.size:
        raise DataError(
            f"{owner} needs y to hold only 0 and 1, but it holds {shown(wrong.flat[0].item())}. "
            "Encode each label as one 0/1 column."
        )
    return label_pattern(matrix)


def _matrix(owner: str, y: Any) -> Any:
    if sparse.issparse(y):
        return sparse.csr_matrix(y)
    if hasattr(y, "columns") and hasattr(y, "sparse"):
        return sparse.csr_matrix(y.sparse.to_coo())  # a pandas frame of sparse columns must not become dense
    array = np.asarray(y)
    if array.dtype.kind not in "biuf":
        array = _as_numbers(owner, array)
    if array.ndim not in (1, 2):
        raise DataError(
            f"{owner} needs y to have one column a label, but it has {array.ndim} dimensions. "
            "Reshape it to (n_samples, n_labels)."
        )
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _as_numbers(owner: str, array: Any) -> Any:
    # Frames whose columns have different types, and nullable ones, arrive as objects.
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{owner} needs y to hold only 0 and 1, but its dtype is {array.dtype}. "
            "Encode each label as one 0/1 column."
        ) from None
