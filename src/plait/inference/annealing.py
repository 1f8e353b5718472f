"""`Annealing`: modes of mixtures by simulated annealing."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bits, Bools, Floats, Ints, Labels
from plait.core.checks import Constraint, Interval
from plait.core.lazy_modules import lazy_module
from plait.inference.inference import Inference
from plait.inference.label_support import LabelSupport
from plait.inference.max_product import best_of_polytree
from plait.inference.messages.message_plan import compiled_messages, takes_messages
from plait.inference.messages.mixture_tables import as_mixture, has_tables, parts_take_messages, tables_in_blocks
from plait.inference.messages.polytree_scores import known_labels
from plait.inference.search.branch_and_bound import best_vectors
from plait.inference.search.component_lists import Search, all_listed, bound_beyond, takes_lists, threshold_search
from plait.inference.search.label_tables import LogTable, enumerated_blocks, table_serves
from plait.inference.search.prefixes import Found, best_distinct, refuse_margins
from plait.joint import (
    GraphDistribution,
    LabelDistribution,
    LinearDistribution,
    MixtureDistribution,
    row_seeds,
    row_uniforms,
)

__all__ = ["Annealing", "anneal"]

_kernels = lazy_module("plait.inference.messages._mixtures")


# A component whose graph is no polytree is searched with no more nodes than this for each row.
_MOST_NODES = 10**4


class Annealing(Inference):
    """Search the mode of a mixture from the best of its components' modes [MC, section 5.4].

    Every component's mode is found (on forests and polytrees by max-product, on other graphs by best-first search) and
    weighed under the mixture. From the best of them `n_steps` labels are proposed, each flipped with probability
    min(1, (P(flipped) / P) ** (1 / T)) while the temperature T falls; from the best vector visited single labels are
    flipped as long as that gains. What is found is never less probable than any component's mode, and has at least
    1 / n_components of the true mode's probability where the components' modes are exact, since
    max P <= sum_k w_k max P_k <= n_components * max_k P(mode of k). Where it reaches sum_k w_k max P_k, as it does
    where all components agree and where there is one only, it is the mode, and `exact` says so. `BestFirst` proves
    more.

    With `n_best` > 1 the best vectors of all components are weighed, and the best of these and what annealing found
    are handed on. Each row has its own stream of random numbers (`plait.joint.row_seeds`), so that rows in blocks give
    what they give together.

    Takes a table of all conditionals for each row, at most 64 MiB at once; where a label has more than ten parents,
    whole label vectors are weighed at every step instead, and of more than 128 labels only those 64 are flipped that
    the components are least sure of at the start.

    Parameters
    ----------
    n_steps : int, default=150
        Steps of annealing [MC, section 6.1]; 0 only climbs.
    first_temperature, last_temperature : float, default=1.0 and 0.01
        Temperatures of the first and the last step; those between fall by the same factor from step to step.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> from plait.joint import LinearDistribution, MixtureDistribution
    >>> from plait.structure import LabelGraph
    >>> alike, unlike = np.array([[0.0, 0.0], [6.0, 0.0]]), np.array([[0.0, -6.0], [0.0, 0.0]])
    >>> first = LinearDistribution(LabelGraph([[], [0]]), np.array([[0.1, -3.0]]), alike)
    >>> second = LinearDistribution(LabelGraph([[1], []]), np.array([[3.0, 0.2]]), unlike)
    >>> mixture = MixtureDistribution(np.log([0.6, 0.4]), [first, second])
    >>> support = Annealing().infer(mixture, random_state=0)
    >>> support.mode(), np.exp(support.log_weights).round(3), support.exact
    (array([[1, 1]], dtype=uint8), array([[0.31]]), array([False]))
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "n_steps": (Interval(int, 0, None),),
        "first_temperature": (Interval(float, 0, None, closed="neither"),),
        "last_temperature": (Interval(float, 0, None, closed="neither"),),
    }

    def __init__(self, n_steps: int = 150, first_temperature: float = 1.0, last_temperature: float = 0.01) -> None:
        self.n_steps = n_steps
        self.first_temperature = first_temperature
        self.last_temperature = last_temperature

    def _infer(self, distribution: LabelDistribution, wanted: str, n_best: int, random_state: Any) -> LabelSupport:
        refuse_margins("Annealing", distribution)
        seeds = row_seeds(random_state, distribution.n_rows)
        found = anneal(as_mixture(distribution), n_best, _searched, self._temperatures(), seeds)
        return LabelSupport.of_search(found, f"annealing with {self.n_steps} steps")

    def _temperatures(self) -> npt.NDArray[np.float64]:
        return np.geomspace(self.first_temperature, self.last_temperature, self.n_steps)


