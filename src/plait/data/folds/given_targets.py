"""The `y` that people pass to a splitter, whatever its form, as one sparse pattern."""

from typing import Any

from scipy import sparse

from plait.core.labels import label_matrix
from plait.data.errors import DataError
from plait.data.label_sets import label_pattern

__all__ = ["given_labels"]


def given_labels(owner: str, y: Any) -> sparse.csr_matrix:
    """Return which labels are on: from a matrix, sparse or not, a data frame, or one column of 0 and 1."""
    if y is None:
        raise DataError(f"{owner} needs y, the labels to spread over the folds, but it is None. Pass split(X, y).")
    return label_pattern(label_matrix(owner, "y", y, DataError))
