"""What is taken for rows in chunks, and what methods do with it."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from plait.core.arrays import Floats
from plait.core.chunked.dask_blocks import DaskChunks, is_dask
from plait.core.chunked.row_chunks import LocalChunks, RowChunks, joined, rows_in
from plait.core.label_forms import LabelledRows
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, warn_user

__all__ = ["MOST_GATHERED", "Gathered", "RowsWarning", "answers_chunks", "chunks_of", "gathered", "n_bytes"]

Method = TypeVar("Method", bound=Callable[..., Any])

# Bytes of rows that are read into this process where a method cannot do without.
MOST_GATHERED = 1 << 28


def chunks_of(owner: str, X: Any, y: Any = None, sample_weight: Any = None) -> RowChunks | None:
    """Return rows that come in chunks as `RowChunks`; None where X is one array, matrix, frame or list of rows.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    X : object
        A Dask array or frame; an iterable of chunks that starts anew when iterated over, such as a list of arrays or
        `plait.data.chunks(path)`; or anything else. An iterator, which can be read once only, is refused.
    y : object, optional
        Labels of the same rows in the same form, where chunks of X have none.
    sample_weight : object, optional
        Weights of all rows: an array, a list of one array for each chunk, or a Dask collection.

    Examples
    --------
    >>> chunks_of("fit", np.zeros((4, 2))) is None, chunks_of("fit", [np.zeros((4, 2))]) is None
    (True, False)
    >>> chunks_of("fit", (row for row in ()))
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: fit needs X to be rows that can be read again, but it is a generator, ...
    """
    if isinstance(X, np.ndarray) or sparse.issparse(X):  # asked about row by row, by services
        return None
    if is_dask(X):
        return DaskChunks(owner, X, y, sample_weight)
    if isinstance(X, Iterator):
        raise ParameterError(
            f"{owner} needs X to be rows that can be read again, but it is a {type(X).__name__}, which can be read "
            "once only. Pass a list of chunks, plait.data.chunks(path), or another object that starts anew in iter()."
        )
    return LocalChunks(owner, X, y, sample_weight) if _is_chunks(X) else None


def _is_chunks(X: Any) -> bool:
    if isinstance(X, list | tuple):
        first = X[0] if X else None
        first = first[0] if isinstance(first, tuple) and first else first
        return isinstance(first, LabelledRows) or len(getattr(first, "shape", ())) == 2
    known = ("__array__", "shape", "columns", "__dataframe__", "keys", "X")
    return isinstance(X, Iterable) and not isinstance(X, str | bytes) and not any(hasattr(X, name) for name in known)


def answers_chunks(method: Method) -> Method:
    """Let a method that answers about rows of X be asked about chunks too: it then answers chunk by chunk, when needed.

    Chunks give `ChunkAnswers`, Dask collections a Dask array (or a list of delayed answers where these are no arrays).
    `self._like(name, **kwargs)` says what an answer about no rows looks like.
    """
    name = method.__name__

    @wraps(method)
    def call(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        chunks = chunks_of(f"{type(self).__name__}.{name}", X)
        if chunks is None:
            return method(self, X, *args, **kwargs)
        return chunks.answers(partial(_asked, name, args, kwargs), self, self._like(name, **kwargs))

    return call  # type: ignore[return-value]


def _asked(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], model: Any, X: Any) -> Any:
    return getattr(model, name)(X, *args, **kwargs)


class RowsWarning(UserWarning):
    """Not all rows in chunks are trained on, or all of them were read into memory."""


class Gathered(NamedTuple):
    """Rows of chunks in memory: all of them, or a sample."""

    X: Any
    y: Any
    label_names: Any
    sample_weight: Any
    note: str


def gathered(owner: str, chunks: RowChunks) -> Gathered:
    """Return chunks as one X and y, with a warning; of large ones a sample of the rows, the same every time.

    The sample does not depend on how rows are cut into chunks. Each row has a number between 0 and 1, and those below
    a threshold stay: the largest of 1, 1/2, 1/4 ... whose rows take at most 256 MiB.
    """
    kept: list[_Kept] = []
    tickets, share, n_rows = generator(0), 1.0, 0
    for X, y, names, weights in chunks.weighed():
        kept.append(_Kept(X, y, names, weights, tickets.random(rows_in(X))).below(share))
        n_rows += rows_in(X)
        while sum(n_bytes(block.X) for block in kept) > MOST_GATHERED and sum(len(block.tickets) for block in kept) > 1:
            share /= 2
            kept = [block.below(share) for block in kept]
    some = [block for block in kept if len(block.tickets)] or kept[:1]
    n_kept, size = sum(len(block.tickets) for block in some), sum(n_bytes(block.X) for block in some) >> 20
    note = f"{len(kept)} chunks were read into this process ({size} MiB)."
    if n_kept < n_rows:
        note = (
            f"a sample of {n_kept} of {n_rows} rows stands for them ({size} MiB). A JointClassifier (recipes br, "
            "bcc, cc, pcc, kcc ...) with LogisticLearner takes all of them."
        )
    warn_user(f"{owner} needs all rows in memory: {note}", RowsWarning)
    labels, weights = ([block[place] for block in some] for place in (1, 3))
    y, sample_weight = (None if found[0] is None else joined(found) for found in (labels, weights))
    return Gathered(joined([block.X for block in some]), y, some[0].names, sample_weight, note)


class _Kept(NamedTuple):
    """Rows of a chunk that are kept, each with a number between 0 and 1."""

    X: Any
    y: Any
    names: Any
    weights: Any
    tickets: Floats

    def below(self, share: float) -> "_Kept":
        chosen = np.flatnonzero(self.tickets < share)
        if len(chosen) == len(self.tickets):
            return self
        parts = (part.tocsr() if sparse.issparse(part) else part for part in (self.X, self.y, self.weights))
        X, y, weights = (None if part is None else _safe_indexing(part, chosen) for part in parts)
        return _Kept(X, y, self.names, weights, self.tickets[chosen])


def n_bytes(X: Any) -> int:
    """Return how many bytes an array, a sparse matrix or a frame takes, about."""
    if sparse.issparse(X):
        return int(X.data.nbytes + X.indices.nbytes) if hasattr(X, "indices") else int(12 * X.nnz)
    return int(getattr(X, "nbytes", 0) or 8 * np.prod(np.shape(X)))
