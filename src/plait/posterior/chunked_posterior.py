"""`ChunkedPosterior`: what `joint` returns of rows in chunks; answers are found chunk by chunk, when needed."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from plait import losses as losses_room
from plait.core.chunked.recognition import chunks_of
from plait.core.naming import resolve
from plait.losses import Loss
from plait.posterior.posterior import Posterior

__all__ = ["ChunkedPosterior"]


def _answer(evidence: tuple[Any, ...], question: str, args: tuple[Any, ...], model: Any, X: Any) -> Any:
    posterior = model.joint(X)
    for known in evidence:
        posterior = posterior.given(known)
    return getattr(posterior, question)(*args)


def _labelled_answer(evidence: tuple[Any, ...], question: str, model: Any, X: Any, Y: Any) -> Any:
    return _answer(evidence, question, (Y,), model, X)


class ChunkedPosterior:
    """P(y | x) of rows in chunks.

    Questions of a Dask collection are answered by Dask arrays, those of other chunks by `ChunkAnswers`: nothing is
    computed before it is asked for, and one chunk is held at a time. Iterating gives the `Posterior` of one chunk after
    the other, which answers every further question.

    Parameters
    ----------
    model : JointModel
        A fitted model.
    X : Dask collection or chunks of rows
        Features.
    evidence : tuple of mappings
        What `given` was told.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(100, 5, 4, random_state=0).dataset
    >>> model = recipes.pcc().fit(data.X, data.Y)
    >>> answer = model.joint([data.X[:60], data.X[60:]])
    >>> [part.shape for part in answer.given({0: 1}).marginals()]
    [(60, 4), (40, 4)]
    """

    def __init__(self, model: Any, X: Any, evidence: tuple[Any, ...] = ()) -> None:
        self.model, self.X, self.evidence = model, X, evidence

    def __iter__(self) -> Iterator[Posterior]:
        for X, _, _ in self._chunks():
            posterior: Posterior = self.model.joint(X)
            for known in self.evidence:
                posterior = posterior.given(known)
            yield posterior

    def __repr__(self) -> str:
        return f"P(y | x) of {self.model.n_labels_} labels for rows in chunks"

    def given(self, evidence: Any) -> "ChunkedPosterior":
        """Return the posterior where some labels are known: a mapping from a label to 0 or 1, for all rows.

        Parameters
        ----------
        evidence : mapping
            Label -> 0 or 1.
        """
        return ChunkedPosterior(self.model, self.X, (*self.evidence, evidence))

    def marginals(self) -> Any:
        """Return P(label | x), (n_samples, n_labels)."""
        return self._ask("marginals", (), np.zeros((0, self.model.n_labels_)))

    def mode(self) -> Any:
        """Return the most probable label sets, (n_samples, n_labels)."""
        return self._ask("mode", (), np.zeros((0, self.model.n_labels_), dtype=np.int64))

    def decide(self, loss: Any = None) -> Any:
        """Return the label sets of least expected loss, (n_samples, n_labels).

        Parameters
        ----------
        loss : Loss or str, optional
            By default the model's.
        """
        chosen: Loss = resolve("decide", "loss", self.model.loss if loss is None else loss, losses_room, Loss)
        dtype = np.float64 if chosen.answer == "scores" else np.uint8
        return self._ask("decide", (loss,), np.zeros((0, self.model.n_labels_), dtype=dtype))

    def entropy(self) -> Any:
        """Return the entropy of every row, (n_samples,)."""
        return self._ask("entropy", (), np.zeros(0))

    def top(self, k: int) -> Any:
        """Return the `k` most probable label sets of each chunk's rows.

        Parameters
        ----------
        k : int
            How many.
        """
        return self._ask("top", (k,), None)

    def log_prob(self, Y: Any) -> Any:
        """Return log P(Y | x), (n_samples,); Y comes in the same chunks as X.

        Parameters
        ----------
        Y : chunks of labels
            One label set a row.
        """
        ask = partial(_labelled_answer, self.evidence, "log_prob")
        return self._chunks(Y).answers(ask, self.model, np.zeros(0), labelled=True)

    def _ask(self, question: str, args: tuple[Any, ...], like: Any) -> Any:
        return self._chunks().answers(partial(_answer, self.evidence, question, args), self.model, like)

    def _chunks(self, Y: Any = None) -> Any:
        return chunks_of("joint", self.X, Y)