def _searched(part: GraphDistribution, n_best: int, reached: Floats) -> Found:
    return best_vectors(part, n_best, _MOST_NODES, reached=reached)[0]


# What label vectors are weighed by.
Weighing = LabelDistribution | LogTable

# The streams of numbers that pick labels, and that decide whether a step is taken.
_PICKS, _CHANCES = 1, 2
# Gains below this may be rounding.
_GAIN = 1e-10
# Of more labels than the first, weighed by calls, only as many as the second are flipped.
_MANY_LABELS, _FLIPPED = 128, 64
# Steps of many rows at once: tables of so many entries are held (32 MiB).
_TABLE_ENTRIES = 1 << 22


def anneal(mixture: MixtureDistribution, n_best: int, search: Search, temperatures: Floats, seeds: Bits) -> Found:
    """Return the best vectors of every row among the components' best ones and what annealing finds from the first.

    A vector that is among the `n_best` best of no component has at most P = sum_c w_c (component c's last one's):
    where what was found reaches that, it is proved. One vector found has at least 1 / n_components of the mode's
    probability, where the components' modes are exact.

    Parameters
    ----------
    mixture : MixtureDistribution
        Flat.
    n_best : int
        How many vectors are wanted.
    search : callable
        Finds the best vectors of a component whose graph is no polytree.
    temperatures : ndarray of float64, shape (n_steps,)
        One for each step; none leaves only the climb from the best start.
    seeds : ndarray of uint64, shape (n_rows,)
        Of the rows.
    """
    if takes_lists(mixture) and not parts_take_messages(mixture):
        found, rows, listed, bound = threshold_search(mixture, n_best, search)
        if rows.size:
            found.put(rows, _annealed(mixture.take(rows), n_best, listed, bound, temperatures, seeds[rows]))
        return found
    parts = [part for part in mixture.components if isinstance(part, GraphDistribution)]
    compiled = not table_serves(mixture) and compiled_messages(*parts)
    lists = [_best_of(part, n_best, search, compiled) for part in mixture.components]
    return _annealed(mixture, n_best, all_listed(lists), bound_beyond(mixture, lists), temperatures, seeds)


def _annealed(
    mixture: MixtureDistribution, n_best: int, listed: Found, bound: Floats, temperatures: Floats, seeds: Bits
) -> Found:
    """Return the best vectors of every row among those listed and what annealing finds from their best."""
    # Places that are not used hold any vector.
    unused = listed.log_weights == -np.inf
    logs, walked, walked_logs = _walked(mixture, listed.vectors, unused, temperatures, seeds)
    best, best_logs = _kept(n_best, listed.vectors, logs, walked, walked_logs)
    return Found(best, best_logs, best_logs[:, -1] >= bound, listed.n_evaluations + temperatures.size)


