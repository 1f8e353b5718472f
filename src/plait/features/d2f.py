"""D2F: relevance less what a feature, a chosen one and a label have in common [SCLS 3, 14; Lee2015]."""

import numpy as np

from plait.core.arrays import Floats
from plait.core.parallel import Threads
from plait.counts import Codes
from plait.features.engine.greedy_selector import Criterion, GreedySelector
from plait.features.engine.known_labels import LabelCodes
from plait.features.engine.label_triples import TriplesOf, summed_relevance, triples_of

__all__ = ["D2F", "Interacting"]


class D2F(GreedySelector):
    """Selection by dependences among a feature, a chosen feature and a label [Lee2015].

    Chooses, one after another, the feature with the largest

        J(f|S) = sum_l I(f;l) - sum_{s in S} sum_l I(f,s,l),    I(f,s,l) = I(f;l) - I(f;l|s)        [SCLS 14]

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
    The work grows with features x chosen features x labels. The interaction information I(f,s,l) may be negative: a
    feature that helps a chosen one is worth more beside it.

    References
    ----------
    [Lee2015] Lee and Kim: Mutual information-based multi-label feature selection using interaction information, 2015.
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> Y = X[:, :1] ^ X[:, 2:]  # no feature says anything alone, but the last does beside the first
    >>> selector = D2F(n_features=2, discretizer="passthrough").fit(X, Y)
    >>> selector.ranking_, selector.scores_
    (array([0, 2]), array([0., 1.]))
    """

    def _criterion(self, x: Codes, y: LabelCodes, threads: Threads) -> Criterion:
        relevance = summed_relevance(x, y, threads)
        return Interacting(relevance, relevance, triples_of(x, y, threads))


class Interacting(Criterion):
    """J(f|S) = start(f) - sum_{s in S} sum_l I(f,s,l)."""

    def __init__(self, start: Floats, relevance: Floats, triples: TriplesOf):
        self._start, self._relevance, self._triples = start, relevance, triples
        self._interaction = np.zeros(relevance.size)

    def scores(self) -> Floats:
        """Return J of every feature."""
        return self._start - self._interaction

    def add(self, feature: int) -> None:
        """Take off the interactions with one more feature."""
        self._interaction += self._relevance - self._triples.given_feature(feature)
