"""`Loss`: the base of all losses, whose brute-force decision needs `value` only and is the oracle of faster ones."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from plait.core.arrays import Floats, Labels
from plait.core.checks import Constraint
from plait.inference import LabelSupport
from plait.inference.label_vectors import all_label_vectors
from plait.losses.candidates import MOST_ENUMERATED, search_candidates, sole_vectors, vector_weights
from plait.losses.pairs import checked_pair, pair_blocks
from plait.losses.risk import LeastRisk

__all__ = ["Loss"]


# Pairs of a true vector and an answer are compared in blocks that hold about this many labels (8 MiB each side).
_ENTRIES = 1 << 23
# Weights of rows that are held at the same time while all answers are tried (32 MiB).
_WEIGHTS = 1 << 22


class Loss(BaseEstimator, ABC):
    """How wrong a prediction is (`value`), and the least wrong answer (`decide`).

    A loss of one's own is a class with `value`; it decides correctly at once, by trying answers.

    Attributes
    ----------
    wanted : str
        What the loss needs from an inference: "mode", "marginals" or "distribution" (label vectors that stand for all
        of P).

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
    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {}

    @abstractmethod
    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row.

        Parameters
        ----------
        Y : ndarray of uint8, shape (n_rows, n_labels)
            True labels, 0 or 1.
        Y_pred : ndarray, shape (n_rows, n_labels)
            Predicted labels (for `Rank`: scores).
        """

    def pairwise(self, Y: Labels, Y_pred: Any) -> Floats:
        """Return the loss of every true vector (m, n_labels) under every answer (k, n_labels): (m, k).

        A loss may write this in a faster way; `value` decides what is right.
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
