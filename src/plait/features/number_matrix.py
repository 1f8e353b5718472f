"""Features as numbers, for the selectors that work on the values themselves."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import min_max_axis

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError
from plait.counts import PackedCodes, SparseCodes

__all__ = ["as_numbers", "column_bounds"]


def as_numbers(owner: str, X: Any) -> Any:
    """Return X as `float64`, dense or CSR without stored zeros.

    Parameters
    ----------
    owner : str
        Whose X it is, for the error.
    X : array or CSR matrix
        Checked numbers; codes hold symbols, whose values mean nothing, and are refused.
    """
    if isinstance(X, SparseCodes | PackedCodes):
        raise ParameterError(
            f"{owner} needs X to hold numbers, but it is {type(X).__name__}. Pass the features before they are encoded."
        )
    if not sparse.issparse(X):
        return np.asarray(X, dtype=np.float64)
    numbers = X.tocsr().astype(np.float64, copy=True)
    numbers.sum_duplicates()
    numbers.eliminate_zeros()
    return numbers


def column_bounds(X: Any) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of each column."""
    low, high = min_max_axis(X, axis=0) if sparse.issparse(X) else (X.min(axis=0), X.max(axis=0))
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