def _best_of(part: LabelDistribution, n_best: int, search: Search, compiled: bool) -> Found:
    """Return the best vectors of a component; of one of unknown form, any that agrees with the evidence."""
    n_vectors = int(min(n_best, 2.0 ** min(part.n_labels, 62)))
    if isinstance(part, GraphDistribution) and takes_messages(part):
        vectors, log_weights = best_of_polytree(part, n_vectors, compiled)
        n_evaluations = np.full(part.n_rows, sum(1 << len(group) for group in part.graph.parents))
        return Found(vectors, log_weights, np.ones(part.n_rows, dtype=np.bool_), n_evaluations)
    if isinstance(part, GraphDistribution):
        return search(part, n_vectors, np.full(part.n_rows, -np.inf))
    any_vector = np.zeros((part.n_rows, n_vectors, part.n_labels), dtype=np.uint8)
    if part.evidence is not None:
        any_vector[:] = (part.evidence == 1)[:, None]
    log_weights = np.full((part.n_rows, n_vectors), -np.inf)
    log_weights[:, 0] = part.log_prob(any_vector[:, 0])
    nothing = np.zeros(part.n_rows, dtype=np.int64)
    return Found(any_vector, log_weights, np.zeros(part.n_rows, dtype=np.bool_), nothing)


def _walked(
    mixture: MixtureDistribution,
    starts: Labels,
    unused: Bools,
    temperatures: Floats,
    seeds: Bits,
) -> tuple[Floats, Labels, Floats]:
    """Return log P of all starts, and the vector found from the best of each row with its own."""
    if table_serves(mixture):
        return _walked_in_table(mixture, starts, unused, temperatures, seeds)
    if not all(has_tables(part) for part in mixture.components):
        logs = np.where(unused, -np.inf, mixture.log_prob(starts))
        picks, hurdles = proposals(temperatures, seeds)
        return logs, *walk_by_calls(mixture, _first(starts, logs), picks, hurdles)
    logs, walked, walked_logs = np.empty(starts.shape[:2]), starts[:, 0].copy(), np.empty(mixture.n_rows)
    for rows, graphs, tables in tables_in_blocks(mixture):
        numbers = (graphs, mixture.log_weights, tables)
        _kernels.score_rows(*numbers, starts[rows], logs[rows])
        logs[rows][unused[rows]] = -np.inf
        walked[rows] = _first(starts[rows], logs[rows])
        known = known_labels(mixture.evidence, rows)
        steps = proposals(temperatures, seeds[rows], compiled=True)
        _kernels.anneal_rows(*numbers, known, *steps, walked[rows], walked_logs[rows])
    return logs, walked, walked_logs


def _walked_in_table(
    mixture: MixtureDistribution, starts: Labels, unused: Bools, temperatures: Floats, seeds: Bits
) -> tuple[Floats, Labels, Floats]:
    """Return the same by looking up the table of all label vectors."""
    logs, walked, walked_logs = np.empty(starts.shape[:2]), starts[:, 0].copy(), np.empty(mixture.n_rows)
    for rows, probabilities in enumerated_blocks("Annealing", mixture, _TABLE_ENTRIES):
        with np.errstate(divide="ignore"):
            table = LogTable(np.log(probabilities), None if mixture.evidence is None else mixture.evidence[rows])
        logs[rows] = np.where(unused[rows], -np.inf, table.log_prob(starts[rows]))
        first = _first(starts[rows], logs[rows])
        walked[rows], walked_logs[rows] = walk_by_calls(table, first, *proposals(temperatures, seeds[rows]))
    return logs, walked, walked_logs


def proposals(temperatures: Floats, seeds: Bits, compiled: bool = False) -> tuple[Floats, Floats]:
    """Return which label each step flips, as numbers from 0 to 1, and what it has to gain: T log u."""
    picks = row_uniforms(seeds, temperatures.size, _PICKS, compiled)
    return picks, temperatures * np.log(row_uniforms(seeds, temperatures.size, _CHANCES, compiled))


def _first(vectors: Labels, logs: Floats) -> Labels:
    return np.ascontiguousarray(vectors[np.arange(len(vectors)), logs.argmax(axis=1)])


