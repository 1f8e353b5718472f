"""Tables of Dask arrays: one small table for each block of rows, made where the block lies, then added."""

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from plait.core.extras import optional
from plait.core.sentences import ParameterError
from plait.counts.blocks import is_dask

__all__ = ["sum_on_cluster"]

# Tables that one task adds up.
_FAN_IN = 8


def sum_on_cluster(count: Callable[..., Any], X: Any, Y: Any, weights: Any) -> Any:
    """Return the sum of `count(X, Y, weights=weights)` over the row blocks of X, on whatever runs Dask's tasks."""
    dask = optional("dask", extra="dask", purpose="Dask arrays")
    blocks = [_blocks(part, X.chunks[0]) for part in (X, Y, weights)]
    one = dask.delayed(_counted)
    tables = [one(count, *block) for block in zip(*blocks, strict=True)]
    while len(tables) > 1:
        tables = [dask.delayed(_added)(tables[first : first + _FAN_IN]) for first in range(0, len(tables), _FAN_IN)]
    return tables[0].compute()


def _counted(count: Callable[..., Any], X: Any, Y: Any, weights: Any) -> Any:
    return count(X, Y, weights=weights)


def _added(tables: list[Any]) -> Any:
    return reduce(add, tables)


def _blocks(part: Any, lengths: tuple[int, ...]) -> list[Any]:
    """Return the part cut by rows as X is; each piece whole in its columns."""
    if part is None:
        return [None] * len(lengths)
    if is_dask(part):
        return _delayed(part, lengths)
    if np.isnan(lengths).any():
        raise ParameterError(
            "plait needs the row blocks of X to have known lengths when Y or weights is no Dask array, but they are "
            "unknown. Call X.compute_chunk_sizes() first."
        )
    ends = np.cumsum((0, *lengths))
    return [part[first:last] for first, last in pairwise(ends)]


def _delayed(part: Any, lengths: tuple[int, ...]) -> list[Any]:
    if part.ndim == 2 and part.numblocks[1] > 1:
        part = part.rechunk({1: -1})
    if len(part.chunks[0]) != len(lengths) or not np.array_equal(part.chunks[0], lengths, equal_nan=True):
        part = part.rechunk({0: lengths})
    return list(part.to_delayed().reshape(-1))
