"""Greedy search by the general criterion: all labels together [OCC 42], or each label by itself [OCC 43].

I(X_m;Y_j) + beta_j sum_{k in Pa_j} I(Y_j;Y_k|X_m) + gamma sum_{n in S} I(Y_j;X_n|X_m)
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import numpy as np

from plait.core.arrays import Floats
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import Threads
from plait.core.progress_bar import progress
from plait.core.ties import TIE_TOLERANCE
from plait.counts import Codes, SparseCodes, Vocabulary
from plait.features.engine.arrangement import Arrangement, LabelRows, PairMemory, Planes, label_rows
from plait.features.engine.criterion import N_BLOCKS, Choice, Chosen, GeneralCriterion, SmallSearch

__all__ = ["search"]

_criterion_kernels = lazy_module("plait.features.engine._criterion_kernels")


# Cells (rows x planes x planes, and rows x planes x planes of a column x labels x features to choose) from which on
# kernels pay; NumPy takes some 20 ms for as many.
_MANY_CELLS = 1 << 26


def search(
    criterion: GeneralCriterion,
    x: Codes,
    y: Codes,
    parents: Sequence[Sequence[int]],
    n_wanted: int,
    by_label: bool,
    n_jobs: int | None = None,
) -> list[Chosen]:
    """Return the candidates in the order chosen and their scores, for each label, or once for all labels together.

    Parameters
    ----------
    criterion : GeneralCriterion
        Weights and options.
    x, y : SparseCodes or PackedCodes
        Features, each with more than one symbol, and labels 0/1.
    parents : sequence of sequences of int
        Labels on which each label depends.
    n_wanted : int
        How many features to choose.
    by_label : bool
        Whether each label chooses for itself.
    n_jobs : int, optional
        Threads; the result is the same, bit for bit, for any number.
    """
    n_symbols = int(np.diff(x.vocabulary.offsets).max(initial=0))
    n_planes, n_labels = x.vocabulary.n_planes, y.vocabulary.n_planes
    n_cells = x.n_rows * n_planes * (n_planes + n_symbols * n_labels * n_wanted)
    if not kernels_pay(n_cells, _MANY_CELLS):
        small = SmallSearch(criterion, x, y, parents)
        return small.by_label(n_wanted) if by_label else [small.together(n_wanted)]
    terms = CriterionTerms(criterion, x, y, parents)
    with Threads(n_jobs) as threads:
        if by_label:
            return list(progress(_search_by_label(terms, n_wanted, threads), "Choosing features", terms.n_labels))
        return [_search_together(terms, n_wanted, threads)]


class CriterionTerms:
    """Features that vary, labels and their parents, with the weights of the general criterion.

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
        self._y = y.sparse()
        used = criterion.beta != 0 and any(len(group) > 0 for group in parents)
        self.arranged = Arrangement.of(x, self._y if used else _no_columns(x.n_rows))
        self._parents = parents if used else [()] * len(parents)
        # Candidates in the order of features.
        self.features = np.argsort(self.planes.names)

    @property
    def planes(self) -> Planes:
        """What kernels read."""
        return self.arranged.planes

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self._parents)

    def label_rows(self, labels: Sequence[int], most_bytes: int) -> LabelRows:
        """Return some labels as kernels read them."""
        return label_rows(self._y, labels, self.arranged, most_bytes)

    def gammas(self, n_steps: int) -> Floats:
        """Return gamma and gamma times the number of chosen features for each step, in bits for each unit."""
        shares = self.criterion.shares(n_steps)
        return self.planes.bits * np.stack(
            (self.criterion.gammas(n_steps), 0.0 * shares if self.criterion.marginal else shares)
        )

    def add_start(self, label: int, place: int, labels: LabelRows, memory: PairMemory, choice: Choice) -> None:
        """Add the first two terms of a label, which has a place in `labels`, to a choice."""
        parents = np.array(self._parents[label], dtype=np.int64) + self.planes.names.size
        beta, sums = self.criterion.beta_of(parents.size), np.zeros(choice.base.size)
        sums_of = (choice.relevance, choice.base, choice.conditional)
        done = _criterion_kernels.add_start(parents, 0, beta, place, labels, self.planes, memory.space, sums, *sums_of)
        while done < parents.size:
            memory.count(parents[done : done + 1])
            done = _criterion_kernels.add_start(
                parents, done, beta, place, labels, self.planes, memory.space, sums, *sums_of
            )


def _no_columns(n_rows: int) -> SparseCodes:
    return SparseCodes(Vocabulary.binary(0), np.zeros(n_rows + 1, dtype=np.int64), np.empty(0, dtype=np.uint32))


# Bytes of the bits of all labels, and of the counted pairs of each thread.
_LABEL_BYTES, _PAIR_BYTES = 1 << 28, 1 << 26


def _search_together(terms: CriterionTerms, n_wanted: int, threads: Threads) -> Chosen:
    """Return the candidates in the order chosen, and their scores; the same, bit for bit, for any number of threads."""
    blocks = [
        _LabelBlock(terms, part.tolist()) for part in np.array_split(np.arange(terms.n_labels), N_BLOCKS) if part.size
    ]
    memories = [PairMemory(terms.arranged, _PAIR_BYTES) for _ in range(threads.n_threads)]
    workers = [(memory, blocks[k :: threads.n_threads]) for k, memory in enumerate(memories)]
    choice = _started(terms, n_wanted, blocks, workers, threads)
    weights, shares = terms.gammas(n_wanted)
    for t in progress(range(choice.n_chosen, n_wanted), "Choosing features"):
        if t > 0 and weights[t] != 0.0:
            threads.map(partial(_add_column, terms, int(choice.ranking[t - 1])), workers)
            choice.sums[:] = sum(block.sums for block in blocks)
        if t > 0:
            choice.base += (shares[t] - shares[t - 1]) * choice.conditional
        planes = terms.planes
        best = _criterion_kernels.best_candidate(
            choice.base, choice.sums, weights[t], planes.runs, planes.names, TIE_TOLERANCE
        )
        choice.choose(best, choice.base[best] + weights[t] * choice.sums[best])
    return terms.planes.names[choice.ranking], choice.scores


