"""`HierarchyDistribution`: P(y | x) of labels at the leaves of a hierarchy, groups of labels above them [PLT].

Notation
--------
z_v   : whether one of the labels below node v is there; of a leaf the label itself
p_v   : P(z_v = 1 | z_parent(v) = 1, x); a node whose parent is 0 is 0; the root is always 1
L_v   : P(what is known below v | z_v = 1, x), a product over children c of (1 - p_c) A_c + p_c L_c
A_c   : 1 where nothing below c is known to be there, else 0

Groups are summed over, so this is a distribution of label sets like any other; given what is known it is one of the
same kind, with p_c L_c / ((1 - p_c) A_c + p_c L_c) in the place of p_c.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Bools, Floats, Ints, Labels
from plait.core.logspace import log_sigmoid
from plait.joint.distribution import Evidence, LabelDistribution, joined_evidence
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.joint.row_streams import row_seeds, row_uniforms
from plait.structure.label_hierarchy import LabelHierarchy

__all__ = ["HierarchyDistribution"]


@dataclass(frozen=True, eq=False)
class HierarchyDistribution(LabelDistribution):
    """P(y | x) of several rows by a probabilistic label tree.

    Parameters
    ----------
    hierarchy : LabelHierarchy
        Groups and labels.
    node_scores : ndarray of float64, shape (n_rows, n_nodes)
        Log-odds of each node where its parent is 1.
    evidence : ndarray of int8, shape (n_rows, n_labels), optional
        Labels that are known; -1 where unknown.

    Examples
    --------
    >>> two_groups = LabelHierarchy(np.array([-1, -1, 0, 0, 1]), np.array([-1, -1, 2, 0, 1]))
    >>> model = HierarchyDistribution(two_groups, np.zeros((1, 5)))
    >>> np.exp(model.log_prob(np.array([[1, 0, 0]], dtype=np.uint8)))  # 1/2 for its group, 1/4 in it, 3/4 no other
    array([0.09375])
    """

    hierarchy: LabelHierarchy
    node_scores: Floats
    evidence: Evidence | None = None
    draws_given: ClassVar[bool] = True

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return int(self.node_scores.shape[0])

    @property
    def n_labels(self) -> int:  # type: ignore[override]
        """Number of labels."""
        return self.hierarchy.n_labels

    def _clipped(self) -> Floats:
        return np.clip(self.node_scores, -SCORE_LIMIT, SCORE_LIMIT)

    def _upward(self, scores: Floats, known: Any) -> tuple[Floats, Floats, Floats]:
        """Return log (1 - p) A and log p L of every node, and log P(what is known); `known` is -1, 0 or 1."""
        tree, nodes = self.hierarchy, self.hierarchy.node_of_label
        off, on = log_sigmoid(-scores), log_sigmoid(scores)
        off[:, nodes] = np.where(known == 1, -np.inf, off[:, nodes])
        on[:, nodes] = np.where(known == 0, -np.inf, on[:, nodes])
        whole = np.zeros(len(scores))
        for level, parents, starts in reversed(tree.levels):
            sums = np.add.reduceat(np.logaddexp(off[:, level], on[:, level]), starts, axis=1)
            if parents[0] < 0:
                whole = sums[:, 0]
                break
            on[:, parents] += sums
            # A group in which something is known to be there is there.
            there = np.logical_or.reduceat(np.isneginf(off[:, level]), starts, axis=1)
            off[:, parents] = np.where(there, -np.inf, off[:, parents])
        return off, on, whole

    def log_odds(self) -> tuple[Floats, Floats]:
        """Return the log-odds of each node, its parent 1, given what is known, and log P(what is known)."""
        scores = self._clipped()
        if self.evidence is None:
            return scores, np.zeros(self.n_rows)
        off, on, whole = self._upward(scores, self.evidence)
        return on - off, whole

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x)."""
        vectors, scores = Y if Y.ndim == 3 else Y[:, None, :], self._clipped()
        total = np.column_stack([self._upward(scores, vectors[:, m])[2] for m in range(vectors.shape[1])])
        if self.evidence is not None:
            known = self.evidence[:, None, :]
            total[((known >= 0) & (known != vectors)).any(axis=2)] = -np.inf
        return total if Y.ndim == 3 else total[:, 0]

    def flip_log_ratios(self, Y: Labels) -> Floats:
        """Return what flipping each label does to log P(y | x): only the nodes on the way to it change."""
        tree, scores = self.hierarchy, self._clipped()
        off, on, _ = self._upward(scores, Y)
        terms, plain = np.logaddexp(off, on), log_sigmoid(-scores)
        counts = np.asarray((tree.ancestors.T @ Y.T.astype(np.int64)).T)
        nodes, sign = tree.node_of_label, 1 - 2 * Y.astype(np.int64)
        change = np.where(Y == 1, plain[:, nodes], log_sigmoid(scores[:, nodes])) - terms[:, nodes]
        ratios, labels = np.empty(Y.shape), np.arange(self.n_labels)
        while True:
            nodes = tree.parent[nodes]
            done = nodes < 0
            ratios[:, labels[done]] = change[:, done]
            labels, nodes, change = labels[~done], nodes[~done], change[:, ~done]
            if not labels.size:
                return ratios
            empty = counts[:, nodes] + sign[:, labels] == 0
            after = np.where(empty, plain[:, nodes], -np.inf)
            change = np.logaddexp(after, on[:, nodes] + change) - terms[:, nodes]

    def marginals(self) -> tuple[Floats, Floats]:
        """Return P(y_k = 1 | x, what is known), (n_rows, n_labels), and log P(what is known)."""
        scores, known = self.log_odds()
        return np.exp(self._down(scores)), known

    def log_marginals(self) -> Floats:
        """Return log P(y_k = 1 | x), what is known left aside."""
        return self._down(self._clipped())

    def _down(self, scores: Floats) -> Floats:
        """Return the log probabilities of the labels: sums along the ways from the root."""
        logs = log_sigmoid(scores)
        for level, parents, _ in self.hierarchy.levels:
            if parents[0] >= 0:
                logs[:, level] += logs[:, self.hierarchy.parent[level]]
        return np.asarray(logs[:, self.hierarchy.node_of_label])

    def modes(self) -> tuple[Labels, Floats]:
        """Return the most probable label set of every row, and its log P(y | x); between equals a label is absent."""
        scores, known = self.log_odds()
        without, best = self._best_below(scores)
        tree, chosen = self.hierarchy, np.zeros(scores.shape, dtype=np.bool_)
        log_prob = known
        for level, parents, starts in tree.levels:
            gains = best[:, level] - without[:, level]
            wanted = gains > 0
            if parents[0] < 0:
                chosen[:, level] = wanted
                log_prob = log_prob + np.maximum(best[:, level], without[:, level]).sum(axis=1)
                continue
            # Something must be there below a group that is there: the best, where nothing else would.
            none = ~np.logical_or.reduceat(wanted, starts, axis=1)
            wanted |= _repeated(none, starts, wanted.shape[1]) & _first_largest(gains, starts)
            chosen[:, level] = wanted & chosen[:, tree.parent[level]]
        return chosen[:, tree.node_of_label].astype(np.uint8), log_prob

    def _best_below(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return, of every node whose parent is 1, log P(nothing below), and log P(the best set that is not empty)."""
        off, on = log_sigmoid(-scores), log_sigmoid(scores)
        without, best = off.copy(), on.copy()
        for level, parents, starts in reversed(self.hierarchy.levels):
            if parents[0] < 0:
                break
            empty = np.add.reduceat(without[:, level], starts, axis=1)
            gains = best[:, level] - without[:, level]
            most = np.add.reduceat(np.maximum(without[:, level], best[:, level]), starts, axis=1)
            most += np.minimum(np.maximum.reduceat(gains, starts, axis=1), 0.0)
            without[:, parents] = np.logaddexp(off[:, parents], on[:, parents] + empty)
            best[:, parents] = on[:, parents] + most
        return without, best

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw label sets from the top down, given what is known: exact draws, all weighing P(what is known)."""
        scores, known = self.log_odds()
        tree, chances = self.hierarchy, np.exp(log_sigmoid(scores))
        numbers = row_uniforms(row_seeds(random_state, self.n_rows), n_samples * tree.n_nodes)
        values = numbers.reshape(self.n_rows, n_samples, tree.n_nodes) < chances[:, None, :]
        for level, parents, _ in tree.levels:
            if parents[0] >= 0:
                values[:, :, level] &= values[:, :, tree.parent[level]]
        return values[:, :, tree.node_of_label].astype(np.uint8), np.repeat(known[:, None], n_samples, axis=1)

    def clamp(self, evidence: Evidence) -> "HierarchyDistribution":
        """Return the distribution restricted to what agrees with the evidence."""
        return replace(self, evidence=joined_evidence(self.evidence, evidence, (self.n_rows, self.n_labels)))

    def tempered(self, factor: float) -> "HierarchyDistribution":
        """Return the distribution with all log-odds multiplied by a factor."""
        return replace(self, node_scores=factor * self.node_scores)

    def take(self, rows: Any) -> "HierarchyDistribution":
        """Return the distribution of some rows."""
        evidence = None if self.evidence is None else self.evidence[rows]
        return replace(self, node_scores=self.node_scores[rows], evidence=evidence)


def _repeated(values: Any, starts: Ints, size: int) -> Any:
    """Return the value of each group for each of its members."""
    return np.repeat(values, np.diff(np.append(starts, size)), axis=1)


def _first_largest(values: Floats, starts: Ints) -> Bools:
    """Return where the first of the largest values of each group stands."""
    size = values.shape[1]
    largest = values == _repeated(np.maximum.reduceat(values, starts, axis=1), starts, size)
    places = np.where(largest, np.arange(size), size)
    return np.asarray(places == _repeated(np.minimum.reduceat(places, starts, axis=1), starts, size))
