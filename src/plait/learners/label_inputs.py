"""What a classifier of one label sees: the label's own features, then the values of its parents."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["own_features", "read_only", "with_parents"]


def read_only(X: Any) -> Any:
    """Return X over the same memory, protected: an estimator that works in place must not change it for the next.

    Examples
    --------
    >>> X = np.zeros((2, 2))
    >>> read_only(X).flags.writeable, np.shares_memory(read_only(X), X)
    (False, True)
    """
    values = (X.data if sparse.issparse(X) else X).view()
    values.flags.writeable = False
    return type(X)((values, X.indices, X.indptr), shape=X.shape, copy=False) if sparse.issparse(X) else values


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
