"""`Propensities`: P@k and nDCG@k in which rare labels weigh more, by how likely each is to be recorded [Jain2016]."""

from functools import partial
from typing import Any

import numpy as np

from plait.core.arrays import Array, Floats
from plait.core.checks import Interval, check_value
from plait.core.named_answers import highest
from plait.data.errors import DataError
from plait.metrics.inputs import label_matrix, score_blocks
from plait.metrics.scoring import ResponseScorer, label_scores

__all__ = ["Propensities"]


class Propensities:
    """How likely labels are to be recorded where they are there, and metrics that make up for it [Jain2016].

    Of the labels of a rare kind many were never recorded; a right one counts 1 / p_l, where the model of p_l is
    1 / (1 + C (n_l + B)^-A) with C = (log n - 1) (B + 1)^A, for n training rows of which n_l have label l.

    Parameters
    ----------
    Y : array, sparse matrix, nested list, frame or rows of names
        Labels of the training rows, 0 or 1.
    A, B : float, default=0.55 and 1.5
        Of the model; 0.5 and 0.4 are used for Wikipedia, 0.6 and 2.6 for Amazon.

    Attributes
    ----------
    weights : ndarray of float64, shape (n_labels,)
        1 / p_l of every label.

    References
    ----------
    [Jain2016] Jain, Prabhu and Varma: Extreme multi-label loss functions for recommendation, tagging, ranking and other
    missing label applications, 2016.

    Examples
    --------
    >>> known = Propensities([[1, 0]] * 9 + [[1, 1]])
    >>> known.weights.round(2)
    array([1.56, 2.3 ])
    >>> known.precision_at_k([[1, 1], [1, 0]], [[0.2, 0.9], [0.1, 0.7]], k=1).__round__(3)
    0.596
    """

    def __init__(self, Y: Any, *, A: float = 0.55, B: float = 1.5) -> None:
        check_value("Propensities", "A", A, (Interval(float, 0, None),))
        check_value("Propensities", "B", B, (Interval(float, 0, None),))
        labels = label_matrix("Propensities", "Y", Y)
        counts = np.asarray(labels.sum(axis=0, dtype=np.float64)).ravel()
        # Fewer than e rows would give propensities above 1.
        factor = max(0.0, np.log(labels.shape[0]) - 1.0) * (B + 1.0) ** A
        self.weights: Floats = np.asarray(1.0 + factor * (counts + B) ** -A)

    def precision_at_k(self, Y_true: Any, scores: Any, *, k: int = 5) -> float:
        """Return PSP@k: the weights of right labels among the k highest, over the most possible; 1 is best.

        As the extreme classification repository prints it: sums over all rows, then their ratio. Of equal scores the
        label with the smaller number comes first.

        Parameters
        ----------
        Y_true : array, sparse matrix, nested list, frame or rows of names
            True labels, 0 or 1.
        scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
            Marginal probabilities, vote shares or any other scores.
        k : int, default=5
            How many labels are looked at.
        """
        check_value("precision_at_k", "k", k, (Interval(int, 1, None),))
        return self._gain("precision_at_k", Y_true, scores, np.ones(k), normalized=False)

    def ndcg_at_k(self, Y_true: Any, scores: Any, *, k: int = 5) -> float:
        """Return PSnDCG@k: the label at place r counts its weight / log2(r + 1), over the most possible; 1 is best.

        A row is divided by the sum of 1 / log2(r + 1) over as many places as it has labels, at most k; then as PSP@k.

        Parameters
        ----------
        Y_true : array, sparse matrix, nested list, frame or rows of names
            True labels, 0 or 1.
        scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
            Marginal probabilities, vote shares or any other scores.
        k : int, default=5
            How many labels are looked at.
        """
        check_value("ndcg_at_k", "k", k, (Interval(int, 1, None),))
        return self._gain("ndcg_at_k", Y_true, scores, 1.0 / np.log2(np.arange(2, k + 2)), normalized=True)

    def scorers(self, k: int = 5) -> dict[str, Any]:
        """Return both as scikit-learn scorers, by name: "propensity_precision_at_5" and "propensity_ndcg_at_5".

        Parameters
        ----------
        k : int, default=5
            How many labels are looked at.
        """
        made = {}
        for metric in (self.precision_at_k, self.ndcg_at_k):
            name = f"propensity_{metric.__name__.removesuffix('k')}{k}"
            own: Any = partial(metric, k=k)
            own.__name__ = name
            made[name] = ResponseScorer(own, label_scores, 1)
        return made

    def _gain(self, owner: str, Y_true: Any, scores: Any, places: Floats, *, normalized: bool) -> float:
        """Return what right labels are worth at their places, over what the best ranking would have."""
        found, most = 0.0, 0.0
        for labels, block in score_blocks(owner, "scores", Y_true, scores):
            if labels.shape[1] != self.weights.size:
                raise DataError(
                    f"{owner} needs Y_true to have the {self.weights.size} labels of the propensities, but it has "
                    f"{labels.shape[1]}. Pass the same labels in the same order."
                )
            worth = labels * self.weights
            sizes = np.minimum(labels.sum(axis=1, dtype=np.int64), places.size)
            scale = np.append(1.0, np.cumsum(places))[sizes] if normalized else np.ones(len(block))
            found += float((_first(worth, block, places) / scale).sum())
            most += float((_first(worth, worth, places) / scale).sum())
        return found / most if most > 0 else 0.0


def _first(worth: Floats, order: Array, places: Floats) -> Floats:
    """Return the worth of the labels of highest order, by the worth of their places."""
    best = highest(order, places.size)
    return np.asarray(np.take_along_axis(worth, best, axis=1) @ places[: best.shape[1]])
