"""`RowChunks`: rows in chunks that can be read again and again, here one after the other in this process."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.label_forms import LabelledRows
from plait.core.sentences import ParameterError

__all__ = ["ChunkAnswers", "LocalChunks", "RowChunks", "answer_about", "joined", "rows_in"]


def joined(blocks: list[Any]) -> Any:
    """Return blocks of rows as one: arrays, sparse matrices or frames."""
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr")
    if hasattr(blocks[0], "columns"):
        return sys.modules[type(blocks[0]).__module__.partition(".")[0]].concat(blocks)  # of pandas or polars
    return np.concatenate([np.asarray(block) for block in blocks])


class RowChunks(ABC):
    """Rows in chunks, with labels or without; iterating gives `(X, y, label_names)`, where what is missing is None."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        """Give one chunk after the other, in this process."""

    @abstractmethod
    def weighed(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Give one chunk after the other with the weights of its rows as a fourth; None where there are none."""

    @abstractmethod
    def answers(self, ask: Callable[..., Any], model: Any, like: Any, *, labelled: bool = False) -> Any:
        """Return what `ask(model, X)` answers for every chunk, found when it is needed.

        Parameters
        ----------
        ask : callable
            A function at module level, or a partial of one.
        model : object
            What is asked.
        like : array or None
            No rows of an answer; None where answers are no arrays.
        labelled : bool, default=False
            Whether `ask` gets the labels of a chunk as a third argument.
        """


def rows_in(X: Any) -> int:
    """Return how many rows a chunk has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def answer_about(ask: Callable[..., Any], like: Any, model: Any, X: Any, *y: Any) -> Any:
    """Return the answer about a chunk; what is filtered may leave no rows, about which no model can be asked."""
    return like if like is not None and not rows_in(X) else ask(model, X, *y)


class ChunkAnswers:
    """Answers chunk by chunk: iterating computes them anew, one chunk in memory at a time.

    Parameters
    ----------
    chunks : RowChunks
        What is asked about.
    ask : callable
        From the model and a chunk's X to an answer.
    model : object
        What is asked.
    like : array or sparse matrix, optional
        What an answer about no rows looks like; without it chunks without rows have none.
    labelled : bool, default=False
        Whether `ask` gets the labels of a chunk too.

    Examples
    --------
    >>> halves = LocalChunks("predict", [np.zeros((2, 1)), np.ones((3, 1))])
    >>> answers = ChunkAnswers(halves, lambda model, X: model * X, 5.0)
    >>> [float(answer.sum()) for answer in answers], answers.joined().shape
    ([0.0, 15.0], (5, 1))
    """

    def __init__(
        self, chunks: RowChunks, ask: Callable[..., Any], model: Any, like: Any = None, *, labelled: bool = False
    ) -> None:
        self._chunks, self._ask, self._model, self._like, self._labelled = chunks, ask, model, like, labelled

    def __iter__(self) -> Iterator[Any]:
        for X, y, _ in self._chunks:
            if rows_in(X) or self._like is not None:
                yield answer_about(self._ask, self._like, self._model, *((X, y) if self._labelled else (X,)))

    def joined(self) -> Any:
        """Return all answers in memory as one array or sparse matrix."""
        return joined(list(self))

    def __repr__(self) -> str:
        return "answers in chunks: iterate over them, or call joined() for one array"


class LocalChunks(RowChunks):
    """Chunks of an iterable that starts anew whenever it is iterated over.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    X : iterable
        Chunks: arrays, sparse matrices, frames, data sets, or tuples of X and y.
    y : iterable, optional
        Chunks of labels for the same rows, where those of X have none.
    sample_weight : array of shape (n_samples,), or list of one array for each chunk, optional
        Weights of all rows.
    """

    def __init__(self, owner: str, X: Iterable[Any], y: Iterable[Any] | None = None, sample_weight: Any = None) -> None:
        self._owner, self._X, self._y, self._weights = owner, X, y, sample_weight
        if isinstance(sample_weight, list | tuple) and sample_weight and np.ndim(sample_weight[0]):
            self._weights = np.concatenate(sample_weight)

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        empty = True
        for chunk in self._X if self._y is None else self._paired():
            empty = False
            if isinstance(chunk, tuple):
                yield (*chunk, None)[:3] if len(chunk) == 2 else (chunk[0], None, None)
            elif isinstance(chunk, LabelledRows):
                yield chunk.X, chunk.Y, chunk.label_names
            else:
                yield chunk, None, None
        if empty:
            raise ParameterError(f"{self._owner} needs at least one chunk of rows, but X has none. Pass some rows.")

    def weighed(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Give one chunk after the other with the weights of its rows."""
        weights = None if self._weights is None else np.asarray(self._weights, dtype=np.float64)
        last = 0
        for X, y, names in self:
            first, last = last, last + rows_in(X)
            yield X, y, names, None if weights is None else weights[first:last]
        if weights is not None and weights.shape != (last,):
            raise ParameterError(
                f"{self._owner} needs sample_weight to have shape ({last},), but it has {weights.shape}. "
                "Pass one weight for each row of all chunks."
            )

    def _paired(self) -> Iterator[tuple[Any, Any]]:
        assert self._y is not None
        try:
            yield from zip(self._X, self._y, strict=True)
        except ValueError:
            raise ParameterError(
                f"{self._owner} needs X and y to have the same number of chunks, but one of them ends earlier. "
                "Pass chunks of the same rows."
            ) from None

    def answers(self, ask: Callable[..., Any], model: Any, like: Any, *, labelled: bool = False) -> Any:
        """Return `ChunkAnswers`."""
        return ChunkAnswers(self, ask, model, like, labelled=labelled)
