"""SCLS: relevance, less the share of it that chosen features already give [SCLS 25]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats
from plait.core.checks import Boolean
from plait.core.parallel import Threads
from plait.core.ties import TIE_TOLERANCE, first_best
from plait.counts import Codes
from plait.features.engine.column_pairs import ColumnPairs
from plait.features.engine.greedy_selector import Criterion, GreedySelector
from plait.features.engine.known_labels import LabelCodes
from plait.features.engine.label_triples import summed_relevance

__all__ = ["SCLS"]


class SCLS(GreedySelector):
    """Scalable criterion for a large label set [SCLS, algorithm 1].

    Chooses, one after another, the feature with the largest

        J(f|S) = Rel(f) * (1 - sum_{s in S} I(f;s) / H(f)),    Rel(f) = sum_l I(f;l)        [SCLS 25]

    so that the work does not grow with the product of labels and chosen features.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    floor : bool, default=False
        The sum above can pass 1, and J fall below 0; then the criterion as printed prefers features that say nothing
        at all (Rel = J = 0). With `floor=True` J is cut off at 0, and of the features that have come to 0 the one with
        the largest Rel is chosen.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `LAIMDiscretizer()`. "passthrough" takes every distinct value as a symbol.
    n_jobs : int, optional
        Threads for the relevance, -1 for all; the result is the same for any number.

    Attributes
    ----------
    ranking_ : ndarray of int
        Features in the order chosen.
    scores_ : ndarray of float
        J of each when it was chosen, in bits.
    mask_ : FeatureMask
        The same features for every label.

    Notes
    -----
    Features that hold one symbol only are never chosen. Where features tie, the one that stands first is chosen.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]])  # the last column is a copy of the first
    >>> selector = SCLS(n_features=3, discretizer="passthrough").fit(X, X[:, :2])
    >>> selector.ranking_, selector.scores_
    (array([0, 1, 2]), array([1., 1., 0.]))
    """

    parameter_rules: ClassVar[dict[str, Any]] = {**GreedySelector.parameter_rules, "floor": (Boolean(),)}

    def __init__(
        self, n_features: Any = "sqrt", floor: bool = False, discretizer: Any = None, n_jobs: int | None = None
    ):
        super().__init__(n_features, discretizer, n_jobs)
        self.floor = floor

    def _criterion(self, x: Codes, y: LabelCodes, threads: Threads) -> Criterion:
        kind = _Floored if self.floor else _Scalable
        return kind(summed_relevance(x, y, threads), ColumnPairs(x))


class _Scalable(Criterion):
    def __init__(self, relevance: Floats, pairs: ColumnPairs):
        self._relevance, self._pairs = relevance, pairs
        self._uncertainty = np.zeros(relevance.size)

    def scores(self) -> Floats:
        return self._relevance * (1.0 - self._uncertainty)

    def add(self, feature: int) -> None:
        # Whole units over whole units: exactly 1 for a copy of the chosen feature.
        self._uncertainty += self._pairs.shared_with(feature) / self._pairs.entropies


class _Floored(_Scalable):
    def scores(self) -> Floats:
        return np.maximum(super().scores(), 0.0)

    def best(self, scores: Floats) -> int:
        if scores.max() > TIE_TOLERANCE:
            return first_best(scores)
        return first_best(np.where(scores > -np.inf, self._relevance, -np.inf))
