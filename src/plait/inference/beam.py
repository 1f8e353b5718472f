"""`Beam`: keep the most probable prefixes of every length."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.checks import Constraint, Interval
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.search.chain_scores import compiled_search, scores_along
from plait.inference.search.found_vectors import Found
from plait.inference.search.prefixes import Prefixes, best_of_rows, rank_in_row, require_probabilities
from plait.joint import GraphDistribution, LabelDistribution, LinearDistribution

__all__ = ["Beam", "beam_search", "level_beam"]

_kernels = lazy_module("plait.inference.search._beam")


class Beam(Inference):
    """Keep the `width` most probable prefixes of every length [Kumar2012].

    One is greedy, 2 ** (n_labels - 1) is exact; in between more is not always better. `exact` is True where no prefix
    that was dropped is more probable than the vectors found. Takes about 8 * width * n_labels bytes besides the
    answer for a linear chain, and for other learners n_labels * 2 * width bytes a row.

    Parameters
    ----------
    width : int, default=10
        How many prefixes are kept; at least `n_best`.

    References
    ----------
    [Kumar2012] Kumar, Vembu, Menon and Elkan: Learning and inference in probabilistic classifier chains with beam
    search, 2012.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> effects = np.array([[0.0, 0.0], [-3.0, 0.0]])
    >>> P = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.1, 3.0]]), effects)
    >>> Beam(width=1).infer(P).mode(), Beam(width=2).infer(P).mode()
    (array([[1, 0]], dtype=uint8), array([[0, 1]], dtype=uint8))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"width": (Interval(int, 1, None),)}

    def __init__(self, width: int = 10) -> None:
        self.width = width

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        tree = require_probabilities("Beam", distribution)
        if n_best > self.width:
            raise ParameterError(
                f"Beam needs width to be at least n_best, but it is {self.width} and n_best is {n_best}. "
                f"Pass width={n_best} or more."
            )
        return beam_search(tree, self.width, n_best).support(f"beam of width {self.width}")


def beam_search(tree: GraphDistribution, width: int, n_best: int) -> Found:
    """Return the best vectors among those reached by the `width` most probable prefixes of every length."""
    # More prefixes than there are vectors need no room.
    width = min(width, 2 ** min(tree.n_labels, 62))
    if isinstance(tree, LinearDistribution) and compiled_search(tree):
        return _linear_beam(tree, width, n_best)
    return level_beam(tree, width, n_best)


def _linear_beam(distribution: LinearDistribution, width: int, n_best: int) -> Found:
    chain = scores_along(distribution)
    n_rows, n_labels = chain.base.shape
    vectors = np.zeros((n_rows, n_best, n_labels), dtype=np.uint8)
    log_weights, left_out = np.full((n_rows, n_best), -np.inf), np.empty(n_rows)
    n_nodes = np.empty(n_rows, dtype=np.int64)
    numbers = (chain.base, chain.effects, chain.reach, chain.known, chain.limit)
    _kernels.beam_rows(*numbers, width, vectors, log_weights, left_out, n_nodes)
    return Found(chain.by_label(vectors), log_weights, log_weights[:, -1] >= left_out, n_nodes)


def level_beam(tree: GraphDistribution, width: int, n_best: int) -> Found:
    """Return the same for any distribution over a graph, all rows at once, label by label."""
    prefixes = Prefixes.roots(tree)
    left_out = np.full(tree.n_rows, -np.inf)
    n_nodes = np.zeros(tree.n_rows, dtype=np.int64)
    for label in tree.graph.order:
        n_nodes += np.bincount(prefixes.rows, minlength=tree.n_rows)
        children = prefixes.children(tree, label)
        rows = np.repeat(prefixes.rows, 2)
        kept = (rank_in_row(rows, children.ravel()) < width) & (children.ravel() > -np.inf)
        np.maximum.at(left_out, rows[~kept], children.ravel()[~kept])
        prefixes = prefixes.grown(label, children, kept.reshape(-1, 2))
    vectors, log_weights = best_of_rows(prefixes, tree.n_rows, n_best)
    return Found(vectors, log_weights, log_weights[:, -1] >= left_out, n_nodes)
