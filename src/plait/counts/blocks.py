"""Large dense arrays and memory maps, cut into blocks of rows that fit the memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["is_dask", "is_streamed", "row_blocks"]

# Entries of X and Y in one block; a block of float64 takes half a gibibyte at most.
_ENTRIES = 1 << 26


def is_dask(X: Any) -> bool:
    """Say whether this is a Dask array, without importing Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "chunks")


def is_streamed(X: Any, Y: Any = None) -> bool:
    """Say whether X comes in parts: an iterator of chunks, a Dask array, or an array too large to encode at once."""
    return isinstance(X, Iterator) or is_dask(X) or row_blocks(X, Y, None) is not None


def row_blocks(X: Any, Y: Any, weights: Any) -> Iterator[Any] | None:
    """Return blocks `(X, Y, weights)` of a dense array too large to encode at once, else None."""
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return None
    width = X.shape[1] + (Y.shape[1] if hasattr(Y, "shape") and len(Y.shape) == 2 else 0)
    size = max(1, _ENTRIES // max(width, 1))
    if X.shape[0] <= size:
        return None
    return _blocks(X, Y, weights, size)


def _blocks(X: Any, Y: Any, weights: Any, size: int) -> Iterator[Any]:
    Y = Y.tocsr() if sparse.issparse(Y) else Y
    for first in range(0, X.shape[0], size):
        rows = slice(first, first + size)
        yield X[rows], None if Y is None else Y[rows], None if weights is None else weights[rows]
