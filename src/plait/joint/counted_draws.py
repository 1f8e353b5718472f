"""`CountedDraws`: samples of many rows as vectors that differ, and how often each was drawn; and how they are drawn.

Many samples of one row walk down the probability tree together: of c samples at a node, Binomial(c, p) go to its
1-child and the others to its 0-child. That is exact in distribution, and costs one draw for each prefix that differs.

Every 1-child has a stream of random numbers of its own, made from the bits that were drawn at its parent, and the root
has that of the row. So the draws do not depend on the order in which nodes are visited: the plain walk, level by level,
and the compiled one, depth first, draw the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from plait.core.arrays import Bits, Floats, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sigmoid
from plait.joint.distribution import Evidence
from plait.joint.row_streams import STEP, mixed, uniforms_of
from plait.structure import LabelGraph

__all__ = ["KERNELS_FROM", "LARGEST_SPREAD", "CountedDraws", "Sizes", "binomials", "draw_by_levels", "draw_linear"]

_kernels = lazy_module("plait.joint._draw_kernels")

# How many samples: the same for all rows, or a number for each.
Sizes = int | npt.NDArray[np.int64]
Scores = Callable[[int, Ints, Labels], Floats]

# From this many labels on kernels draw. With fewer a row has at most 2 ** 10 vectors, and levels in NumPy are fast
# enough: 1,000 samples of 593 rows with 6 labels take 19 ms, compiled 3 ms after seconds of compilation.
KERNELS_FROM = 11
# Parents that move a score by more, up and down, leave scores whose exponentials are no numbers: walks then add effects
# to scores, where they multiply odds otherwise.
LARGEST_SPREAD = 300.0
# Vectors and ones that a block of rows has room for, unless one row needs more.
_VECTORS, _ONES = 1 << 15, 1 << 18
# Means up to this are searched from zero: there P(0) is far from the smallest number.
_FEW = 20.0


@dataclass(frozen=True, eq=False)
class CountedDraws:
    """Vectors that differ, row after row, as lists of the labels that are 1: a few bytes for each of them.

    Parameters
    ----------
    n_labels : int
        Number of labels.
    row_starts : ndarray of int64, shape (n_rows + 1,)
        Where the vectors of each row start.
    counts : ndarray of int64, shape (m,)
        How often each vector was drawn.
    log_prob : ndarray of float64, shape (m,)
        log P(y | x) of each vector, evidence not divided out.
    log_weights : ndarray of float64, shape (m,)
        log P of the known labels given the others' draws; 0 without evidence.
    one_starts : ndarray of int64, shape (m + 1,)
        Where the ones of each vector start.
    ones : ndarray of int32
        Labels that are 1.
    n_evaluations : ndarray of int64, shape (n_rows,)
        Conditionals evaluated.
    mean_conditionals : ndarray of float64, shape (n_rows, n_labels)
        P(y_k = 1 | x, parents) at the parents' values that were drawn, averaged over all samples: without evidence the
        marginals, with less noise than frequencies have (Rao-Blackwell); with evidence samples are to be weighed.
    """

    n_labels: int
    row_starts: Ints
    counts: Ints
    log_prob: Floats
    log_weights: Floats
    one_starts: Ints
    ones: npt.NDArray[np.int32]
    n_evaluations: Ints
    mean_conditionals: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.row_starts.size - 1

    def padded(self) -> tuple[Labels, Ints, Floats, Floats]:
        """Return vectors (n_rows, most, n_labels), counts, log P and log weights (n_rows, most); counts 0 pad them."""
        sizes = np.diff(self.row_starts)
        shape = (self.n_rows, int(sizes.max(initial=1)))
        vectors = np.zeros((*shape, self.n_labels), dtype=np.uint8)
        used = np.arange(shape[1]) < sizes[:, None]
        if self._compiled:
            _kernels.fill_vectors(self.row_starts, self.one_starts, self.ones, vectors)
        else:
            vectors[used] = self._vectors()
        counts, log_prob, log_weights = np.zeros(shape, np.int64), np.full(shape, -np.inf), np.full(shape, -np.inf)
        counts[used], log_prob[used], log_weights[used] = self.counts, self.log_prob, self.log_weights
        return vectors, counts, log_prob, log_weights

    def expanded(self, n_samples: int, seeds: Bits) -> tuple[Labels, Floats]:
        """Return every sample, each row's in random order: (n_rows, n_samples, n_labels), and their log weights.

        A row with fewer samples has them in its first places, then zeros.
        """
        # A stream of its own: the draws used the one that starts at the seed.
        states = mixed(~seeds)
        if self.counts.size and not self._compiled:
            sizes, leaf = self._shuffled(n_samples, states)
            vectors, log_weights = self._vectors().take(leaf, axis=0), self.log_weights.take(leaf)
            unused = np.arange(n_samples) >= sizes[:, None]
            vectors[unused], log_weights[unused] = 0, 0.0
            return vectors, log_weights
        vectors = np.zeros((self.n_rows, n_samples, self.n_labels), dtype=np.uint8)
        log_weights = np.zeros((self.n_rows, n_samples))
        if self.counts.size:
            leaves = (self.row_starts, self.counts, self.log_weights, self.one_starts, self.ones)
            _kernels.expand_rows(*leaves, states, vectors, log_weights)
        return vectors, log_weights

    @property
    def _compiled(self) -> bool:
        return kernels_pay(self.n_labels, KERNELS_FROM)

    def _vectors(self) -> Labels:
        """Return all vectors, (m, n_labels)."""
        vectors = np.zeros((self.counts.size, self.n_labels), dtype=np.uint8)
        vectors[np.repeat(np.arange(self.counts.size), np.diff(self.one_starts)), self.ones] = 1
        return vectors

    def _shuffled(self, n_samples: int, states: Bits) -> tuple[Ints, Ints]:
        """Return how many samples each row has, and which vector each of them is, in random order."""
        row_of = np.repeat(np.arange(self.n_rows), np.diff(self.row_starts))
        sizes = np.bincount(row_of, weights=self.counts, minlength=self.n_rows).astype(np.int64)
        places = np.arange(n_samples)[:, None]
        which = np.zeros((self.n_rows, n_samples), dtype=np.int64)
        which[sizes[:, None] > places.T] = np.repeat(np.arange(self.counts.size), self.counts)
        # One more sample of those not yet taken, all equally likely, changes places with the one at hand.
        left = np.maximum(sizes - places, 1)
        numbers = uniforms_of(mixed(states + places.astype(np.uint64) * STEP))
        others = (places + np.minimum((numbers * left).astype(np.int64), left - 1)) * self.n_rows
        others += np.arange(self.n_rows)
        flat = np.ascontiguousarray(which.T).ravel()
        for here, other in zip(flat.reshape(n_samples, self.n_rows), others, strict=True):
            taken = flat[other]
            flat[other] = here
            here[:] = taken
        return sizes, np.ascontiguousarray(flat.reshape(n_samples, self.n_rows).T)

    @classmethod
    def joined(cls, parts: Sequence[dict[str, Any]], n_evaluations: Ints, sums: Floats, sizes: Ints) -> "CountedDraws":
        """Return the vectors of several blocks of rows, one after the other; sizes become starts, sums means."""
        whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        starts = {name: np.concatenate([[0], whole[name].cumsum()]).astype(np.int64) for name in ("rows", "sizes")}
        kept = (whole["counts"], whole["log_prob"], whole["log_weights"])
        means = sums / np.maximum(sizes, 1)[:, None]
        return cls(sums.shape[1], starts["rows"], *kept, starts["sizes"], whole["ones"], n_evaluations, means)


def draw_linear(
    base: Floats,
    order: Ints | None,
    effects: Floats,
    additive: bool,
    reach: Ints,
    evidence: Evidence | None,
    limit: float,
    n_samples: Sizes,
    seeds: Bits,
) -> CountedDraws:
    """Return samples of a linear distribution by compiled walks.

    `base` holds scores along the order; `order` and `reach` are those of `ParentEffects`, `effects` its factors, or its
    matrix where they are added to scores. Takes 8 * n_labels ** 2 bytes (twice as many where effects are added), some
    12 bytes for each vector and each of its ones, and a block of about 2 MiB.
    """
    n_rows, n_labels = base.shape
    sizes = _sizes(n_samples, n_rows)
    most = int(sizes.max(initial=1))
    known = np.full((1, n_labels), -1, dtype=np.int8) if evidence is None else evidence
    known = np.ascontiguousarray(known if order is None else known[:, order])
    numbers = (base, effects, additive, reach, known, np.exp(limit))
    parts: list[dict[str, Any]] = []
    row, n_evaluations, sums = 0, np.zeros(n_rows, dtype=np.int64), np.zeros(base.shape)
    leaves = np.empty((max(_VECTORS, most), 2), dtype=np.int64)
    logs, ones = np.empty(leaves.shape), np.empty(max(_ONES, most * n_labels), dtype=np.int32)
    row_ends, tables = np.zeros(n_rows, dtype=np.int64), _tables(most)
    while row < n_rows or not parts:
        done = _kernels.draw_rows(
            *numbers, sizes, most, seeds, tables, row, row_ends, leaves, logs, ones, n_evaluations, sums
        )
        parts.append(_part(row_ends[row:done], leaves, logs, ones, order))
        row = done
    if order is not None:
        sums[:, order] = sums.copy()
    return CountedDraws.joined(parts, n_evaluations, sums, sizes)


def _part(
    row_ends: Ints, leaves: Ints, logs: Floats, ones: npt.NDArray[np.int32], order: Ints | None
) -> dict[str, Any]:
    """Return what a block of rows gave, copied out of its room."""
    n_leaves = int(row_ends[-1]) if row_ends.size else 0
    one_ends = leaves[:n_leaves, 1]
    placed = ones[: int(one_ends[-1]) if n_leaves else 0]
    return {
        "rows": np.diff(row_ends, prepend=0),
        "counts": leaves[:n_leaves, 0].copy(),
        "log_prob": logs[:n_leaves, 0].copy(),
        "log_weights": logs[:n_leaves, 1].copy(),
        "sizes": np.diff(one_ends, prepend=0),
        "ones": placed.copy() if order is None else order[placed].astype(np.int32),
    }


class _Nodes:
    """Prefixes of one length of all rows, the smallest of each row first, with the samples that went there."""

    def __init__(self, seeds: Bits, counts: Ints, n_labels: int) -> None:
        self.rows = np.flatnonzero(counts)
        self.vectors = np.zeros((self.rows.size, n_labels), dtype=np.uint8)
        self.counts, self.streams = counts[self.rows], seeds[self.rows]
        self.log_prob, self.log_weights = np.zeros(self.rows.size), np.zeros(self.rows.size)
        # A single sample needs one number for all labels up to its next one; below 0 before it is drawn.
        self.number, self.alive = np.full(self.rows.size, -1.0), np.ones(self.rows.size)

    def split(self, bits: Bits, odds: Floats, known: Evidence, tables: Floats) -> Ints:
        """Return how many samples of each node have the next label, by its odds; all or none where it is known."""
        chance, zero, free = uniforms_of(bits), 1.0 / (1.0 + odds), known < 0
        single = free & (self.counts == 1)
        self.number = np.where(single & (self.number < 0.0), chance, self.number)
        self.alive = np.where(single, self.alive * zero, self.alive)
        ones = np.where(free, single & (self.alive <= self.number), known * self.counts)
        # P(none) >= 1 - count * p; where p is above 1/2 outcomes are tried in another order.
        likely = (odds > 1.0) | (chance >= 1.0 - self.counts * zero * odds)
        some = np.flatnonzero(free & (self.counts > 1) & likely)
        ones[some] = binomials(self.counts[some], (zero * odds)[some], chance[some], tables)
        return ones

    def grow(self, label: int, bits: Bits, score: Floats, known: Evidence, ones: Ints) -> None:
        """Replace the nodes by those of their children that samples went to."""
        split = np.column_stack([self.counts - ones, ones])
        origin, value = np.nonzero(split)
        log_value = log_sigmoid(np.where(value == 1, score[origin], -score[origin]))
        self.rows, self.vectors, self.counts = self.rows[origin], self.vectors[origin], split[origin, value]
        self.vectors[:, label] = value
        self.log_prob = self.log_prob[origin] + log_value
        self.log_weights = self.log_weights[origin] + np.where(known[origin] >= 0, log_value, 0.0)
        self.streams = np.where(value == 1, mixed(~bits)[origin], self.streams[origin])
        self.number = np.where(value == 1, -1.0, self.number[origin])
        self.alive = np.where(value == 1, 1.0, self.alive[origin])


def draw_by_levels(
    graph: LabelGraph, scores: Scores, evidence: Evidence | None, n_samples: Sizes, seeds: Bits
) -> CountedDraws:
    """Return samples of any distribution over a graph, all rows at once, label by label.

    `scores(label, rows, parent_values)` is asked once for each label. Takes n_labels + 60 bytes for each vector.
    """
    sizes = _sizes(n_samples, seeds.size)
    nodes, tables = _Nodes(seeds, sizes, graph.n_labels), _tables(int(sizes.max(initial=1)))
    n_evaluations, sums = np.zeros(seeds.size, dtype=np.int64), np.zeros((seeds.size, graph.n_labels))
    steps = np.arange(1, graph.n_labels + 1, dtype=np.uint64) * STEP
    for label, step in zip(graph.order, steps, strict=True):
        n_evaluations += np.bincount(nodes.rows, minlength=seeds.size)
        score = np.ascontiguousarray(scores(label, nodes.rows, nodes.vectors[:, list(graph.parents[label])]))
        bits = mixed(nodes.streams + step)
        known = np.full(nodes.rows.size, -1, dtype=np.int8) if evidence is None else evidence[nodes.rows, label]
        odds = np.exp(score)
        sums[:, label] = np.bincount(nodes.rows, nodes.counts * (odds / (1.0 + odds)), minlength=seeds.size)
        nodes.grow(label, bits, score, known, nodes.split(bits, odds, known, tables))
    leaf, one = np.nonzero(nodes.vectors)
    part = {
        "rows": np.bincount(nodes.rows, minlength=seeds.size),
        "counts": nodes.counts,
        "log_prob": nodes.log_prob,
        "log_weights": nodes.log_weights,
        "sizes": np.bincount(leaf, minlength=nodes.rows.size),
        "ones": one.astype(np.int32),
    }
    return CountedDraws.joined([part], n_evaluations, sums, sizes)


def binomials(counts: Ints, p: Floats, u: Floats, tables: Floats) -> Ints:
    """Return draws of Binomial(count, p), each made from one uniform number u by inversion.

    `tables` holds log k! and 1 / k, both for k up to the largest count + 1.
    """
    rare = np.minimum(p, 1.0 - p)
    few = counts * rare <= _FEW
    drawn = np.empty(counts.size, dtype=np.int64)
    drawn[few] = _from_zero(counts[few], rare[few], u[few], tables[1])
    drawn[~few] = _from_mode(counts[~few], rare[~few], u[~few], tables)
    return np.where(p <= 0.5, drawn, counts - drawn)


def _from_zero(counts: Ints, p: Floats, u: Floats, inverses: Floats) -> Ints:
    """Return quantiles of Binomial(count, p) at u, p <= 1/2: outcomes are tried from 0 on."""
    odds, term, square, left = p / (1.0 - p), np.ones(counts.size), 1.0 - p, counts.copy()
    while left.any():
        term = np.where(left & 1, term * square, term)
        square, left = square * square, left >> 1
    drawn, u = np.zeros(counts.size, dtype=np.int64), u.copy()
    going = np.flatnonzero((u >= term) & (counts > 0))
    while going.size:
        u[going] -= term[going]
        term[going] *= odds[going] * (counts[going] - drawn[going]) * inverses[drawn[going] + 1]
        drawn[going] += 1
        going = going[(u[going] >= term[going]) & (drawn[going] < counts[going])]
    return drawn


def _from_mode(counts: Ints, p: Floats, u: Floats, tables: Floats) -> Ints:
    """Return draws of Binomial(count, p): outcomes are tried in turn above and below the mode."""
    log_factorials, inverses = tables
    odds, mode = p / (1.0 - p), ((counts + 1) * p).astype(np.int64)
    term = log_factorials[counts] - log_factorials[mode] - log_factorials[counts - mode]
    term = np.exp(term + mode * np.log(odds) + counts * np.log1p(-p))
    drawn, rest = mode.copy(), u - term
    up, down, term_up, term_down = mode.copy(), mode.copy(), term.copy(), term.copy()
    going = np.flatnonzero(rest >= 0.0)
    while going.size:
        for above in (True, False):
            can = going[up[going] < counts[going]] if above else going[down[going] > 0]
            if above:
                term_up[can] *= odds[can] * (counts[can] - up[can]) * inverses[up[can] + 1]
                up[can] += 1
            else:
                term_down[can] *= (1.0 / odds[can]) * down[can] * inverses[counts[can] - down[can] + 1]
                down[can] -= 1
            rest[can] -= (term_up if above else term_down)[can]
            ended = can[rest[can] < 0.0]
            drawn[ended] = (up if above else down)[ended]
            going = going[rest[going] >= 0.0]
        going = going[(up[going] < counts[going]) | (down[going] > 0)]
    return drawn


def _sizes(n_samples: Sizes, n_rows: int) -> Ints:
    return np.array(np.broadcast_to(n_samples, n_rows), dtype=np.int64)


def _tables(n_samples: int) -> Floats:
    """Return log k! and 1 / k for k up to n_samples + 1, with 0 for 1 / 0."""
    numbers = np.arange(n_samples + 2.0)
    return np.stack([gammaln(numbers + 1.0), 1.0 / np.maximum(numbers, 1.0) * (numbers > 0)])
