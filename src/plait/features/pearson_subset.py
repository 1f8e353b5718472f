"""Correlation-based feature subset for all labels together, by Pearson correlations [Jungjit2013]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.checks import Nothing
from plait.features.correlations import Correlations
from plait.features.feature_mask import FeatureMask
from plait.features.merit import subset_merit
from plait.features.number_matrix import as_numbers
from plait.features.selector import Selector
from plait.features.sizes import SIZE_RULES, n_wanted
from plait.features.ties import TIE_TOLERANCE, first_best
from plait.structure import LabelGraph

__all__ = ["PearsonSubset"]


class PearsonSubset(Selector):
    """Multi-label CFS of Jungjit et al.: few features that go with the labels and not with each other.

    Hill climbing from the empty set on the CFS merit, with the mean |Pearson correlation| over features and labels,
    and over pairs of features. Use it for numeric features with linear effects when one small set shall serve all
    labels; it needs no discretisation. SCLS compares it under the name MLCFS.

    Parameters
    ----------
    n_features : int, float, "sqrt" or None, default=None
        None: climb until no feature raises the merit. Otherwise climb to this size, whether the merit rises or not.

    Attributes
    ----------
    scores_ : ndarray
        The merit of the set after each addition.

    References
    ----------
    Jungjit, Michaelis, Freitas, Cinatl: Two extensions to multi-label correlation-based feature selection
    [Jungjit2013].

    Examples
    --------
    >>> X = np.array([[0.0, 0.1, 5.0], [1.0, 1.2, 5.0], [0.0, 0.0, 5.0], [1.0, 0.9, 4.0]])
    >>> Y = np.array([[0, 0], [1, 1], [0, 0], [1, 1]])
    >>> PearsonSubset().fit(X, Y).ranking_
    array([0])
    """

    parameter_rules: ClassVar = {"n_features": (*SIZE_RULES, Nothing())}

    def __init__(self, n_features: Any = None) -> None:
        self.n_features = n_features

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        correlations = Correlations.of(as_numbers(type(self).__name__, X))
        wanted = None if self.n_features is None else n_wanted(self.n_features, *X.shape)
        self._warn_if_fewer(int(correlations.varies.sum()), wanted or 1)
        ranking, merits = _climb(correlations, correlations.mean_with_labels(Y), wanted)
        return FeatureMask.shared(ranking, merits, Y.shape[1], X.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def _climb(
    correlations: Correlations, relevance: npt.NDArray[np.float64], wanted: int | None
) -> tuple[list[int], list[float]]:
    """Add the best feature again and again: until `wanted` are there, or until the merit rises no more."""
    left = correlations.varies.copy()
    among_left = np.zeros(left.size)  # sum of correlations of each feature with those chosen
    to_target = among = 0.0
    ranking: list[int] = []
    merits: list[float] = []
    while left.any() and (wanted is None or len(ranking) < wanted):
        scores = subset_merit(to_target + relevance, among + among_left, len(ranking) + 1)
        best = first_best(np.where(left, scores, -np.inf))
        if wanted is None and ranking and scores[best] <= merits[-1] + TIE_TOLERANCE:
            break
        to_target, among = to_target + relevance[best], among + among_left[best]
        among_left += correlations.with_feature(best)
        left[best] = False
        ranking.append(best)
        merits.append(float(scores[best]))
    return ranking, merits
