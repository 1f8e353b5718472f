"""What a classifier of one label sees: the label's own features, then the values of its parents."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["own_features", "with_parents"]


def own_features(X: Any, columns: npt.NDArray[np.int64] | None) -> Any:
    """Return some columns of X, dense or CSR as it is; None is all of them, X itself and no copy."""
    return X if columns is None else X[:, columns]


def with_parents(features: Any, parent_values: npt.NDArray[np.uint8]) -> Any:
    """Return features and values of parents side by side, of the features' form and type; no parents is no copy.

    Examples
    --------
    >>> with_parents(np.array([[0.5, 2.0]]), np.array([[1]], dtype=np.uint8))
    array([[0.5, 2. , 1. ]])
    """
    if parent_values.shape[1] == 0:
        return features
    values = parent_values.astype(features.dtype)
    if not sparse.issparse(features):
        return np.hstack([features, values])
    form = sparse.csr_array if isinstance(features, sparse.sparray) else sparse.csr_matrix
    return sparse.hstack([features, form(values)], format="csr")
