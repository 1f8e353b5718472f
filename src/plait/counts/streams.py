"""Rows that come in parts: chunks from an iterator, memory maps, large arrays, Dask arrays.

One small table is made for each part, where the part lies, and the tables are added.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.chunked.dask_blocks import is_dask, row_pieces
from plait.core.extras import optional
from plait.core.sentences import ParameterError

__all__ = ["is_streamed", "summed"]

# Entries of one block of a dense array; a block of float64 takes half a gibibyte at most.
_ENTRIES = 1 << 26
# Tables that one Dask task adds up.
_FAN_IN = 8


def summed(count: Callable[..., Any], *parts: Any) -> Any:
    """Return `count(*parts)`, as a sum over parts of the rows where the first one comes in parts.

    Parameters
    ----------
    count : callable
        Makes an additive table of arrays with the same rows; None stands for an array that is not given.
    *parts : arrays
        The arrays, or one iterator of tuples of them.
    """
    if isinstance(parts[0], Iterator):
        missing = (None,) * len(parts)
        return _total(summed(count, *(*chunk, *missing)[: len(parts)]) for chunk in parts[0])
    if _is_array(parts[0]):
        return _summed_by_dask(count, parts)
    size = _block_rows(parts)
    return count(*parts) if size is None else _total(count(*block) for block in _blocks(parts, size))


def is_streamed(*parts: Any) -> bool:
    """Say whether rows come in parts: an iterator of chunks, a Dask array, or an array too large to encode at once.

    Parameters
    ----------
    *parts : array, Dask array or iterator
        Features, labels, weights; the first one tells.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> is_streamed(np.zeros((5, 2))), is_streamed(iter([np.zeros((5, 2))]))
    (False, True)
    """
    return isinstance(parts[0], Iterator) or _is_array(parts[0]) or _block_rows(parts) is not None


def _total(tables: Iterable[Any]) -> Any:
    total = None
    for table in tables:
        total = table if total is None else total + table
    if total is None:
        raise ParameterError("plait needs at least one chunk of rows, but the iterator gave none. Pass a fresh one.")
    return total


def _block_rows(parts: tuple[Any, ...]) -> int | None:
    """Return how many rows of dense arrays to take at a time, or None where all can be taken at once."""
    if not isinstance(parts[0], np.ndarray) or parts[0].ndim != 2:
        return None
    width = sum(part.shape[1] for part in parts if isinstance(part, np.ndarray) and part.ndim == 2)
    size = max(1, _ENTRIES // max(width, 1))
    return size if parts[0].shape[0] > size else None


def _blocks(parts: tuple[Any, ...], size: int) -> Iterator[list[Any]]:
    parts = tuple(part.tocsr() if sparse.issparse(part) else part for part in parts)
    for first in range(0, parts[0].shape[0], size):
        yield [None if part is None else part[first : first + size] for part in parts]


def _is_array(X: Any) -> bool:
    return is_dask(X) and hasattr(X, "chunks")


def _summed_by_dask(count: Callable[..., Any], parts: tuple[Any, ...]) -> Any:
    delayed = optional("dask", extra="dask", purpose="Dask arrays").delayed
    pieces = [row_pieces(part, parts[0].chunks[0]) for part in parts]
    tables = [delayed(count)(*block) for block in zip(*pieces, strict=True)]
    while len(tables) > 1:
        tables = [delayed(_added)(tables[first : first + _FAN_IN]) for first in range(0, len(tables), _FAN_IN)]
    return tables[0].compute()


def _added(tables: list[Any]) -> Any:
    return reduce(add, tables)
