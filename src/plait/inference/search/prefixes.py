"""`Prefixes`: many prefixes of many rows at one level of the probability tree, grown label by label."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bools, Floats, Ints, Labels
from plait.core.logspace import log_sigmoid
from plait.core.sentences import ParameterError
from plait.joint import GraphDistribution, LabelDistribution

__all__ = [
    "Found",
    "best_distinct",
    "Prefixes",
    "best_of_rows",
    "next_scores",
    "rank_in_row",
    "refuse_margins",
    "require_probabilities",
    "require_tree",
]


def refuse_margins(owner: str, distribution: LabelDistribution) -> None:
    """Raise where scores are margins, which only greedy decisions can use."""
    if not getattr(distribution, "probabilistic", True):
        raise ParameterError(
            f"{owner} needs a learner that gives probabilities, but this one gives decisions only. "
            "Use Greedy(), or a probabilistic learner such as LogisticLearner()."
        )


def require_tree(owner: str, distribution: LabelDistribution) -> GraphDistribution:
    """Return the distribution if its labels can be decided one after the other, else raise."""
    if not isinstance(distribution, GraphDistribution):
        raise ParameterError(
            f"{owner} needs a distribution over a label graph, but it is a {type(distribution).__name__}, which has no "
            "order of labels to walk along. Use BestFirst() or Annealing() for a mixture, else MonteCarlo()."
        )
    return distribution


def require_probabilities(owner: str, distribution: LabelDistribution) -> GraphDistribution:
    """Return the distribution if its labels can be decided one after the other by probabilities, else raise."""
    refuse_margins(owner, distribution)
    return require_tree(owner, distribution)


def next_scores(tree: GraphDistribution, label: int, rows: Ints, vectors: Labels) -> Floats:
    """Return the scores of one label for prefixes: row numbers, and vectors (m, n_labels) filled up to the label.

    The only place where a search asks the distribution: one that depends on whole prefixes instead of parents would
    be asked here.
    """
    return tree.scores(label, rows, vectors[:, list(tree.graph.parents[label])])


def child_log_probs(tree: GraphDistribution, label: int, rows: Ints, scores: Floats) -> tuple[Floats, Floats]:
    """Return log P(label = 0) and log P(label = 1) for prefixes; -inf for a value that contradicts the evidence."""
    zero, one = log_sigmoid(-scores), log_sigmoid(scores)
    if tree.evidence is not None:
        known = tree.evidence[rows, label]
        zero[known == 1] = -np.inf
        one[known == 0] = -np.inf
    return zero, one


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Prefixes sorted by row, then the smallest first.

    Parameters
    ----------
    rows : ndarray of int64, shape (m,)
        The row of each prefix.
    vectors : ndarray of uint8, shape (m, n_labels)
        Labels decided so far, 0 elsewhere.
    log_prob : ndarray of float64, shape (m,)
        log P of each prefix.
    """

    rows: Ints
    vectors: Labels
    log_prob: Floats

    @classmethod
    def roots(cls, tree: GraphDistribution) -> "Prefixes":
        """Return the empty prefix of every row."""
        return cls(np.arange(tree.n_rows), np.zeros((tree.n_rows, tree.n_labels), np.uint8), np.zeros(tree.n_rows))

    def children(self, tree: GraphDistribution, label: int) -> Floats:
        """Return log P of every prefix with the label 0 and 1, (m, 2); -inf against the evidence. One call."""
        scores = next_scores(tree, label, self.rows, self.vectors)
        zero, one = child_log_probs(tree, label, self.rows, scores)
        return self.log_prob[:, None] + np.column_stack([zero, one])

    def grown(self, label: int, children: Floats, kept: Bools) -> "Prefixes":
        """Return the prefixes with the label 0 or 1 where `kept` (m, 2) says so."""
        origin, value = np.nonzero(kept)
        vectors = self.vectors[origin]
        vectors[:, label] = value
        return Prefixes(self.rows[origin], vectors, children[kept])


def rank_in_row(rows: Ints, log_prob: Floats) -> npt.NDArray[np.int64]:
    """Return the rank of each entry among those of its row, 0 for the largest; equal ones in their order.

    Examples
    --------
    >>> rank_in_row(np.array([0, 0, 0, 4]), np.array([-2.0, -1.0, -1.0, -5.0]))
    array([2, 0, 1, 0])
    """
    order = np.lexsort((-log_prob, rows))
    starts = np.searchsorted(rows[order], rows[order])
    rank = np.empty(rows.size, dtype=np.int64)
    rank[order] = np.arange(rows.size) - starts
    return rank


def best_of_rows(leaves: Prefixes, n_rows: int, n_best: int) -> tuple[Labels, Floats]:
    """Return the best vectors of each row, (n_rows, n_best, n_labels), and their log P, -inf where there are fewer."""
    vectors = np.zeros((n_rows, n_best, leaves.vectors.shape[1]), dtype=np.uint8)
    log_weights = np.full((n_rows, n_best), -np.inf)
    rank = rank_in_row(leaves.rows, leaves.log_prob)
    best = rank < n_best
    vectors[leaves.rows[best], rank[best]] = leaves.vectors[best]
    log_weights[leaves.rows[best], rank[best]] = leaves.log_prob[best]
    return vectors, log_weights


@dataclass(frozen=True, eq=False)
class Found:
    """The best vectors of a search, best first.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_rows, n_best, n_labels)
        Label vectors.
    log_weights : ndarray of float64, shape (n_rows, n_best)
        log P of each; -inf where a row has fewer vectors.
    exact : ndarray of bool, shape (n_rows,)
        Whether these are proved to be the most probable ones.
    n_evaluations : ndarray of int64, shape (n_rows,)
        Conditionals evaluated.
    """

    vectors: Labels
    log_weights: Floats
    exact: npt.NDArray[np.bool_]
    n_evaluations: npt.NDArray[np.int64]

    def take(self, rows: Ints) -> "Found":
        """Return some rows."""
        return Found(self.vectors[rows], self.log_weights[rows], self.exact[rows], self.n_evaluations[rows])

    def put(self, rows: npt.NDArray[np.int64], other: "Found") -> None:
        """Put what another search found in the place of the listed rows."""
        for name in ("vectors", "log_weights", "exact", "n_evaluations"):
            getattr(self, name)[rows] = getattr(other, name)

    @classmethod
    def joined(cls, parts: Iterable["Found"]) -> "Found":
        """Return the rows of several searches, one below the other."""
        parts = list(parts)
        names = ("vectors", "log_weights", "exact", "n_evaluations")
        return cls(*(np.concatenate([getattr(found, name) for found in parts]) for name in names))


def best_distinct(vectors: Labels, log_weights: Floats, n_best: int) -> tuple[Labels, Floats]:
    """Return the best vectors that differ, best first, -inf where there are fewer."""
    best, logs = np.zeros((n_best, vectors.shape[1]), dtype=np.uint8), np.full(n_best, -np.inf)
    seen: set[bytes] = set()
    for place in np.argsort(-log_weights, kind="stable"):
        key = vectors[place].tobytes()
        if len(seen) < n_best and key not in seen and log_weights[place] > -np.inf:
            best[len(seen)], logs[len(seen)] = vectors[place], log_weights[place]
            seen.add(key)
    return best, logs