class _LabelBlock:
    """Some labels, and what they add up to."""

    def __init__(self, terms: CriterionTerms, members: Sequence[int]):
        self.members = members
        share = _LABEL_BYTES * len(members) // max(terms.n_labels, 1)
        self.rows: LabelRows = terms.label_rows(members, share)
        self.sums = np.zeros(terms.planes.names.size)
        self.start = Choice(terms.planes.names.size, 0)


Worker = tuple[PairMemory, list[_LabelBlock]]


def _started(
    terms: CriterionTerms, n_wanted: int, blocks: list[_LabelBlock], workers: list[Worker], threads: Threads
) -> Choice:
    threads.map(partial(_add_starts, terms), workers)
    choice = Choice(terms.planes.names.size, n_wanted)
    for block in blocks:
        choice.relevance += block.start.relevance
        choice.base += block.start.base
        choice.conditional += block.start.conditional
    choice.open(terms.criterion, terms.features)
    return choice


def _add_starts(terms: CriterionTerms, worker: Worker) -> None:
    memory, blocks = worker
    for block in blocks:
        for place, label in enumerate(block.members):
            terms.add_start(label, place, block.rows, memory, block.start)


def _add_column(terms: CriterionTerms, column: int, worker: Worker) -> None:
    memory, blocks = worker
    if memory.space.places[column, 0] < 0:
        memory.count(np.array([column]))
    for block in blocks:
        if terms.criterion.marginal:
            _criterion_kernels.add_shared(column, len(block.members), terms.planes, memory.space, block.sums)
        else:
            _criterion_kernels.add_all_triples(column, block.rows, terms.planes, memory.space, block.sums)


# Labels that are prepared together, and the bytes that their bits may take.
_CHUNK_LABELS, _CHUNK_BYTES = 8, 1 << 26
# Bytes of all counted pairs, for all threads; where that is too little, each thread counts what it needs.
_ALL_PAIRS_BYTES, _SOME_PAIRS_BYTES = 1 << 27, 1 << 26


def _search_by_label(terms: CriterionTerms, n_wanted: int, threads: Threads) -> Iterator[Chosen]:
    """Yield for each label the candidates in the order chosen, and their scores.

    The chosen features and their scores are the same, bit for bit, for any number of threads.
    """
    gammas = terms.gammas(n_wanted)
    memories = _Memories(terms, gammas, threads)
    size = max(1, min(_CHUNK_LABELS, terms.n_labels // (2 * threads.n_threads)))
    chunks = [range(first, min(first + size, terms.n_labels)) for first in range(0, terms.n_labels, size)]
    if threads.n_threads == 1:
        for chunk in chunks:
            yield from _chunk(terms, chunk, gammas, memories)
        return
    with ThreadPoolExecutor(threads.n_threads) as pool:
        done: Iterator[list[Chosen]] = pool.map(list, [_chunk(terms, chunk, gammas, memories) for chunk in chunks])
        for results in done:
            yield from results


class _Memories:
    """Hands each thread a memory of pairs: all of them counted beforehand where most will be asked for and they fit."""

    def __init__(self, terms: CriterionTerms, gammas: Floats, threads: Threads):
        self._terms = terms
        self._idle: list[PairMemory] = []
        self._all: PairMemory | None = None
        n_asked = terms.n_labels * np.count_nonzero(gammas[0])
        if n_asked >= terms.planes.names.size:
            memory = PairMemory(terms.arranged, _ALL_PAIRS_BYTES)
            if memory.holds_all:
                memory.count_all(threads)
                self._all = memory

    def take(self) -> PairMemory:
        # Asking first whether there is one would let another thread take it in between.
        with suppress(IndexError):
            return self._idle.pop()
        return PairMemory(self._terms.arranged, _SOME_PAIRS_BYTES) if self._all is None else self._all.beside()

    def give_back(self, memory: PairMemory) -> None:
        self._idle.append(memory)


def _chunk(terms: CriterionTerms, chunk: Sequence[int], gammas: Floats, memories: _Memories) -> Iterable[Chosen]:
    memory = memories.take()
    labels = terms.label_rows(chunk, _CHUNK_BYTES)
    for place, label in enumerate(chunk):
        yield _choose(terms, label, place, labels, memory, gammas)
    memories.give_back(memory)


def _choose(
    terms: CriterionTerms, label: int, place: int, labels: LabelRows, memory: PairMemory, gammas: Floats
) -> Chosen:
    planes, n_wanted = terms.planes, gammas.shape[1]
    choice = Choice(planes.names.size, n_wanted)
    terms.add_start(label, place, labels, memory, choice)
    choice.open(terms.criterion, terms.features)
    while choice.n_chosen < n_wanted:
        before = choice.n_chosen
        choice.n_chosen = _criterion_kernels.grow(
            before,
            choice.base,
            choice.conditional,
            gammas,
            terms.criterion.marginal,
            place,
            labels,
            planes,
            memory.space,
            TIE_TOLERANCE,
            choice.sums,
            choice.ranking,
            choice.scores,
        )
        if choice.n_chosen < n_wanted:
            memory.count(choice.ranking[choice.n_chosen - 1 : choice.n_chosen])
    return planes.names[choice.ranking], choice.scores
