"""PMU: D2F, less what a feature and two labels have in common [Lee2013]."""

import numpy as np

from plait.core.arrays import Floats
from plait.core.parallel import Threads
from plait.counts import Codes
from plait.features.d2f import Interacting
from plait.features.engine.greedy_selector import Criterion, GreedySelector
from plait.features.engine.known_labels import KnownLabels, LabelCodes
from plait.features.engine.label_triples import LabelTriples, label_relevance

__all__ = ["PMU"]


class PMU(GreedySelector):
    """Pairwise multi-label utility [Lee2013].

    Chooses, one after another, the feature with the largest

        J(f|S) = sum_l I(f;l) - sum_{s in S} sum_l I(f,s,l) - sum_{l<l'} I(f,l,l')

    with the interaction information I(a,b,c) = I(a;b) - I(a;b|c).

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
    The last term is found once, at a cost of features x pairs of labels; the rest costs what `D2F` costs.

    References
    ----------
    [Lee2013] Lee and Kim: Feature selection for multi-label classification using multivariate mutual information, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0]])
    >>> Y = np.column_stack([X[:, 0], X[:, 0], X[:, 1]])  # a label twice counts once
    >>> PMU(n_features=2, discretizer="passthrough").fit(X, Y).scores_
    array([1., 1.])
    """

    def _criterion(self, x: Codes, y: LabelCodes, threads: Threads) -> Criterion:
        relevance = np.ascontiguousarray(label_relevance(x, y, self.n_jobs))
        total = np.asarray(relevance.sum(axis=1))
        if isinstance(y, KnownLabels):
            tables = y.tables(x)
            return Interacting(total - tables.pair_interactions(), total, tables)
        triples = LabelTriples(x, y, threads)
        return Interacting(total - _pair_interactions(relevance, triples, y), total, triples)


def _pair_interactions(relevance: Floats, triples: LabelTriples, y: Codes) -> Floats:
    """Return sum_{l<l'} I(f,l,l') = sum_l sum_{l'>l} [I(f;l') - I(f;l'|l)]; a label that does not vary adds 0."""
    behind = np.cumsum(relevance[:, ::-1], axis=1)[:, ::-1]
    pairs = np.zeros(relevance.shape[0])
    for label in np.flatnonzero((y.totals > 0) & (y.totals < y.n_rows)).tolist():
        if label + 1 < y.totals.size:
            pairs += behind[:, label + 1] - triples.given_label(label)
    return pairs
