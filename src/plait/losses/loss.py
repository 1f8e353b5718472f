"""`Loss`: the base of all losses, whose brute-force decision needs `value` only and is the oracle of faster ones.

Beside it, what its decision is made of: pairs of true vectors and answers in blocks of bounded size, answers worth
trying where not all can be tried, and the first answer of least risk.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from plait.core.arrays import Floats, Labels
from plait.core.checks import Constraint
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.inference.search.label_tables import all_label_vectors, distinct_vectors, vector_numbers

__all__ = ["Loss", "TIE", "checked_pair", "set_sizes", "sole_vectors"]


def checked_pair(owner: str, Y: Any, Y_pred: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return both as arrays; two tables of one shape, else an error."""
    true, answers = np.asarray(Y), np.asarray(Y_pred)
    if true.ndim != 2 or true.shape != answers.shape:
        raise ParameterError(
            f"{owner} needs Y and Y_pred to be tables of one shape, but the shapes are {true.shape} and "
            f"{answers.shape}. Pass the same rows and labels in both."
        )
    return true, answers


def pair_blocks(shape: tuple[int, int], n_pairs: int) -> Iterator[tuple[slice, slice]]:
    """Yield blocks (rows, places) that cover a table, each of about so many entries at most.

    Examples
    --------
    >>> [(rows.start, places.start) for rows, places in pair_blocks((2, 3), 2)]
    [(0, 0), (0, 2), (1, 0), (1, 2)]
    """
    n_rows, n_places = shape
    row_step = max(1, n_pairs // max(1, n_places))
    place_step = max(1, min(n_places, n_pairs))
    for row in range(0, n_rows, row_step):
        for place in range(0, n_places, place_step):
            yield slice(row, row + row_step), slice(place, place + place_step)


def set_sizes(vectors: npt.NDArray[Any]) -> Floats:
    """Return how many labels each vector (..., n_labels) has, as floats."""
    return np.asarray(vectors.sum(axis=-1, dtype=np.float64))


# Risks that differ by no more than this are equal but for rounding; then the first answer stands.
TIE = 1e-13


class LeastRisk:
    """For every row the place of the least risk so far.

    Parameters
    ----------
    n_rows : int
        Number of rows.

    Attributes
    ----------
    risk : ndarray of float64, shape (n_rows,)
        The least risk.
    place : ndarray of int64, shape (n_rows,)
        The first place where it was seen.

    Examples
    --------
    >>> best = LeastRisk(1)
    >>> best.see(np.array([[0.5, 0.25, 0.25]]), 0)
    >>> best.see(np.array([[0.25, 0.75]]), 3)
    >>> best.place
    array([1])
    """

    def __init__(self, n_rows: int) -> None:
        self.risk = np.full(n_rows, np.inf)
        self.place = np.zeros(n_rows, dtype=np.int64)

    def see(self, risks: Floats, start: int) -> None:
        """Take the risks (n_rows, n_answers) of the answers from place `start` on."""
        least = risks.min(axis=1)
        better = least < self.risk - TIE
        first = (risks <= least[:, None] + TIE).argmax(axis=1)
        self.risk[better] = least[better]
        self.place[better] = start + first[better]


# Up to this many labels all label vectors are tried.
MOST_ENUMERATED = 12
# Beyond it at most this many of a row's own vectors.
_MOST_VECTORS = 1 << MOST_ENUMERATED


def sole_vectors(support: LabelSupport) -> Labels | None:
    """Return the vectors of a search that found one for each row and knows nothing else; otherwise None."""
    if support.kind == "modes" and support.log_weights.shape[1] == 1 and support.marginals is None:
        return support.vectors[:, 0].copy()
    return None


def vector_weights(support: LabelSupport, rows: slice) -> tuple[Labels, Floats]:
    """Return vectors (m, n_labels) that serve all rows, and each row's weights of them (n_rows, m)."""
    part = support.take(rows)
    shared, weights = part.shared_vectors(), part.weights()
    if shared is not None:
        return shared, weights
    n_all = 1 << support.n_labels
    places = vector_numbers(part.vectors) + np.arange(part.n_rows)[:, None] * n_all
    table = np.bincount(places.ravel(), weights=weights.ravel(), minlength=part.n_rows * n_all)
    table = table.reshape(part.n_rows, n_all)
    used = table.any(axis=0)
    return all_label_vectors(support.n_labels)[used], np.ascontiguousarray(table[:, used])


def threshold_sets(marginals: Floats) -> Labels:
    """Return, for one row, the sets of the k labels with the largest marginals, k = 0 to n_labels.

    Examples
    --------
    >>> threshold_sets(np.array([0.2, 0.9]))
    array([[0, 0],
           [0, 1],
           [1, 1]], dtype=uint8)
    """
    place = np.empty(marginals.size, dtype=np.int64)
    place[np.argsort(-marginals, kind="stable")] = np.arange(marginals.size)
    return (place < np.arange(marginals.size + 1)[:, None]).astype(np.uint8)


def search_candidates(support: LabelSupport) -> Iterator[tuple[Labels, Floats, Labels]]:
    """Yield for every row its distinct vectors, their weights, and the answers to try, the smallest first."""
    marginals = support.marginal_estimate()
    for row in range(support.n_rows):
        one = support.take(slice(row, row + 1)).merged()
        used = np.isfinite(one.log_weights[0])
        vectors = one.vectors[0, used]
        answers = np.concatenate([vectors[:_MOST_VECTORS], threshold_sets(marginals[row])])
        yield vectors, one.weights()[0, used], distinct_vectors(answers)[0]


# Pairs of a true vector and an answer are compared in blocks that hold about this many labels (8 MiB each side).
_ENTRIES = 1 << 23
# Weights of rows that are held at the same time while all answers are tried (32 MiB).
_WEIGHTS = 1 << 22


class Loss(BaseEstimator, ABC):
    """How wrong a prediction is (`value`), and the least wrong answer (`decide`).

    A loss of one's own is a class with `value`; it decides correctly at once, by trying answers. Exported by
    `plait.losses` it is known by its name, as a metric (`plait.metrics.loss_metric`) and as a scorer.

    Attributes
    ----------
    wanted : str
        What the loss needs from an inference: "mode", "marginals" or "distribution" (label vectors that stand for all
        of P).
    answer : str
        What the loss decides on and judges: "labels", or "scores" to sort labels by.
    takes_sparse : bool
        Whether `value` takes labels as CSR matrices too.
    needs_thresholds : bool
        Whether it decides by thresholds of marginals, which a model that is fitted for the loss finds.

    Examples
    --------
    A loss that counts wrong labels, a missed one five times:

    >>> class Missed(Loss):
    ...     def value(self, Y, Y_pred):
    ...         return (5 * (Y > Y_pred) + (Y < Y_pred)).sum(axis=1).astype(float)
    >>> from plait.inference.label_support import LabelSupport
    >>> two = np.array([[[0, 0, 1], [1, 0, 0]]], dtype=np.uint8)
    >>> support = LabelSupport(two, np.log([[0.7, 0.3]]), "distribution", "by hand", np.array([True]))
    >>> Missed().decide(support)
    array([[1, 0, 1]], dtype=uint8)
    """

    wanted: ClassVar[str] = "distribution"
    answer: ClassVar[str] = "labels"
    takes_sparse: ClassVar[bool] = False
    needs_thresholds: ClassVar[bool] = False
    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}

    @abstractmethod
    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row.

        Parameters
        ----------
        Y : ndarray of uint8, shape (n_rows, n_labels)
            True labels, 0 or 1.
        Y_pred : ndarray, shape (n_rows, n_labels)
            Predicted labels; scores where `answer` says so.
        """

    def with_thresholds(self, found: Mapping[str, Any] | None) -> Self:
        """Return the loss as it decides for a model that found thresholds (word of a loss -> thresholds, or None).

        Parameters
        ----------
        found : mapping of str to array, or None
            Word of a loss -> its thresholds.
        """
        return self

    def pairwise(self, Y: Labels, Y_pred: Any) -> Floats:
        """Return the loss of every true vector (m, n_labels) under every answer (k, n_labels): (m, k).

        A loss may write this in a faster way; `value` decides what is right.

        Parameters
        ----------
        Y : ndarray of uint8, shape (m, n_labels)
            True label sets.
        Y_pred : array of shape (k, n_labels)
            Answers.
        """
        losses = self.value(np.repeat(Y, len(Y_pred), axis=0), np.tile(Y_pred, (len(Y), 1)))
        return np.asarray(losses, dtype=np.float64).reshape(len(Y), len(Y_pred))

    def expected(self, support: LabelSupport, Y_pred: Any) -> Floats:
        """Return the expected loss of every row's answer under the weights of its label vectors.

        Exact for a support of kind "distribution", an estimate for a sample; of the vectors found by a search it is
        the expectation over those vectors only.

        Parameters
        ----------
        support : LabelSupport
            What an inference found.
        Y_pred : array of shape (n_rows, n_labels)
            One answer for every row.
        """
        shape = np.broadcast_to(np.uint8(0), (support.n_rows, support.n_labels))
        answers = checked_pair(type(self).__name__, shape, Y_pred)[1]
        weights = support.weights()
        total = np.zeros(support.n_rows)
        for rows, places in pair_blocks(weights.shape, _ENTRIES // support.n_labels):
            vectors = support.vectors[rows, places]
            repeated = np.repeat(answers[rows], vectors.shape[1], axis=0)
            losses = np.asarray(self.value(vectors.reshape(-1, support.n_labels), repeated))
            total[rows] += (weights[rows, places] * losses.reshape(vectors.shape[:2])).sum(axis=1)
        return total

    def decide(self, support: LabelSupport) -> npt.NDArray[Any]:
        """Return the answer with the least expected loss for every row: (n_rows, n_labels).

        Brute force: with up to 12 labels all 2 ** n_labels answers are tried. With more it is a search over candidates:
        the row's distinct label vectors (the 4096 heaviest) and, for every k, the k labels with the largest
        marginals. Ties go to the smallest vector. Where a search found one vector and nothing else, that
        vector is the answer.

        Parameters
        ----------
        support : LabelSupport
            What an inference found.
        """
        sole = sole_vectors(support)
        if sole is not None:
            return sole
        if support.n_labels <= MOST_ENUMERATED:
            return self._least_of_all(support)
        decided = np.empty((support.n_rows, support.n_labels), dtype=np.uint8)
        for row, (vectors, weights, candidates) in enumerate(search_candidates(support)):
            decided[row] = self._least(vectors, weights[None], candidates)[0]
        return decided

    def _least_of_all(self, support: LabelSupport) -> Labels:
        answers = all_label_vectors(support.n_labels)
        decided = np.empty((support.n_rows, support.n_labels), dtype=np.uint8)
        step = max(1, _WEIGHTS // len(answers))
        for start in range(0, support.n_rows, step):
            rows = slice(start, start + step)
            vectors, weights = vector_weights(support, rows)
            decided[rows] = self._least(vectors, weights, answers)
        return decided

    def _least(self, vectors: Labels, weights: Floats, candidates: Labels) -> Labels:
        """Return the candidate of least risk for every row of weights (n_rows, n_vectors)."""
        best = LeastRisk(len(weights))
        step = max(1, _ENTRIES // max(1, vectors.size))
        for start in range(0, len(candidates), step):
            best.see(weights @ self.pairwise(vectors, candidates[start : start + step]), start)
        return candidates[best.place]
