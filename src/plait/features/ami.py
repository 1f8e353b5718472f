"""AMI: relevance less what is shared with chosen features [SCLS 2, 13; Lee2012]."""

import numpy as np

from plait.core.arrays import Floats
from plait.core.parallel import Threads
from plait.counts import Codes
from plait.features.engine.column_pairs import ColumnPairs
from plait.features.engine.greedy_selector import Criterion, GreedySelector
from plait.features.engine.known_labels import LabelCodes
from plait.features.engine.label_triples import summed_relevance

__all__ = ["AMI"]


class AMI(GreedySelector):
    """Approximating mutual information [Lee2012].

    Chooses, one after another, the feature with the largest

        J(f|S) = sum_l I(f;l) - sum_{s in S} I(f;s)        [SCLS 13]

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `LAIMDiscretizer()`. "passthrough" takes every distinct value as a symbol.
    n_jobs : int, optional
        Threads for the relevance, -1 for all; the result is the same for any number.

    Attributes
    ----------
    ranking_ : ndarray of int
        Features in the order chosen, the same for all labels.
    scores_ : ndarray of float
        J(f|S) of each feature when it was chosen, in bits.
    mask_ : FeatureMask
        What each label keeps.

    See Also
    --------
    SCLS : weighs what is shared by the relevance, so that it counts the same with few labels and many.

    References
    ----------
    [Lee2012] Lee, Lim and Kim: Approximating mutual information for multi-label feature selection, 2012.
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> AMI(n_features=2, discretizer="passthrough").fit(X, X[:, [0, 2]]).ranking_
    array([0, 2])
    """

    def _criterion(self, x: Codes, y: LabelCodes, threads: Threads) -> Criterion:
        return _Approximating(summed_relevance(x, y, threads), ColumnPairs(x))


class _Approximating(Criterion):
    def __init__(self, relevance: Floats, pairs: ColumnPairs):
        self._relevance, self._pairs = relevance, pairs
        self._redundancy = np.zeros(relevance.size)

    def scores(self) -> Floats:
        return self._relevance - self._redundancy

    def add(self, feature: int) -> None:
        self._redundancy += self._pairs.shared_with(feature) * self._pairs.bits
