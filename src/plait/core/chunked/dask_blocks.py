"""`DaskChunks`: the blocks of rows of Dask arrays and the partitions of Dask frames, left where they lie."""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from plait.core.chunked.row_chunks import RowChunks, answer_about
from plait.core.extras import optional
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError

__all__ = ["DaskChunks", "current_client", "is_dask", "on_cluster", "row_pieces"]

_dask = lazy_module("dask")
_array = lazy_module("dask.array")


def is_dask(X: Any) -> bool:
    """Say whether X is a Dask array or a Dask frame."""
    return hasattr(X, "__dask_graph__") and (hasattr(X, "chunks") or hasattr(X, "npartitions"))


def current_client() -> Any:
    """Return the client of the Dask cluster that this process works with; None where there is none, or in a worker."""
    loaded = sys.modules.get("distributed")  # where nobody has imported it, there is no client
    if loaded is None:
        return None
    try:
        loaded.get_worker()
    except ValueError:
        return loaded.client._get_global_client()
    return None


def on_cluster(client: Any, value: Any) -> Any:
    """Return a future of a value: a task that hands it on, as scattered data are lost with their worker."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        return client.submit(partial(_same, value), pure=False)


def _same(value: Any) -> Any:
    return value


def row_pieces(part: Any, lengths: tuple[int, ...]) -> list[Any]:
    """Return an array cut into rows of these lengths, each piece whole in its columns; those of Dask are delayed."""
    if part is None:
        return [None] * len(lengths)
    if is_dask(part):
        return _dask_pieces(part, lengths)
    if np.isnan(lengths).any():
        raise ParameterError(
            "plait needs the row blocks of X to have known lengths when another array is no Dask array, but they are "
            "unknown. Call X.compute_chunk_sizes() first."
        )
    return [part[first:last] for first, last in pairwise(np.cumsum((0, *lengths)))]


def _dask_pieces(part: Any, lengths: tuple[int, ...]) -> list[Any]:
    if part.ndim == 2 and part.numblocks[1] > 1:
        part = part.rechunk({1: -1})
    if len(part.chunks[0]) != len(lengths) or not np.array_equal(part.chunks[0], lengths, equal_nan=True):
        part = part.rechunk({0: lengths})
    return list(part.to_delayed().reshape(-1))


class DaskChunks(RowChunks):
    """Blocks of Dask collections, each a delayed object.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    X : Dask array or frame
        Rows.
    y : Dask array or frame, or array where X is an array whose lengths are known; optional
        Labels of the same rows.
    sample_weight : Dask array, series, or array where X is an array whose lengths are known; optional
        Weights of the same rows.
    """

    def __init__(self, owner: str, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        optional("dask", extra="dask", purpose="Dask collections")
        self.lengths: tuple[float, ...]
        if hasattr(X, "chunks"):
            self.lengths = X.chunks[0]
            self.X = row_pieces(X, X.chunks[0])
        else:
            self.lengths = (np.nan,) * X.npartitions
            self.X = list(X.to_delayed())
        self.y, self.weights = (
            _frame_pieces(owner, name, part, len(self.X))
            if not hasattr(X, "chunks") or (is_dask(part) and not hasattr(part, "chunks"))
            else row_pieces(part, X.chunks[0])
            for name, part in (("y", y), ("sample_weight", sample_weight))
        )
        columns = getattr(y, "columns", None)
        self.label_names = None if columns is None else [str(column) for column in columns]

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        for X, y in zip(self.X, self.y, strict=True):
            found, labels = _dask.compute(X, y)
            yield found, labels, self.label_names

    def weighed(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Give one chunk after the other with the weights of its rows."""
        for rows, weights in zip(self, self.weights, strict=True):
            yield (*rows, _dask.compute(weights)[0])

    def answers(self, ask: Callable[..., Any], model: Any, like: Any, *, labelled: bool = False) -> Any:
        """Return a Dask array; without `like` a list of delayed answers, one for each block."""
        asked = _dask.delayed(partial(answer_about, ask, like))
        shared = _dask.delayed(model, pure=False)
        blocks = [asked(shared, *((X, y) if labelled else (X,))) for X, y in zip(self.X, self.y, strict=True)]
        if like is None:
            return blocks
        shapes = [(length, *like.shape[1:]) for length in self.lengths]
        arrays = [_array.from_delayed(block, shape, meta=like) for block, shape in zip(blocks, shapes, strict=True)]
        return _array.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)


def _frame_pieces(owner: str, name: str, y: Any, n_blocks: int) -> list[Any]:
    """Return the partitions of labels or weights that stand beside as many blocks of X."""
    if y is None:
        return [None] * n_blocks
    found = list(np.ravel(y.to_delayed())) if is_dask(y) else []
    if len(found) != n_blocks or (hasattr(y, "numblocks") and y.ndim == 2 and y.numblocks[1] > 1):
        raise ParameterError(
            f"{owner} needs {name} to be a Dask collection with the partitions of X, which has {n_blocks}, but it has "
            f"{len(found)}. Split both alike."
        )
    return found
