"""`HierarchyJoint`: a fitted probabilistic label tree as a model of P(y | x), waiting for X."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.core.named_answers import highest
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.joint.hierarchy_distribution import HierarchyDistribution
from plait.learners import HierarchyConditionals

__all__ = ["HierarchyJoint"]

_kernels = lazy_module("plait.learners._score_kernels")
# Scores of so many nodes and rows are held at once where all nodes are scored (32 MiB).
_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class HierarchyJoint:
    """A probabilistic label tree.

    Parameters
    ----------
    conditionals : HierarchyConditionals
        The hierarchy and the scores of its nodes.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_tagged_text
    >>> data = make_tagged_text(300, 200, 20, random_state=0)
    >>> model = recipes.plt(max_leaves=5, random_state=0).fit(data.X, data.Y)
    >>> labels, log_probs, visited = model.joint_.likeliest(data.X, 3)
    >>> labels.shape, bool((np.diff(log_probs, axis=1) <= 0).all())
    ((300, 3), True)
    """

    conditionals: HierarchyConditionals

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.conditionals.n_labels

    def condition(self, X: Any) -> HierarchyDistribution:
        """Return P(y | x) of every row of X (array or CSR matrix): 8 bytes a row and node.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        return HierarchyDistribution(self.conditionals.hierarchy, self.conditionals.node_scores(X))

    def likeliest(self, X: Any, k: int) -> tuple[Ints, Floats, Ints]:
        """Return the k most probable labels of every row, the most probable first, with log P(y_k = 1 | x): exact.

        Best-first search scores the children of nodes that may hold one of them only; how many is told as well.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_rows, n_features)
            Rows.
        k : int
            How many; all labels where there are fewer.
        """
        known, k = self.conditionals, min(k, self.n_labels)
        if not known.compiled:
            return self._by_all_scores(X, k)
        X, W, tree = sparse.csr_matrix(X), known.weights, known.hierarchy
        found, logs = np.empty((X.shape[0], k), dtype=np.int64), np.empty((X.shape[0], k))
        visited = np.empty(X.shape[0], dtype=np.int64)
        weights = W.indptr, W.indices, W.data, known.intercept_
        _kernels.find_likeliest(
            X.indptr, X.indices, X.data, *weights, tree.first, tree.label, SCORE_LIMIT, found, logs, visited
        )
        return found, logs, visited

    def _by_all_scores(self, X: Any, k: int) -> tuple[Ints, Floats, Ints]:
        n_nodes = self.conditionals.hierarchy.n_nodes
        found, logs = np.empty((X.shape[0], k), dtype=np.int64), np.empty((X.shape[0], k))
        step = max(1, _ENTRIES // max(1, n_nodes))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            chances = self.condition(X[rows]).log_marginals()
            found[rows] = highest(chances, k)
            logs[rows] = np.take_along_axis(chances, found[rows], axis=1)
        return found, logs, np.full(X.shape[0], n_nodes, dtype=np.int64)
