"""`Parts`: where parts of rows lie, and sums over all of them: in this process, or on the workers of a Dask cluster."""

import shutil
import tempfile
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array
from plait.core.chunked.dask_blocks import on_cluster
from plait.core.lazy_modules import lazy_module
from plait.learners.partitioned.row_part import Memory, RowPart

__all__ = ["DaskParts", "Parts", "StoredParts"]

_dask = lazy_module("dask")

# How often a round that a dying worker broke is done again, and seconds before.
_ATTEMPTS, _PAUSE = 6, 1.0


def added(a: Any, b: Any) -> Any:
    """Return the sum of two numbers, arrays or tuples of them."""
    return tuple(map(added, a, b)) if isinstance(a, tuple) else a + b


class Parts(ABC):
    """Parts of rows that functions are applied to, where the parts lie."""

    @abstractmethod
    def each(self, function: Callable[..., Any], *shared: Any, own: Sequence[Any] | None = None) -> Iterator[Any]:
        """Give `function(part, *shared)` of every part in order; `own` holds one more last argument for each part."""

    def total(self, function: Callable[..., Any], *shared: Any) -> Any:
        """Return the sum of `function(part, *shared)` over all parts, added in their order, for equal bits."""
        return reduce(added, self.each(function, *shared))


class StoredParts(Parts):
    """Parts in this process, one of them in memory at a time; rows that are not on disk already are kept in a folder.

    Parameters
    ----------
    parts : iterable of (X, Y, weights)
        Checked rows: X dense or CSR, Y CSR of uint8, weights of rows or None. A memory map is left where it is.
    """

    def __init__(self, parts: Any) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="plait-rows-"))
        # The folder goes with this object, or with the process.
        self._close = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._stored = [_StoredPart.of(self._folder / str(number), *rows) for number, rows in enumerate(parts)]

    def close(self) -> None:
        """Remove the folder."""
        self._close()

    def each(self, function: Callable[..., Any], *shared: Any, own: Sequence[Any] | None = None) -> Iterator[Any]:
        """Give what the function returns of one part after the other."""
        for place, stored in enumerate(self._stored):
            yield function(stored.read(), *shared, *(() if own is None else (own[place],)))


class _StoredPart:
    """Where the arrays of one part are."""

    def __init__(self, folder: Path, n_columns: int, n_labels: int, mapped: Any) -> None:
        self.folder, self.n_columns, self.n_labels, self.mapped = folder, n_columns, n_labels, mapped

    @classmethod
    def of(cls, folder: Path, X: Any, Y: Any, weights: Any = None) -> "_StoredPart":
        """Write the arrays of a part."""
        folder.mkdir()
        mapped = X if isinstance(X, np.memmap) else None
        arrays = {"Y-indices": Y.indices, "Y-indptr": Y.indptr}
        if sparse.issparse(X):
            arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        elif mapped is None:
            arrays["X"] = X
        if weights is not None:
            arrays["weights"] = weights
        for name, array in arrays.items():
            np.save(folder / name, array)
        return cls(folder, X.shape[1], Y.shape[1], mapped)

    def read(self) -> RowPart:
        """Read the part again."""
        pointers = self._array("Y-indptr")
        indices, n_rows = self._array("Y-indices"), len(pointers) - 1
        Y = sparse.csr_matrix((np.ones(len(indices), np.uint8), indices, pointers), shape=(n_rows, self.n_labels))
        X = self.mapped
        if X is None and (self.folder / "X.npy").exists():
            X = self._array("X")
        elif X is None:
            arrays = (self._array("data"), self._array("indices"), self._array("indptr"))
            X = sparse.csr_matrix(arrays, shape=(n_rows, self.n_columns))
        weights = self._array("weights") if (self.folder / "weights.npy").exists() else None
        return RowPart(X, Y, _FileMemory(self.folder), weights)

    def _array(self, name: str) -> Array:
        return np.asarray(np.load(self.folder / f"{name}.npy"))


class _FileMemory:
    """What a part keeps from one sum to the next, beside its rows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, number: int, first: int, values: Array) -> None:
        """Write the values of a block of rows; those of another step are written over."""
        np.savez(self._folder / f"kept-{first}.npz", number=number, values=values)

    def kept(self, number: int, first: int) -> Array | None:
        """Read the values of a block of rows, if they are of this step."""
        file = self._folder / f"kept-{first}.npz"
        if not file.exists():
            return None
        with np.load(file) as held:
            return np.asarray(held["values"]) if int(held["number"]) == number else None


def as_part(rows: tuple[Any, Any, Any]) -> RowPart:
    """Return checked rows as a part that is kept in memory."""
    X, Y, weights = rows
    return RowPart(X, Y, Memory(), weights)


class DaskParts(Parts):
    """Parts on the workers of a Dask cluster. A lost part is made anew there, a broken round is done again.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    delayed_rows : list of Delayed
        Each makes checked rows (X, Y, weights).
    """

    def __init__(self, client: Any, delayed_rows: Sequence[Any]) -> None:
        self._client = client
        self._parts = client.compute([_dask.delayed(as_part)(rows) for rows in delayed_rows])
        self._sent: dict[int, tuple[Any, Any]] = {}

    def each(self, function: Callable[..., Any], *shared: Any, own: Sequence[Any] | None = None) -> Iterator[Any]:
        """Give what the function returns of each part, all of them at work."""
        for attempt in range(_ATTEMPTS):
            try:
                yield from self._round(function, shared, own)
                return
            except (OSError, RuntimeError, CancelledError) as problem:  # closed connections, killed workers, lost data
                if attempt == _ATTEMPTS - 1 or not _is_loss(problem):
                    raise
                self._sent = {}
                time.sleep(_PAUSE)

    def _round(self, function: Callable[..., Any], shared: tuple[Any, ...], own: Sequence[Any] | None) -> list[Any]:
        futures = [self._future(value) for value in shared]
        more: Sequence[Any] = [()] * len(self._parts) if own is None else [(value,) for value in own]
        tasks = [
            self._client.submit(function, part, *futures, *mine, pure=False, retries=3)
            for part, mine in zip(self._parts, more, strict=True)
        ]
        return [task.result() for task in tasks]

    def _future(self, value: Any) -> Any:
        """Return a value on the cluster; what was sent for the last rounds is sent once."""
        held, future = self._sent.get(id(value), (None, None))
        if held is not value:
            future = on_cluster(self._client, value)
            recent = list(self._sent.items())[-3:]
            self._sent = dict(recent) | {id(value): (value, future)}
        return future


def _is_loss(problem: BaseException) -> bool:
    """Say whether an error is of a lost worker or connection, not of a task."""
    module = type(problem).__module__
    return (
        isinstance(problem, CancelledError)
        or module.startswith(("distributed", "asyncio"))
        or isinstance(problem, ConnectionError | TimeoutError)
    )
