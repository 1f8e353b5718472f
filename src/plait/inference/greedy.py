"""`Greedy`: decide one label after the other along the order."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Bools, Floats, Labels
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sigmoid
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.search.chain_scores import compiled_search, scores_along
from plait.inference.search.prefixes import next_scores, require_tree
from plait.joint import GraphDistribution, LabelDistribution, LinearDistribution
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["Greedy", "GreedyWalk", "greedy_walk", "level_walk"]

_kernels = lazy_module("plait.inference.search._greedy")

GreedyWalk = tuple[Labels, Floats, Bools]


class Greedy(Inference):
    """Decide one label after the other, each by its more probable value given those before it [PCC, algorithm 1].

    A label is 1 where its score is above 0; known labels keep their values. One conditional for each label and row,
    and the only search that also works with learners that give margins; then `log_weights` are 0. The vector is the
    mode wherever its probability is above 1/2, and `exact` says more: it is True where no vector that leaves the walk
    can be more probable, because the prefix at which it would leave already is not. Against the mode it can lose up to
    1/2 - 2^-q in subset loss [PCC, theorem 1].

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> effects = np.array([[0.0, 0.0], [-3.0, 0.0]])  # label 0 speaks against label 1
    >>> P = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.5, 1.0], [-0.5, 1.0]]), effects)
    >>> support = Greedy().infer(P)
    >>> support.mode()
    array([[1, 0],
           [0, 1]], dtype=uint8)
    >>> support.exact
    array([ True,  True])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {}

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        tree = require_tree("Greedy", distribution)
        labels, log_prob, exact = greedy_walk(tree)
        counts = np.full(tree.n_rows, tree.n_labels, dtype=np.int64)
        return LabelSupport(labels[:, None, :], log_prob[:, None], "modes", "greedy", exact, n_evaluations=counts)


def greedy_walk(tree: GraphDistribution) -> GreedyWalk:
    """Return greedy labels (n_rows, n_labels), their log P (0 for margins), and which are proved to be modes."""
    if not isinstance(tree, LinearDistribution):
        return level_walk(tree)
    return _compiled_walk(tree) if compiled_search(tree) else _linear_walk(tree)


def _compiled_walk(distribution: LinearDistribution) -> GreedyWalk:
    chain = scores_along(distribution)
    n_rows, n_labels = chain.base.shape
    labels = np.empty((n_rows, n_labels), dtype=np.uint8)
    log_prob, proved = np.zeros(n_rows), np.zeros(n_rows, dtype=np.bool_)
    numbers = (chain.base, chain.effects, chain.reach, chain.known, chain.limit)
    if n_labels <= _kernels.MOST_TOGETHER:
        room = np.full((3, n_labels, _kernels.ROWS_TOGETHER), -1.0)
        _kernels.greedy_together(*numbers, room, labels, log_prob, proved)
    else:
        _kernels.greedy_rows(*numbers, np.empty(n_labels), np.empty(n_labels), labels, log_prob, proved)
    return chain.by_label(labels), log_prob, proved


def _linear_walk(distribution: LinearDistribution) -> GreedyWalk:
    """Decide label by label, adding what each one that is 1 adds to the scores of later ones."""
    chain = scores_along(distribution)
    scores, labels = chain.base.copy(), np.empty(chain.base.shape, dtype=np.uint8)
    for t, reach in enumerate(chain.reach):
        known = chain.known[:, t]
        labels[:, t] = np.where(known >= 0, known, scores[:, t] > 0)
        scores[:, t + 1 : reach] += labels[:, t, None] * chain.effects[t, t + 1 : reach]
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
