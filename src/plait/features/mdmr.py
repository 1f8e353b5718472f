"""MDMR: relevance, less the mean of what is shared with chosen features, plus what these leave to say [Lin2015]."""

import numpy as np

from plait.core.arrays import Floats
from plait.core.parallel import Threads
from plait.counts import Codes
from plait.features.engine.column_pairs import ColumnPairs
from plait.features.engine.greedy_selector import Criterion, GreedySelector
from plait.features.engine.known_labels import LabelCodes
from plait.features.engine.label_triples import TriplesOf, summed_relevance, triples_of

__all__ = ["MDMR"]


class MDMR(GreedySelector):
    """Max-dependency and min-redundancy [Lin2015].

    Chooses, one after another, the feature with the largest

        J(f|S) = sum_l I(f;l) - (1/|S|) sum_{s in S} [ I(f;s) - sum_l I(f;l|s) ]

    and, while none is chosen, the largest sum_l I(f;l).

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `LAIMDiscretizer()`. "passthrough" takes every distinct value as a symbol.
    n_jobs : int, optional
        Threads, -1 for all; the result is the same for any number.

    Attributes
    ----------
    ranking_ : ndarray of int
        Features in the order chosen, the same for all labels.
    scores_ : ndarray of float
        J(f|S) of each feature when it was chosen, in bits.
    mask_ : FeatureMask
        What each label keeps.

    Notes
    -----
    The work grows with features x chosen features x labels.

    References
    ----------
    [Lin2015] Lin, Hu, Liu and Duan: Multi-label feature selection based on max-dependency and min-redundancy, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> MDMR(n_features=2, discretizer="passthrough").fit(X, X[:, [0, 2]]).ranking_
    array([0, 2])
    """

    def _criterion(self, x: Codes, y: LabelCodes, threads: Threads) -> Criterion:
        return _MaxDependency(summed_relevance(x, y, threads), ColumnPairs(x), triples_of(x, y, threads))


class _MaxDependency(Criterion):
    def __init__(self, relevance: Floats, pairs: ColumnPairs, triples: TriplesOf):
        self._relevance, self._pairs, self._triples = relevance, pairs, triples
        self._redundancy = np.zeros(relevance.size)
        self._n_chosen = 0

    def scores(self) -> Floats:
        return self._relevance - self._redundancy / max(self._n_chosen, 1)

    def add(self, feature: int) -> None:
        shared = self._pairs.shared_with(feature) * self._pairs.bits
        self._redundancy += shared - self._triples.given_feature(feature)
        self._n_chosen += 1
