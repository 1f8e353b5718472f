"""`NeighbourScores`: the labels of a row's nearest training rows, itself left out."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler, normalize

from plait.core.arrays import Floats, Ints, Labels
from plait.core.parallel import one_blas_thread
from plait.core.randomness import generator
from plait.core.unknown_labels import has_unknown, known_cells, unknown_as_absent
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, base_rates, held_rows, smoothed_log_odds

__all__ = ["NeighbourScores"]

# Votes that the weighted neighbours are worth against one of the base rates.
_SIZE = 10.0


class NeighbourScores(BaseScores):
    """Nearest neighbours, nearer ones with more weight: by angle for sparse X, by standardised columns for dense X.

    Parameters
    ----------
    n_neighbors : int, default=20
        How many training rows answer; the t-th of them weighs 1 / sqrt(t).
    max_samples : int, default=5000
        Most rows that are kept, drawn at random.

    Attributes
    ----------
    labels_, weights_ : CSR matrix and ndarray
        Labels and weights of the rows that are kept.
    search_ : NearestNeighbors
        Among them.
    scaler_ : StandardScaler or None
        Of dense columns.
    n_neighbors_ : int
        How many answer; fewer where rows are few.
    prior_ : ndarray of float64, shape (n_labels,)
        Shares of the labels.
    known_ : ndarray of bool, or None
        Which labels of the rows are known; None where all are.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=["logistic", NeighbourScores(n_neighbors=50)])
    AutoJoint(learners=['logistic', NeighbourScores(n_neighbors=50)])
    """

    name = "neighbours"
    known_: Any = None

    def __init__(self, n_neighbors: int = 20, max_samples: int = 5_000) -> None:
        self.n_neighbors = n_neighbors
        self.max_samples = max_samples

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Keep the rows, and score each by the others."""
        weights = np.ones(len(Y)) if sample_weight is None else sample_weight
        self.prior_ = base_rates(Y, weights)
        self.scaler_ = None if sparse.issparse(X) else StandardScaler().fit(X, sample_weight=sample_weight)
        kept = np.sort(generator(seed).permutation(len(Y))[: self.max_samples])
        self.labels_, self.weights_ = sparse.csr_matrix(unknown_as_absent(Y[kept]), dtype=np.float64), weights[kept]
        self.known_ = known_cells(Y[kept]) if has_unknown(Y) else None
        # Where labels are unknown so many are asked that as many know a label, on average.
        wanted = self.n_neighbors if self.known_ is None else round(self.n_neighbors / self.known_.mean())
        self.n_neighbors_ = min(wanted, len(kept) - 1)
        self.search_ = NearestNeighbors(algorithm="brute").fit(self._placed(X[kept]))
        asked = held_rows(folds)
        found = self._nearest(X[asked], self.n_neighbors_ + 1)
        return self._votes(_others(found, np.searchsorted(kept, asked), kept, asked))

    def log_odds(self, X: Any) -> Floats:
        """Return the log-odds of the weighted shares among the neighbours."""
        return self._votes(self._nearest(X, self.n_neighbors_))

    def _nearest(self, X: Any, count: int) -> Ints:
        """Return the nearest rows kept; in one thread, since which of equally near ones come depends on how many."""
        with one_blas_thread():
            return np.asarray(self.search_.kneighbors(self._placed(X), count, return_distance=False))

    def _placed(self, X: Any) -> Any:
        return normalize(X) if self.scaler_ is None else self.scaler_.transform(X)

    def _votes(self, found: Ints) -> Floats:
        votes = self.weights_[found] / np.sqrt(np.arange(1, found.shape[1] + 1))
        votes /= np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)
        starts = np.arange(len(found) + 1) * found.shape[1]
        chosen = sparse.csr_matrix((votes.ravel(), found.ravel(), starts), shape=(len(found), self.labels_.shape[0]))
        known = 1.0 if self.known_ is None else chosen @ self.known_.astype(np.float64)
        return smoothed_log_odds((chosen @ self.labels_).toarray(), self.prior_, _SIZE, known)


def _others(found: Ints, place: Ints, kept: Ints, asked: Ints) -> Ints:
    """Return the neighbours without the row itself, or without the last where the row is not among them."""
    own = np.where(kept[np.minimum(place, len(kept) - 1)] == asked, place, -1)
    mine = found == own[:, None]
    mine[~mine.any(axis=1), -1] = True
    return found[~mine].reshape(len(found), -1)
