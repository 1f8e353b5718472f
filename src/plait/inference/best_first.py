"""`BestFirst`: the most probable label vectors, proved, or as close as epsilon says."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Bools, Floats
from plait.core.checks import Constraint, Interval, Nothing
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import warn_user
from plait.inference.annealing import anneal
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.messages.mixture_tables import parts_take_messages, tables_in_blocks
from plait.inference.messages.polytree_scores import known_labels
from plait.inference.search.branch_and_bound import best_vectors, tabulated
from plait.inference.search.component_lists import takes_lists
from plait.inference.search.label_tables import table_serves
from plait.inference.search.prefixes import Found, refuse_margins, require_probabilities
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution, row_seeds

__all__ = ["BestFirst", "SearchWarning"]

_kernels = lazy_module("plait.inference.messages._mixture_search")

# Log probabilities this little below log epsilon still count as epsilon.
_SLACK = 1e-12
_MOST_NODES = 10**6
# A node of a mixture costs the messages of all components, there and back.
_MOST_MIXTURE_NODES = 10**4
# Rows of a mixture that lists did not prove are looked up in the table of all vectors, up to 15 labels.
_MOST_TABULATED = 2**15 - 1


class SearchWarning(UserWarning):
    """A search stopped before it had proved its answer."""


class BestFirst(Inference):
    """Search the most probable label vectors; epsilon trades the proof for a bound on time [PCC, algorithm 2].

    With `epsilon=0` the vectors found are the most probable ones of all, and `exact` says so. With `epsilon=2 ** -k`
    prefixes less probable than that are not searched but completed greedily: the mode is found wherever its
    probability is at least epsilon (`exact` is True there), what is found is never less probable than the greedy
    vector, falls short of the mode by at most 2 ** -k - 2 ** -n_labels [PCC, theorem 2], and takes at most
    n_labels * 2 ** k expansions. `epsilon=0.5` is greedy. Epsilon counts the known labels' probability in.
    The algorithm as printed compares completions with epsilon, below which they all are, and then has no answer; here
    the most probable completion is the answer.

    Where `max_nodes` is not enough for a row, its answer is the best of what was found, greedy, and a beam of width 100
    (10 where a learner is called); `exact` is False there, and one `SearchWarning` says for how many rows. A row whose
    mode has probability p takes at least about 1 / (2 p) nodes, so that flat distributions over many labels cannot be
    finished.

    Of a mixture whose components are forests or polytrees, sets of known labels are searched instead of prefixes. No
    completion is more probable than sum_k w_k max P_k, and the max-marginals of the components give that bound for both
    values of every label at once; values that cannot reach what was found are ruled out, and the search branches on
    the label on which the components disagree most. A node costs the messages of all components, there and back, but
    a few nodes are enough for most rows; up to 10 labels one is, the table of all vectors. Components of any other
    graph are searched one by one. Where all are linear, each lists its best vectors: a vector on no list has at most
    sum_k w_k (P_k of the last on list k), and short lists prove most rows [Fagin2003]; up to 15 labels the table of all
    vectors proves the rest, else the mixture is climbed from the best vectors listed, see `Annealing`.

    Takes 8 * n_labels ** 2 bytes for a linear chain; for other learners one byte for each label and prefix of a level,
    at most about a million prefixes unless a single row has more. A mixture takes a table of all conditionals for each
    row, at most 64 MiB at once.

    Parameters
    ----------
    epsilon : float, default=0.0
        Probability of the prefixes that are not searched, from 0 to 1; 2 ** -k in the theory.
    max_nodes : int, optional
        Most prefixes expanded for each row. By default 10 ** 6 for `epsilon=0`, else n_labels / epsilon, which is
        always enough; 10 ** 4 nodes for a mixture of polytrees.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.
    [Fagin2003] Fagin, Lotem and Naor: Optimal aggregation algorithms for middleware, 2003.

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> effects = np.array([[0.0, 0.0], [-3.0, 0.0]])
    >>> P = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.1, 3.0]]), effects)
    >>> support = BestFirst().infer(P, n_best=2)
    >>> support.vectors
    array([[[0, 1],
            [1, 0]]], dtype=uint8)
    >>> np.exp(support.log_weights).round(3), support.exact
    (array([[0.452, 0.262]]), array([ True]))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "epsilon": (Interval(float, 0, 1),),
        "max_nodes": (Interval(int, 1, None), Nothing()),
    }

    def __init__(self, epsilon: float = 0.0, max_nodes: int | None = None) -> None:
        self.epsilon = epsilon
        self.max_nodes = max_nodes

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        if isinstance(distribution, MixtureDistribution):
            refuse_margins("BestFirst", distribution)
            most, found, finished = self._in_mixture(distribution.flattened(), n_best, random_state)
        else:
            tree = require_probabilities("BestFirst", distribution)
            most = self._most_nodes(tree.n_labels)
            found, finished = best_vectors(tree, n_best, most, self._floor())
        if not finished.all():
            warn_user(
                f"BestFirst stopped at max_nodes={most} in {(~finished).sum()} of {distribution.n_rows} rows: their "
                "answer is the best that was found, not proved to be the mode. Raise max_nodes or epsilon, or use "
                "MonteCarlo.",
                SearchWarning,
            )
        method = "best-first" if self.epsilon == 0 else f"best-first with epsilon {self.epsilon:g}"
        return LabelSupport.of_search(found, method)

    def _in_mixture(self, mixture: MixtureDistribution, n_best: int, random_state: Any) -> tuple[int, Found, Bools]:
        """Return the limit of nodes, what was found, and in which rows the limit was not met."""
        if parts_take_messages(mixture):
            most = _MOST_MIXTURE_NODES if self.max_nodes is None else self.max_nodes
            return most, *search_mixture(mixture, n_best, most, self._floor())
        most = self._most_nodes(mixture.n_labels)
        ended = []

        def search(part: GraphDistribution, n_vectors: int, reached: Floats) -> Found:
            found, finished = best_vectors(part, n_vectors, most, self._floor(), reached)
            ended.append(finished)
            return found

        found = anneal(mixture, n_best, search, np.empty(0), row_seeds(random_state, mixture.n_rows))
        stopped = np.full(mixture.n_rows, not all(finished.all() for finished in ended))
        rows = np.flatnonzero(~found.exact)
        if rows.size and takes_lists(mixture) and 2**mixture.n_labels - 1 <= min(most, _MOST_TABULATED):
            found.put(rows, tabulated(mixture.take(rows), found.vectors.shape[1], 2**mixture.n_labels - 1))
        return most, found, found.exact | ~stopped

    def _floor(self) -> float:
        return math.log(self.epsilon) - _SLACK if self.epsilon > 0 else -math.inf

    def _most_nodes(self, n_labels: int) -> int:
        if self.max_nodes is not None:
            return self.max_nodes
        return _MOST_NODES if self.epsilon == 0 else math.ceil(max(n_labels, 1) / self.epsilon)


