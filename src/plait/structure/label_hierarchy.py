"""`LabelHierarchy`: a tree whose leaves are the labels, above them groups of labels: for labels by the thousand.

A probabilistic label tree [PLT] has a 0/1 variable at every node: 1 where one of the labels below it is there. Whatever
stands below a node that is 0 is 0, so that each node needs to be learned from the rows of its parent only.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.core.randomness import generator
from plait.core.sentences import ParameterError

__all__ = ["LabelHierarchy"]

# Rows that say what labels are about, and rounds of 2-means.
_MOST_ROWS, _MOST_ROUNDS = 200_000, 20


@dataclass(frozen=True, eq=False)
class LabelHierarchy:
    """Nodes numbered from the top, level by level, children of one node side by side; the root has no number.

    Parameters
    ----------
    parent : ndarray of int64, shape (n_nodes,)
        The parent of each node, -1 below the root; never falling.
    label : ndarray of int64, shape (n_nodes,)
        The label of a leaf; -1 of a group.

    References
    ----------
    [PLT] Jasinska, Dembczynski, Busa-Fekete, Pfannschmidt, Klerx and Huellermeier: Extreme F-measure maximization using
    sparse probability estimates, 2016.

    Examples
    --------
    >>> two_groups = LabelHierarchy(np.array([-1, -1, 0, 0, 1]), np.array([-1, -1, 2, 0, 1]))
    >>> two_groups
    LabelHierarchy(3 labels, 2 groups, 2 levels)
    >>> two_groups.children(0), two_groups.node_of_label
    (slice(2, 4, None), array([3, 4, 2]))
    """

    parent: Ints
    label: Ints

    def __post_init__(self) -> None:
        parent, label = np.asarray(self.parent), np.asarray(self.label)
        leaves = label[label >= 0]
        below = np.bincount(parent[parent >= 0], minlength=len(parent)) if len(parent) else np.zeros(0, dtype=np.int64)
        sound = parent.shape == label.shape and bool((parent < np.arange(len(parent))).all())
        sound = sound and bool((np.diff(parent) >= 0).all()) and bool((parent >= -1).all())
        sound = sound and np.array_equal(np.sort(leaves), np.arange(len(leaves)))
        if not sound or not np.array_equal(below > 0, label < 0):
            raise ParameterError(
                "LabelHierarchy needs nodes level by level, each label at one leaf and no group without members, but "
                "its arrays differ. Make it by LabelHierarchy.clustered(X, Y)."
            )

    @property
    def n_nodes(self) -> int:
        """Number of groups and labels."""
        return len(self.parent)

    @cached_property
    def n_labels(self) -> int:
        """Number of labels."""
        return int((self.label >= 0).sum())

    @cached_property
    def node_of_label(self) -> Ints:
        """The leaf of each label."""
        leaves = np.flatnonzero(self.label >= 0)
        return leaves[np.argsort(self.label[leaves])]

    @cached_property
    def first(self) -> Ints:
        """Where the children of each node begin, those of the root first, (n_nodes + 2,)."""
        return np.searchsorted(self.parent, np.arange(-1, self.n_nodes + 1)).astype(np.int64)

    def children(self, node: int) -> slice:
        """Return the children of a node; -1 is the root.

        Parameters
        ----------
        node : int
            Which.
        """
        return slice(int(self.first[node + 1]), int(self.first[node + 2]))

    @cached_property
    def inner(self) -> Ints:
        """The root (-1), and all groups."""
        return np.append(-1, np.flatnonzero(self.label < 0))

    @cached_property
    def levels(self) -> tuple[tuple[slice, Ints, Ints], ...]:
        """Of each level its nodes, their parents, and where the children of each parent begin among these nodes."""
        found, begin, end = [], 0, int(self.first[1])
        while begin < end:
            parents, starts = np.unique(self.parent[begin:end], return_index=True)
            found.append((slice(begin, end), parents, starts))
            begin, end = end, int(np.searchsorted(self.parent, end))
        return tuple(found)

    @cached_property
    def ancestors(self) -> Any:
        """Which nodes lie on the way to each label, itself among them: a CSR matrix (n_labels, n_nodes)."""
        nodes, ways = self.node_of_label, []
        labels = np.arange(self.n_labels)
        while labels.size:
            ways.append((labels, nodes))
            above = self.parent[nodes]
            labels, nodes = labels[above >= 0], above[above >= 0]
        rows, columns = (np.concatenate(each) if ways else np.zeros(0, dtype=np.int64) for each in _columns(ways))
        ones = np.ones(len(rows), dtype=np.int32)
        return sparse.csr_matrix((ones, (rows, columns)), shape=(self.n_labels, self.n_nodes))

    def values(self, Y: Any) -> Any:
        """Return the 0/1 values of all nodes for rows of labels, a CSR matrix (n_samples, n_nodes).

        Parameters
        ----------
        Y : array or sparse matrix of shape (n_samples, n_labels)
            Labels.
        """
        nodes = sparse.csr_matrix(sparse.csr_matrix(Y).astype(np.int32) @ self.ancestors)
        nodes.data = np.ones(nodes.nnz, dtype=np.uint8)
        nodes.sort_indices()
        return nodes

    def __repr__(self) -> str:
        n_groups = self.n_nodes - self.n_labels
        return f"LabelHierarchy({self.n_labels} labels, {n_groups} groups, {len(self.levels)} levels)"

    def __getstate__(self) -> dict[str, Any]:
        return {"parent": self.parent, "label": self.label}

    @classmethod
    def clustered(
        cls, X: Any, Y: Any, *, arity: int = 100, max_leaves: int = 100, random_state: Any = None
    ) -> "LabelHierarchy":
        """Return a hierarchy that groups labels whose rows are alike, by balanced 2-means again and again.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            Features.
        Y : ndarray or sparse matrix of shape (n_samples, n_labels)
            0/1 labels.
        arity : int, default=100
            Most groups below a node.
        max_leaves : int, default=100
            Most labels of a group that is not divided further; with no more labels than that there are no groups.
        random_state : int, RandomState, Generator or None
            Where 2-means starts, and which 200,000 rows say what labels are about where there are more.
        """
        random = generator(random_state)
        profiles = _profiles(X, Y, random)
        parent, label = [], []
        waiting = [(-1, np.arange(profiles.shape[0]))]
        for node, members in waiting:
            if len(members) <= max_leaves:
                parent += [node] * len(members)
                label += members.tolist()
                continue
            parts = _parts(profiles, members, min(arity, -(-len(members) // max_leaves)), random)
            for part in parts:
                alone = len(part) == 1
                if not alone:
                    waiting.append((len(parent), part))
                parent.append(node)
                label.append(int(part[0]) if alone else -1)
        return cls(np.array(parent, dtype=np.int64), np.array(label, dtype=np.int64))


def _columns(ways: list[tuple[Ints, Ints]]) -> tuple[list[Ints], list[Ints]]:
    return [labels for labels, _ in ways], [nodes for _, nodes in ways]


def _profiles(X: Any, Y: Any, random: np.random.Generator) -> Any:
    """Return what rows with each label look like on average, at length 1, (n_labels, n_features)."""
    Y = sparse.csr_matrix(Y).astype(np.float64)
    if Y.shape[0] > _MOST_ROWS:
        rows = np.sort(random.permutation(Y.shape[0])[:_MOST_ROWS])
        X, Y = X[rows], Y[rows]
    profiles = sparse.csr_matrix(Y.T @ sparse.csr_matrix(X, dtype=np.float64))
    lengths = np.sqrt(np.asarray(profiles.multiply(profiles).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1.0 / np.where(lengths > 0, lengths, 1.0)) @ profiles)


def _parts(profiles: Any, members: Ints, n_parts: int, random: np.random.Generator) -> list[Ints]:
    """Return groups of members as equal in number as can be, members of each ascending."""
    if n_parts == 1:
        return [members]
    left = n_parts // 2
    first, second = _halves(profiles, members, round(len(members) * left / n_parts), random)
    return _parts(profiles, first, left, random) + _parts(profiles, second, n_parts - left, random)


def _halves(profiles: Any, members: Ints, size: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Return so many members, and the others, by 2-means of directions whose sizes are held."""
    own = profiles[members]
    pair = own[random.permutation(len(members))[:2]]
    centres: Floats = np.asarray(pair.todense())
    chosen = np.zeros(len(members), dtype=np.bool_)
    for _ in range(_MOST_ROUNDS):
        order = np.argsort(-np.asarray(own @ (centres[0] - centres[1])).ravel(), kind="stable")
        before, chosen = chosen, np.zeros(len(members), dtype=np.bool_)
        chosen[order[:size]] = True
        if np.array_equal(before, chosen):
            break
        centres = np.stack([np.asarray(own[part].mean(axis=0)).ravel() for part in (chosen, ~chosen)])
        centres /= np.maximum(np.sqrt(np.square(centres).sum(axis=1, keepdims=True)), 1e-300)
    return members[chosen], members[~chosen]
