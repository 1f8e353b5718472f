"""Walks along a chain: its numbers as the kernels take them, and greedy walks with the proof that one is the mode."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bools, Floats, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sigmoid
from plait.inference.search.prefixes import next_scores
from plait.joint import GraphDistribution, LinearDistribution
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.joint.linear_distribution import ParentEffects

__all__ = ["ChainScores", "GreedyWalk", "compiled_search", "greedy_walk", "level_walk", "scores_along"]

_kernels = lazy_module("plait.inference.search._walks")
_few_kernels = lazy_module("plait.inference.search._few_parents")


# From this many labels on kernels walk along chains; with fewer a table of all label vectors or NumPy along the labels
# takes a few milliseconds for hundreds of rows.
KERNELS_FROM = 11


@dataclass(frozen=True, eq=False)
class ChainScores:
    """Scores, effects and known labels, all in the order of the chain.

    Parameters
    ----------
    base : ndarray of float64, shape (n_rows, n_labels)
        Scores where no parent is 1.
    effects : ParentEffects
        What a label adds to the scores of later ones.
    reach : ndarray of int64, shape (n_labels,)
        Each label touches labels below this place only.
    known : ndarray of int8, shape (n_rows, n_labels) or (1, n_labels)
        Known labels, -1 where unknown; one row where nothing is known.
    limit : float
        Bound on scores, 0 where they are margins.
    order : ndarray of int64, or None
        The label at each place; None where that is the labels' own order.
    """

    base: Floats
    effects: ParentEffects
    reach: npt.NDArray[np.int64]
    known: npt.NDArray[np.int8]
    limit: float
    order: npt.NDArray[np.int64] | None

    def by_label(self, vectors: Labels) -> Labels:
        """Return vectors (..., n_labels) with labels in their own order."""
        if self.order is None:
            return vectors
        placed = np.empty_like(vectors)
        placed[..., self.order] = vectors
        return placed


def compiled_search(distribution: LinearDistribution) -> bool:
    """Say whether kernels walk along a chain: where it has many labels."""
    return kernels_pay(distribution.n_labels, KERNELS_FROM)


def scores_along(distribution: LinearDistribution, bounded: bool = False) -> ChainScores:
    """Return the numbers of a linear distribution along its order; copies them only where the order is another one.

    `bounded` moves scores, which may be infinite, to where they are clipped whatever the parents add: their
    exponentials, times those of the effects, are numbers.
    """
    layout = distribution.along_the_order()
    base = np.ascontiguousarray(distribution.base, dtype=np.float64)
    known = distribution.evidence
    known = np.full((1, base.shape[1]), -1, dtype=np.int8) if known is None else known
    if layout.order is not None:
        base, known = np.ascontiguousarray(base[:, layout.order]), known[:, layout.order]
    if bounded:
        base = layout.bounded(base)
    limit = SCORE_LIMIT if distribution.probabilistic else 0.0
    return ChainScores(base, layout, layout.reach, np.ascontiguousarray(known), limit, layout.order)


GreedyWalk = tuple[Labels, Floats, Bools]


def greedy_walk(tree: GraphDistribution) -> GreedyWalk:
    """Return greedy labels (n_rows, n_labels), their log P (0 for margins), and which are proved to be modes."""
    if not isinstance(tree, LinearDistribution) or (tree.few_parents and not compiled_search(tree)):
        return level_walk(tree)
    return _compiled_walk(tree) if compiled_search(tree) else _linear_walk(tree)


def _compiled_walk(distribution: LinearDistribution) -> GreedyWalk:
    chain = scores_along(distribution)
    n_rows, n_labels = chain.base.shape
    labels = np.empty((n_rows, n_labels), dtype=np.uint8)
    log_prob, proved = np.zeros(n_rows), np.zeros(n_rows, dtype=np.bool_)
    room = np.empty(n_labels), np.empty(n_labels)
    if chain.effects.few:
        starts, parents, weights, _ = chain.effects.by_child
        few = (chain.base, starts, parents, weights, chain.reach, chain.known, chain.limit)
        _few_kernels.greedy_few(*few, *room, labels, log_prob, proved)
        return chain.by_label(labels), log_prob, proved
    numbers = (chain.base, chain.effects.matrix, chain.reach, chain.known, chain.limit)
    if n_labels <= _kernels.MOST_TOGETHER:
        lanes = np.full((3, n_labels, _kernels.ROWS_TOGETHER), -1.0)
        _kernels.greedy_together(*numbers, lanes, labels, log_prob, proved)
    else:
        _kernels.greedy_rows(*numbers, *room, labels, log_prob, proved)
    return chain.by_label(labels), log_prob, proved


def _linear_walk(distribution: LinearDistribution) -> GreedyWalk:
    """Decide label by label, adding what each one that is 1 adds to the scores of later ones."""
    chain = scores_along(distribution)
    scores, labels = chain.base.copy(), np.empty(chain.base.shape, dtype=np.uint8)
    for t, reach in enumerate(chain.reach):
        known = chain.known[:, t]
        labels[:, t] = np.where(known >= 0, known, scores[:, t] > 0)
        scores[:, t + 1 : reach] += labels[:, t, None] * chain.effects.matrix[t, t + 1 : reach]
    favour = np.where(labels == 1, scores, -scores)
    touches = chain.reach > np.arange(1, chain.reach.size + 1)
    return chain.by_label(labels), *_judged(favour, (chain.known < 0) & touches, chain.limit)


def level_walk(tree: GraphDistribution) -> GreedyWalk:
    """Return the same for any distribution over a graph, all rows at once, label by label."""
    rows = np.arange(tree.n_rows)
    labels = np.zeros((tree.n_rows, tree.n_labels), dtype=np.uint8)
    # Scores in favour of the value taken, along the order.
    favour, open_flips = np.empty((tree.n_rows, tree.n_labels)), np.ones((tree.n_rows, tree.n_labels), dtype=np.bool_)
    for place, label in enumerate(tree.graph.order):
        scores = next_scores(tree, label, rows, labels)
        labels[:, label] = scores > 0
        open_flips[:, place] = bool(tree.graph.children[label])
        if tree.evidence is not None:
            known = tree.evidence[:, label]
            labels[:, label] = np.where(known >= 0, known, labels[:, label])
            open_flips[known >= 0, place] = False
        favour[:, place] = np.where(labels[:, label] == 1, scores, -scores)
    return labels, *_judged(favour, open_flips, SCORE_LIMIT if tree.probabilistic else 0.0)


def _judged(favour: Floats, open_flips: Bools, limit: float) -> tuple[Floats, Bools]:
    """Return log P of walks, 0 where scores are margins, and for which no vector that leaves them is more probable.

    A vector that leaves the walk has at most the probability of the prefix at which it does: log P(flip) must be at
    most log P of all that follows. Known labels cannot be flipped, and a label without children never gains by it.
    """
    if limit == 0.0:
        return np.zeros(len(favour)), np.zeros(len(favour), dtype=np.bool_)
    favour = np.clip(favour, -limit, limit)
    log_values = log_sigmoid(favour)
    following = log_values[:, ::-1].cumsum(axis=1)[:, ::-1] - log_values
    return log_values.sum(axis=1), np.asarray(~((-favour > following) & open_flips).any(axis=1))