def search_mixture(
    mixture: MixtureDistribution, n_best: int, most: int, floor: float = -math.inf
) -> tuple[Found, Bools]:
    """Return the best vectors of every row, and for which rows `most` nodes were enough.

    Parameters
    ----------
    mixture : MixtureDistribution
        Flat, its components' graphs polytrees.
    n_best : int
        How many vectors are wanted.
    most : int
        Most nodes for each row; each costs the messages of all components, there and back.
    floor : float, default=-inf
        log P of what is not searched for.
    """
    n_rows, n_labels = mixture.n_rows, mixture.n_labels
    n_vectors = int(min(n_best, 2.0 ** min(n_labels, 62)))
    if table_serves(mixture):
        return tabulated(mixture, n_vectors, 1), np.ones(n_rows, dtype=np.bool_)
    found = Found(
        np.zeros((n_rows, n_vectors, n_labels), dtype=np.uint8),
        np.full((n_rows, n_vectors), -np.inf),
        np.zeros(n_rows, dtype=np.bool_),
        np.zeros(n_rows, dtype=np.int64),
    )
    finished = np.zeros(n_rows, dtype=np.bool_)
    for rows, graphs, logs in tables_in_blocks(mixture):
        _kernels.search_mixtures(
            graphs,
            mixture.log_weights,
            logs,
            known_labels(mixture.evidence, rows),
            min(most, 2**62),
            floor,
            found.vectors[rows],
            found.log_weights[rows],
            finished[rows],
            found.exact[rows],
            found.n_evaluations[rows],
        )
    return found, finished
