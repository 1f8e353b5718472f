"""`ForestScores`: extremely randomised trees for all labels at once, whose training rows are scored out of bag."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from plait.core.arrays import Floats, Ints, Labels
from plait.core.parallel import Parallel, delayed
from plait.core.randomness import generator, seeds
from plait.core.unknown_labels import has_unknown, known_cells, known_shares, unknown_as_absent
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, base_rates, held_rows, smoothed_log_odds

__all__ = ["ForestScores"]

# Labels are compressed to this many random sums before trees are grown on them [Joly2014].
_MOST_TARGETS = 16
# Sparse X becomes dense for the trees up to so many numbers (of 4 bytes): they split dense columns far faster.
_MOST_DENSE = 1 << 26
# Share of the rows that a bootstrap of as many draws leaves out: 1 / e.
_OUT_OF_BAG = 0.37
# Columns that a split tries where X is sparse: a share of them, as long as that times the rows is not more than this.
_SPARSE_SHARE, _MOST_TRIED = 0.3, 100_000


# For dense X every third tree cuts where that is best, not at random: the kinds make up for each other.
_EVERY = 3


class ForestScores(BaseScores):
    """Multi-output trees: a row's scores are the labels of the training rows with which it shares leaves.

    They are extremely randomised [Geurts2006]; for dense X every third takes the best cut of the columns that it tries.

    A leaf's split is chosen by the variance of all labels, which for 0 and 1 is Gini's impurity; with many labels, of
    random sums of them, other ones in each tree. Leaves answer with the labels themselves.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_samples : int, default=5000
        Most rows that a tree sees. Others are out of its bag.
    max_features : str, int or float, default="auto"
        Columns that a split tries; "auto" is their square root, and of sparse X, whose columns are mostly zero in any
        leaf, three tenths of them, fewer with more than some 330 rows.

    Attributes
    ----------
    trees_ : list of trees
        Of all bags.
    leaf_labels_ : CSR matrix of float32
        Mean labels of every leaf, those of all trees one below the other.
    prior_ : ndarray of float64, shape (n_labels,)
        Shares of the labels.
    leaf_known_ : array of bool, or None
        Which labels are known in every leaf; None where all are.

    References
    ----------
    [Geurts2006] Geurts, Ernst and Wehenkel: Extremely randomized trees, 2006.
    [Joly2014] Joly, Geurts and Wehenkel: Random forests with random projections of the output space, 2014.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=[ForestScores(n_estimators=300)])
    AutoJoint(learners=[ForestScores(n_estimators=300)])
    """

    name = "forest"
    leaf_known_: Any = None

    def __init__(self, n_estimators: int = 100, max_samples: int = 5_000, max_features: Any = "auto") -> None:
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Grow the trees, and score each row by those whose bag it is not in."""
        rows, columns = _tree_input(X), _by_columns(X)
        weights = np.ones(len(Y)) if sample_weight is None else sample_weight
        self.prior_ = base_rates(Y, weights)
        grown = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_grown)(columns, Y, weights, each, self._kind(X, place), self._tried(X), self.max_samples)
            for place, each in enumerate(seeds(seed, self.n_estimators))
        )
        self.trees_ = [tree for tree, _ in grown]
        bags = np.column_stack([bag for _, bag in grown])
        leaves = self._leaves(rows)
        self._tabulate(leaves, bags * weights[:, None], Y)
        asked = held_rows(folds)
        outside = (bags[asked] == 0).astype(np.float64)
        votes = outside.sum(axis=1, keepdims=True)
        shares, known = self._shares(leaves[asked], outside / np.maximum(votes, 1.0))
        return smoothed_log_odds(np.where(votes > 0, shares, self.prior_), self.prior_, self._size, known)

    def log_odds(self, X: Any) -> Floats:
        """Return the log-odds of the shares over all trees."""
        leaves = self._leaves(_tree_input(X))
        weights = np.full(leaves.shape, 1.0 / len(self.trees_))
        shares, known = self._shares(leaves, weights)
        return smoothed_log_odds(shares, self.prior_, self._size, known)

    def _kind(self, X: Any, place: int) -> type[DecisionTreeRegressor]:
        return DecisionTreeRegressor if place % _EVERY == 0 and not sparse.issparse(X) else ExtraTreeRegressor

    def _tried(self, X: Any) -> Any:
        if self.max_features != "auto":
            return self.max_features
        root, share = int(X.shape[1] ** 0.5), int(_SPARSE_SHARE * X.shape[1])
        return max(1, root, min(share, _MOST_TRIED // X.shape[0])) if sparse.issparse(X) else "sqrt"

    @property
    def _size(self) -> float:
        return _OUT_OF_BAG * self.n_estimators

    def _leaves(self, rows: Any) -> Ints:
        """Return the leaf of every row in every tree, numbered through all trees."""
        starts = np.cumsum([0] + [tree.tree_.node_count for tree in self.trees_])
        found = [tree.tree_.apply(rows) + start for tree, start in zip(self.trees_, starts[:-1], strict=True)]
        return np.column_stack(found)

    def _tabulate(self, leaves: Ints, masses: Floats, Y: Labels) -> None:
        """Keep the mean labels of every leaf, sparse: a leaf has few rows and these have few labels."""
        n_rows, n_leaves = len(Y), sum(tree.tree_.node_count for tree in self.trees_)
        mass = sparse.csr_matrix(
            (masses.ravel(), leaves.ravel(), np.arange(n_rows + 1) * leaves.shape[1]), shape=(n_rows, n_leaves)
        )
        totals = np.asarray(mass.sum(axis=0)).ravel()
        sums = (mass.T @ sparse.csr_matrix(unknown_as_absent(Y), dtype=np.float64)).tocsr()
        if has_unknown(Y):
            known = np.asarray(mass.T @ known_cells(Y).astype(np.float64))
            rows = np.repeat(np.arange(n_leaves), np.diff(sums.indptr))
            sums.data /= np.maximum(known[rows, sums.indices], 1e-300)
            self.leaf_known_ = known > 0
        else:
            self.leaf_known_ = None
            sums.data /= np.repeat(np.maximum(totals, 1e-300), np.diff(sums.indptr))
        sums.eliminate_zeros()
        self.leaf_labels_ = sums.astype(np.float32)

    def _shares(self, leaves: Ints, weights: Floats) -> tuple[Floats, Any]:
        """Return the mean labels of leaves, and the share of the leaves that know a label."""
        n_rows = len(leaves)
        used = sparse.csr_matrix(
            (weights.ravel(), leaves.ravel(), np.arange(n_rows + 1) * leaves.shape[1]),
            shape=(n_rows, self.leaf_labels_.shape[0]),
        )
        known = 1.0 if self.leaf_known_ is None else used @ self.leaf_known_.astype(np.float32)
        return np.asarray((used @ self.leaf_labels_).toarray(), dtype=np.float64), known


def _grown(
    columns: Any,
    Y: Labels,
    weights: Floats,
    seed: int,
    kind: type[DecisionTreeRegressor],
    max_features: Any,
    most: int,
) -> tuple[Any, Ints]:
    """Return a tree, and how often each row is in its bag."""
    draws = generator(seed)
    n_rows = len(Y)
    bag = np.bincount(draws.integers(0, n_rows, min(n_rows, most)), minlength=n_rows)
    # A label that a row does not know is at its mean, where it draws no cut.
    targets = np.where(Y >= 0, Y, known_shares(Y)) if has_unknown(Y) else Y.astype(np.float64)
    if Y.shape[1] > _MOST_TARGETS:
        targets = targets @ draws.normal(size=(Y.shape[1], _MOST_TARGETS))
    tree = kind(max_features=max_features, random_state=int(draws.integers(2**31 - 1)))
    inside = np.flatnonzero(bag)
    tree.fit(columns[inside], targets[inside], sample_weight=(bag * weights)[inside], check_input=False)
    return tree, bag


def _tree_input(X: Any) -> Any:
    """Return X as trees read rows: float32, dense where that is small enough, else CSR."""
    if sparse.issparse(X) and np.prod(X.shape, dtype=np.float64) > _MOST_DENSE:
        return sparse.csr_matrix(X, dtype=np.float32)
    return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float32)


def _by_columns(X: Any) -> Any:
    """Return X as trees are grown on it."""
    rows = _tree_input(X)
    return rows.tocsc() if sparse.issparse(rows) else rows
