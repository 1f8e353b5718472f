"""Greedy search by the local criterion [OCC 43]: each label chooses its own features."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.features._greedy_kernels import grow
from plait.features.criterion_terms import Choice, CriterionTerms
from plait.features.pair_memory import PairMemory
from plait.features.plane_arrays import LabelRows
from plait.features.thread_map import Threads
from plait.features.ties import TIE_TOLERANCE

__all__ = ["search_by_label"]

Chosen = tuple[npt.NDArray[np.int64], Floats]

# Labels that are prepared together, and the bytes that their bits may take.
_CHUNK_LABELS, _CHUNK_BYTES = 8, 1 << 26
# Bytes of all counted pairs, for all threads; where that is too little, each thread counts what it needs.
_ALL_PAIRS_BYTES, _SOME_PAIRS_BYTES = 1 << 27, 1 << 26


def search_by_label(terms: CriterionTerms, n_wanted: int, threads: Threads) -> Iterator[Chosen]:
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
    terms.open(choice)
    while choice.n_chosen < n_wanted:
        before = choice.n_chosen
        choice.n_chosen = grow(
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
