"""`PrunedSets`: label sets as classes, without the rare ones [Read2008; ReadPfahringerHolmes2008]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.baselines.foundations.label_sets import LabelSetClassifier
from plait.baselines.foundations.meta_classifier import ESTIMATOR_RULE
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import InstanceOf, Interval
from plait.core.products import product
from plait.inference.search.label_tables import distinct_vectors
from plait.losses import Loss

__all__ = ["PrunedSets"]


class PrunedSets(LabelSetClassifier):
    """`LabelPowerset` on the frequent label sets; rows with a rare set come back with frequent subsets of it (PS).

    Label sets seen at most `p` times are pruned [Read2008]; a pruned row is trained on up to `n_subsets` times, with
    the largest frequent sets that its own set contains [ReadPfahringerHolmes2008]. Assumes that rare label sets are
    frequent ones with a few labels more. A good choice where `LabelPowerset` meets many sets of a few rows each: it
    is faster and overfits less. Labels that occur in rare sets only are never predicted.

    Parameters
    ----------
    estimator : classifier, optional
        Any scikit-learn classifier of several classes; it is cloned. None is `LogisticLearner()` on all label sets in
        one batch, each against the others, with probabilities made to sum to one.
    p : int, default=3
        Label sets seen at most so often (by weight, where rows have weights) are pruned. 0 prunes nothing and is
        `LabelPowerset`. Where everything would be pruned, it is lowered until a set survives.
    n_subsets : int, default=2
        With how many frequent subsets a pruned row comes back at most: those with the most labels, among these the
        most frequent ones; never the empty set. A copy weighs what the row weighs. 0 drops pruned rows (PPT).
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of, see `LabelPowerset`.

    Attributes
    ----------
    p_ : int
        The `p` that was used.
    label_sets_ : ndarray of uint8, shape (n_sets, n_labels)
        The frequent label sets; class c of `estimator_` is row c.
    estimator_ : classifier or None
        The fitted classifier; None where one label set survives.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    References
    ----------
    Read: A pruned problem transformation method for multi-label classification [Read2008].

    Read, Pfahringer and Holmes: Multi-label classification using ensembles of pruned sets [ReadPfahringerHolmes2008].

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2], [1.3]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [1, 1]])
    >>> model = PrunedSets(p=1).fit(X, Y)
    >>> model.label_sets_
    array([[0, 1],
           [1, 0]], dtype=uint8)
    >>> model.predict([[0.0], [1.2]])
    array([[1, 0],
           [0, 1]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": ESTIMATOR_RULE,
        "p": (Interval(int, 0, None),),
        "n_subsets": (Interval(int, 0, None),),
        "loss": (InstanceOf((Loss, str)),),
    }

    def __init__(self, estimator: Any = None, p: int = 3, n_subsets: int = 2, loss: Any = "subset") -> None:
        self.estimator = estimator
        self.p = p
        self.n_subsets = n_subsets
        self.loss = loss

    def _training_sets(self, X: Any, Y: Labels, weights: Any) -> tuple[Any, Labels, Any]:
        vectors, codes = distinct_vectors(Y)
        counts = np.bincount(codes, weights=weights).astype(np.float64)
        self.p_ = int(min(self.p, np.ceil(counts.max()) - 1))
        frequent = counts > self.p_
        if frequent.all():
            return X, Y, weights
        rows, sets = _kept_and_returned(codes, frequent, _frequent_subsets(vectors, counts, frequent, self.n_subsets))
        return X[rows], vectors[sets], None if weights is None else weights[rows]


def _frequent_subsets(
    vectors: Labels, counts: Floats, frequent: npt.NDArray[np.bool_], n_subsets: int
) -> dict[int, Ints]:
    """Return, for each rare set, the frequent sets that it comes back with, the best first."""
    sizes = vectors.sum(axis=1, dtype=np.int64)
    useful = np.flatnonzero(frequent & (sizes > 0))
    # Largest first, then most frequent, then smallest vector [ReadPfahringerHolmes2008, section 4].
    useful = useful[np.lexsort((useful, -counts[useful], -sizes[useful]))]
    inside = vectors[useful].astype(np.float32)
    found = {}
    for rare in np.flatnonzero(~frequent).tolist():
        contained = product(inside, (1.0 - vectors[rare]).astype(np.float32)) == 0
        found[rare] = useful[contained][:n_subsets]
    return found


def _kept_and_returned(
    codes: npt.NDArray[np.intp], frequent: npt.NDArray[np.bool_], subsets: dict[int, Ints]
) -> tuple[Ints, Ints]:
    """Return the rows to train on and their label sets: rows with frequent sets, then the copies of the others."""
    kept = np.flatnonzero(frequent[codes])
    pruned = np.flatnonzero(~frequent[codes])
    copies = np.array([len(subsets[int(codes[row])]) for row in pruned], dtype=np.int64)
    rows = np.concatenate([kept, np.repeat(pruned, copies)])
    returned = [subsets[int(codes[row])] for row in pruned]
    return rows, np.concatenate([codes[kept].astype(np.int64), *returned])
