"""What is taken for rows in chunks, and what methods do with it."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from typing import Any, TypeVar
from warnings import warn

import numpy as np
from scipy import sparse

from plait.core.chunked.dask_blocks import DaskChunks, is_dask
from plait.core.chunked.row_chunks import LocalChunks, RowChunks, joined
from plait.core.label_forms import LabelledRows
from plait.core.sentences import ParameterError

__all__ = ["MOST_GATHERED", "answers_chunks", "chunks_of", "gathered", "n_bytes"]

Method = TypeVar("Method", bound=Callable[..., Any])

# Bytes of rows that are read into this process where a method cannot do without.
MOST_GATHERED = 1 << 28


def chunks_of(owner: str, X: Any, y: Any = None) -> RowChunks | None:
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
        return DaskChunks(owner, X, y)
    if isinstance(X, Iterator):
        raise ParameterError(
            f"{owner} needs X to be rows that can be read again, but it is a {type(X).__name__}, which can be read "
            "once only. Pass a list of chunks, plait.data.chunks(path), or another object that starts anew in iter()."
        )
    return LocalChunks(owner, X, y) if _is_chunks(X) else None


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


def gathered(owner: str, chunks: RowChunks) -> tuple[Any, Any, Any]:
    """Return small chunks as one X, y and names of labels, with a warning; refuse large ones."""
    blocks, total = [], 0
    for X, y, names in chunks:
        total += n_bytes(X)
        if total > MOST_GATHERED:
            raise ParameterError(
                f"{owner} needs all rows in memory, but X comes in chunks of more than {MOST_GATHERED >> 20} MiB. Fit "
                "a JointClassifier (recipes br, bcc, cc, pcc, kcc ...) with LogisticLearner, which takes chunks as "
                "they are, or pass fewer rows."
            )
        blocks.append((X, y, names))
    warn(
        f"{owner} needs all rows in memory: {len(blocks)} chunks were read into this process ({total >> 20} MiB).",
        UserWarning,
        stacklevel=4,
    )
    labels = [y for _, y, _ in blocks]
    return joined([X for X, _, _ in blocks]), None if labels[0] is None else joined(labels), blocks[0][2]


def n_bytes(X: Any) -> int:
    """Return how many bytes an array, a sparse matrix or a frame takes, about."""
    if sparse.issparse(X):
        return int(X.data.nbytes + X.indices.nbytes) if hasattr(X, "indices") else int(12 * X.nnz)
    return int(getattr(X, "nbytes", 0) or 8 * np.prod(np.shape(X)))