def _kept(n_best: int, vectors: Labels, logs: Floats, walked: Labels, walked_logs: Floats) -> tuple[Labels, Floats]:
    """Return the best vectors that differ, best first."""
    n_vectors = int(min(n_best, 2.0 ** min(walked.shape[1], 62)))
    if n_vectors == 1:
        return walked[:, None], walked_logs[:, None]
    vectors = np.concatenate([walked[:, None], vectors], axis=1)
    logs = np.concatenate([walked_logs[:, None], logs], axis=1)
    pairs = [best_distinct(*row, n_vectors) for row in zip(vectors, logs, strict=True)]
    shape = (len(pairs), n_vectors)
    best = np.array([pair[0] for pair in pairs], dtype=np.uint8).reshape(*shape, walked.shape[1])
    return best, np.array([pair[1] for pair in pairs]).reshape(shape)


def walk_by_calls(distribution: Weighing, vectors: Labels, picks: Floats, hurdles: Floats) -> tuple[Labels, Floats]:
    """Anneal and climb from one vector a row, all rows at once, by whole log probabilities: for any distribution.

    Parameters
    ----------
    distribution : LabelDistribution or LogTable
        P(y | x) of several rows.
    vectors : ndarray of uint8, shape (n_rows, n_labels)
        Where to start.
    picks, hurdles : ndarray of float64, shape (n_rows, n_steps)
        Which of the free labels each step flips, and what it has to gain.
    """
    free = np.ones(vectors.shape, dtype=bool) if distribution.evidence is None else distribution.evidence < 0
    places, n_free = _places(distribution, vectors, free)
    rows, moving = np.arange(len(vectors)), n_free > 0
    here, total = vectors.copy(), distribution.log_prob(vectors)
    best, top = here.copy(), total.copy()
    for step in range(picks.shape[1]):
        flipped = here.copy()
        labels = places[rows, np.minimum((picks[:, step] * n_free).astype(np.int64), np.maximum(n_free - 1, 0))]
        flipped[rows[moving], labels[moving]] ^= 1
        there = distribution.log_prob(flipped)
        taken = moving & (there - total >= hurdles[:, step])
        here[taken], total[taken] = flipped[taken], there[taken]
        better = total > top + _GAIN
        best[better], top[better] = here[better], total[better]
    return _climbed(distribution, best, top, free)


def _places(distribution: Weighing, vectors: Labels, free: Bools) -> tuple[Ints, Ints]:
    """Return the labels to flip, first in each row, and how many; of many, those some component is least sure of."""
    parts = distribution.components if isinstance(distribution, MixtureDistribution) else ()
    linear = [part for part in parts if isinstance(part, LinearDistribution)]
    if vectors.shape[1] <= _MANY_LABELS or not linear or len(linear) < len(parts):
        return np.argsort(~free, axis=1, kind="stable"), free.sum(axis=1)
    signs = np.where(vectors == 1, 1.0, -1.0)
    odds = np.minimum.reduce([signs * part.scores_at(vectors) for part in linear])
    order = np.argsort(np.where(free, odds, np.inf), axis=1, kind="stable")
    return order[:, :_FLIPPED], np.minimum(free.sum(axis=1), _FLIPPED)


def _climbed(distribution: Weighing, vectors: Labels, logs: Floats, free: Bools) -> tuple[Labels, Floats]:
    """Flip the label that gains most until none does, in all rows that still move."""
    rows = np.arange(len(vectors))
    while rows.size:
        part, own = distribution.take(rows), np.arange(rows.size)
        places, n_free = _places(part, vectors[rows], free[rows])
        columns = np.arange(places.shape[1])
        flipped = np.repeat(vectors[rows, None, :], columns.size, axis=1)
        flipped[own[:, None], columns, places] ^= 1
        there = np.where(columns < n_free[:, None], part.log_prob(flipped), -np.inf)
        best = there.argmax(axis=1)
        winner, reached = places[own, best], there[own, best]
        moves = reached > logs[rows] + _GAIN
        rows, winner, reached = rows[moves], winner[moves], reached[moves]
        vectors[rows, winner] ^= 1
        logs[rows] = reached
    return vectors, logs
