"""The general criterion [OCC 42-43], a choice by it under way, and the search through small data.

I(X_m;Y_j) + beta_j sum_{k in Pa_j} I(Y_j;Y_k|X_m) + gamma sum_{n in S} I(Y_j;X_n|X_m)

Notation
--------
content : sum of n log2 n over cells, in the whole units of `plait.information.logs`
m, n    : a candidate, and a column beside it: a parent of a label, or a chosen feature
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Bits, Floats, Ints
from plait.core.ties import first_best
from plait.counts import Codes
from plait.counts.codes import common_ones, n_ones
from plait.features.engine.column_pairs import every_count, shared_amounts
from plait.features.engine.ranking import stable_ranking

__all__ = ["N_BLOCKS", "Choice", "Chosen", "GeneralCriterion", "SmallSearch"]

Chosen = tuple[Ints, Floats]

# Labels that choose together are summed in so many blocks, whatever does the work, so that rounding is the same.
N_BLOCKS = 16


@dataclass(frozen=True)
class GeneralCriterion:
    """The weights of the terms, and the options of the released program.

    Parameters
    ----------
    beta : float, optional
        Weight of the term of each parent; 1 / (number of parents) by default.
    gamma : float, optional
        Weight of the term of each chosen feature; 1 / (number of chosen features) by default.
    marginal : bool, default=False
        Whether the last term is -I(X_m;X_n) instead of I(Y_j;X_n|X_m), as in mRMR [OCC, table 1].
    first_by_relevance : bool, default=False
        Whether the first feature is the most relevant one.
    max_candidates : int, optional
        How many of the most relevant features are candidates.
    """

    beta: float | None = None
    gamma: float | None = None
    marginal: bool = False
    first_by_relevance: bool = False
    max_candidates: int | None = None

    def beta_of(self, n_parents: int) -> float:
        """Return beta_j, which is 0 without parents."""
        if n_parents == 0:
            return 0.0
        return 1.0 / n_parents if self.beta is None else float(self.beta)

    def gammas(self, n_steps: int) -> Floats:
        """Return gamma when 0, 1, 2, ... features are chosen; 0 while there is none."""
        n_chosen = np.arange(n_steps)
        weights = 1.0 / np.maximum(n_chosen, 1) if self.gamma is None else np.full(n_steps, float(self.gamma))
        return np.where(n_chosen == 0, 0.0, weights)

    def shares(self, n_steps: int) -> Floats:
        """Return gamma times the number of chosen features, exactly 1 where gamma is 1 / that number."""
        n_chosen = np.arange(n_steps)
        return np.asarray(np.minimum(n_chosen, 1.0) if self.gamma is None else float(self.gamma) * n_chosen)


class Choice:
    """A choice under way, for one label or for all of them together.

    Parameters
    ----------
    n_candidates, n_wanted : int
        Features there are, and features to choose.

    Attributes
    ----------
    relevance, base, conditional, sums : ndarrays of shape (n_candidates,)
        See `_criterion_kernels`.
    ranking, scores : ndarrays of shape (n_wanted,)
        Chosen candidates and their scores, the first `n_chosen` of which are there.
    """

    def __init__(self, n_candidates: int, n_wanted: int):
        self.relevance, self.base, self.conditional, self.sums = np.zeros((4, n_candidates))
        self.ranking = np.empty(n_wanted, dtype=np.int64)
        self.scores = np.empty(n_wanted)
        self.n_chosen = 0

    def choose(self, candidate: int, score: float) -> None:
        """Put one candidate in the next place."""
        self.ranking[self.n_chosen], self.scores[self.n_chosen] = candidate, score
        self.base[candidate] = -np.inf
        self.n_chosen += 1

    def open(self, criterion: GeneralCriterion, features: Ints) -> None:
        """Apply the options of the released program: fewer candidates, and the most relevant feature first.

        `features` are the candidates in the order of features, by which ties are decided.
        """
        most, n_wanted = criterion.max_candidates, self.ranking.size
        if most is None and not criterion.first_by_relevance:
            return
        by_relevance = features[stable_ranking(self.relevance[features])]
        if most is not None and n_wanted >= most:
            # All candidates would be chosen; the program then ranks all features by relevance.
            first = by_relevance[:n_wanted]
        else:
            if most is not None:
                self.base[by_relevance[most:]] = -np.inf
            first = by_relevance[: min(n_wanted, 1) if criterion.first_by_relevance else 0]
        for candidate in first.tolist():
            self.choose(candidate, self.relevance[candidate])


class _Group(Choice):
    """Labels that choose together, in blocks that are added up one after the other."""

    def __init__(self, blocks: list[list[int]], n_candidates: int, n_wanted: int):
        super().__init__(n_candidates, n_wanted)
        self.blocks = blocks
        self.block_sums = np.zeros((len(blocks), n_candidates))

    def start(self, terms: Floats) -> None:
        """Add relevance, base and conditional, shape (3, n_labels, n_candidates)."""
        for block in self.blocks:
            parts = np.zeros((3, self.base.size))
            for label in block:
                parts += terms[:, label]
            self.relevance += parts[0]
            self.base += parts[1]
            self.conditional += parts[2]

    def add(self, terms: Floats) -> None:
        """Add the terms of one more chosen feature, shape (n_labels, n_candidates)."""
        for block, sums in zip(self.blocks, self.block_sums, strict=True):
            for label in block:
                sums += terms[label]
        self.sums[:] = sum(self.block_sums)


class SmallSearch:
    """Greedy search through small data: all labels in step, with all planes of candidates counted as bits.

    The same features and scores, to the last bit, as by the kernels of `criterion_search`.

    Parameters
    ----------
    criterion : GeneralCriterion
        Weights and options.
    x, y : SparseCodes or PackedCodes
        Features, each with more than one symbol, and labels 0/1.
    parents : sequence of sequences of int
        Labels on which each label depends.
    """

    def __init__(self, criterion: GeneralCriterion, x: Codes, y: Codes, parents: Sequence[Sequence[int]]):
        self.criterion = criterion
        self._n_rows, self._n_planes, self._n_labels = x.n_rows, x.vocabulary.n_planes, y.vocabulary.n_planes
        self._parents = [() if criterion.beta == 0 else tuple(group) for group in parents]
        self._offsets = x.vocabulary.offsets
        self._table, self._bits = every_count(x.n_rows)
        # Planes of features, then labels, then one that never holds.
        words = x.packed().words
        never = np.zeros((1, words.shape[1]), dtype=np.uint64)
        self._words: Bits = np.concatenate((words, y.packed().words, never))
        self._joint = common_ones(self._words, words)
        self._totals = n_ones(self._words)
        self._own = self._contents(self._totals[: self._n_planes], np.asarray(x.n_rows))

    def by_label(self, n_wanted: int) -> list[Chosen]:
        """Return for each label the candidates in the order chosen, and their scores."""
        return self._search([[[label]] for label in range(self._n_labels)], n_wanted)

    def together(self, n_wanted: int) -> Chosen:
        """Return the candidates in the order chosen by all labels together, and their scores."""
        parts = np.array_split(np.arange(self._n_labels), N_BLOCKS)
        return self._search([[part.tolist() for part in parts if part.size]], n_wanted)[0]

    def _search(self, blocks: list[list[list[int]]], n_wanted: int) -> list[Chosen]:
        n_candidates = self._offsets.size - 1
        groups = [_Group(some, n_candidates, n_wanted) for some in blocks]
        owner = np.empty(self._n_labels, dtype=np.int64)
        start = self._start()
        for k, group in enumerate(groups):
            owner[[label for block in group.blocks for label in block]] = k
            group.start(start)
            group.open(self.criterion, np.arange(n_candidates))
        weights = self._bits * self.criterion.gammas(n_wanted)
        shares = self._bits * self.criterion.shares(n_wanted) * (0.0 if self.criterion.marginal else 1.0)
        for t in range(groups[0].n_chosen if groups else n_wanted, n_wanted):
            if t > 0 and weights[t] != 0.0:
                last = np.array([group.ranking[t - 1] for group in groups])[owner]
                terms = self._redundancy(last) if self.criterion.marginal else self._triples(self._columns(last))
            for group in groups:
                if t > 0 and weights[t] != 0.0:
                    group.add(terms)
                if t > 0:
                    group.base += (shares[t] - shares[t - 1]) * group.conditional
                scores = group.base + weights[t] * group.sums
                best = first_best(scores)
                group.choose(best, scores[best])
        return [(group.ranking, group.scores) for group in groups]

    def _start(self) -> Floats:
        """Return the first two terms [OCC 42-43] of each label: alone, together, and n H(Y_j|X_m) in units."""
        n_planes, whole = self._n_planes, self._table[self._n_rows]
        with_labels = self._joint[n_planes:-1]
        sizes = self._totals[n_planes:-1]
        outside = self._contents(self._totals[:n_planes] - with_labels, self._n_rows - sizes)
        pairs = self._contents(with_labels, sizes) + outside
        left = self._own - pairs
        of_labels = (self._table[sizes] + self._table[self._n_rows - sizes])[:, None]
        most = whole - np.maximum(self._own, of_labels)
        shared = self._bits * np.maximum(np.minimum(whole - of_labels - left, most), 0)
        sums = np.zeros_like(shared)
        n_parents = np.array([len(group) for group in self._parents], dtype=np.int64)
        for k in range(n_parents.max(initial=0)):
            # Labels with fewer parents are left out afterwards.
            planes = np.array([n_planes + group[k] if k < len(group) else -1 for group in self._parents])
            sums += np.where(n_parents[:, None] > k, self._triples(planes[:, None]), 0.0)
        betas = np.array([self.criterion.beta_of(n) for n in n_parents.tolist()])[:, None] * self._bits
        base = shared + betas * (sums + n_parents[:, None] * left.astype(np.float64))
        return np.stack((shared, base, left.astype(np.float64)))

    def _columns(self, features: Ints) -> Ints:
        """Return the planes of some features side by side, filled up with one that never holds."""
        starts, ends = self._offsets[features, None], self._offsets[features + 1, None]
        places = starts + np.arange(int((ends - starts).max(initial=0)))
        return np.where(places < ends, places, len(self._words) - 1)

    def _triples(self, columns: Ints) -> Floats:
        """Return content of (label, its column, candidate) less that of (column, candidate), for all labels.

        This is -n H(Y_j|X_n,X_m) in units. `columns` has a line of planes for each label.
        """
        n_planes = self._n_planes
        own = np.arange(n_planes, n_planes + self._n_labels)
        met = self._words[columns] & self._words[own, None]
        inner = common_ones(met.reshape(-1, met.shape[-1]), self._words[:n_planes]).reshape(*columns.shape, n_planes)
        line, total, size = self._joint[columns], self._totals[columns], n_ones(met)
        margin, label = self._joint[own], self._totals[own]
        pairs = self._split(line, total, self._totals[:n_planes], np.asarray(self._n_rows))
        inside = self._split(inner, size, margin, label)
        outside = self._split(line - inner, total - size, self._totals[:n_planes] - margin, self._n_rows - label)
        return (inside + outside - pairs).astype(np.float64)

    def _split(self, counts: Ints, sizes: Ints, margins: Ints, total: Ints) -> Ints:
        """Return contents of candidates in the rows of each symbol of a column, and in those that are left for 0."""
        rest = self._contents(margins - counts.sum(axis=1), total - sizes.sum(axis=1))
        return self._contents(counts, sizes).sum(axis=1) + rest

    def _contents(self, counts: Ints, sizes: Ints) -> Ints:
        """Return contents of all candidates in groups of `sizes` rows with these counts of planes (the last axis)."""
        starts = self._offsets[:-1]
        zeros = sizes[..., None] - np.add.reduceat(counts, starts, axis=-1)
        return np.add.reduceat(self._table[counts], starts, axis=-1) + self._table[zeros]

    def _redundancy(self, features: Ints) -> Floats:
        """Return -I(X_m;X_n) in units, for all candidates m and one feature n for each label."""
        columns = self._columns(features)
        pairs = self._split(
            self._joint[columns],
            self._totals[columns],
            self._totals[: self._n_planes],
            np.asarray(self._n_rows),
        )
        own = self._own[features, None]
        return -shared_amounts(pairs, self._own, own, self._table[self._n_rows]).astype(np.float64)
