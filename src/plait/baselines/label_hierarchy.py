"""A tree over the labels: every node holds a set of labels and parts it among its children [Tsoumakas2008]."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.baselines.label_clusters import balanced_clusters
from plait.core.arrays import Ints, Labels

__all__ = ["LEAF", "HierarchyNode", "label_hierarchy_of"]


# Stands for the node of a child that is a single label.
LEAF = -1


@dataclass(frozen=True, eq=False)
class HierarchyNode:
    """An inner node.

    Parameters
    ----------
    labels : ndarray of int
        The labels of the node.
    children : tuple of ndarray of int
        The labels of each child; together those of the node.
    links : tuple of int
        The number of each child's own node, `LEAF` where it is a single label.
    """

    labels: Ints
    children: tuple[Ints, ...]
    links: tuple[int, ...]

    def meta_labels(self, Y: Labels) -> Labels:
        """Return for every row and child whether the row has a label of the child, (n_samples, n_children)."""
        return np.column_stack([Y[:, child].any(axis=1) for child in self.children]).astype(np.uint8)


def label_hierarchy_of(
    Y: Labels, sample_weight: Any, n_clusters: int, draws: np.random.Generator
) -> list[HierarchyNode]:
    """Return the nodes of the tree, the root first, every node before its children.

    A node with at most `n_clusters` labels has single labels as children; so has the root where `n_clusters` is 1.

    Examples
    --------
    >>> nodes = label_hierarchy_of(np.eye(5, dtype=np.uint8), None, 2, np.random.default_rng(0))
    >>> nodes[0].labels.tolist(), sorted(len(child) for child in nodes[0].children)
    ([0, 1, 2, 3, 4], [2, 3])
    """
    shared = _shared_rows(Y, sample_weight)
    waiting, nodes, n_planned = deque([np.arange(Y.shape[1])]), [], 1
    while waiting:
        labels = waiting.popleft()
        children = _children(labels, shared, n_clusters, draws)
        links = []
        for child in children:
            links.append(n_planned if len(child) > 1 else LEAF)
            if len(child) > 1:
                waiting.append(child)
                n_planned += 1
        nodes.append(HierarchyNode(labels, children, tuple(links)))
    return nodes


def _shared_rows(Y: Labels, sample_weight: Any) -> npt.NDArray[np.float64]:
    columns = sparse.csr_array(Y, dtype=np.float64)
    weighted = columns if sample_weight is None else columns.multiply(np.asarray(sample_weight)[:, None]).tocsr()
    return np.asarray((columns.T @ weighted).toarray())


def _children(
    labels: Ints, shared: npt.NDArray[np.float64], n_clusters: int, draws: np.random.Generator
) -> tuple[Ints, ...]:
    if len(labels) <= n_clusters or n_clusters == 1:
        return tuple(labels[[place]] for place in range(len(labels)))
    # Rows without a label of the node have zeros in all its columns, and would add nothing to any distance.
    clusters = balanced_clusters(shared[np.ix_(labels, labels)], n_clusters, draws)
    return tuple(labels[clusters == cluster] for cluster in np.unique(clusters))
