"""Greedy search by the global criterion [OCC 42]: all labels choose together."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.progress_bar import progress
from plait.features._greedy_kernels import add_all_triples, add_shared, best_candidate
from plait.features.criterion_terms import Choice, CriterionTerms
from plait.features.pair_memory import PairMemory
from plait.features.plane_arrays import LabelRows
from plait.features.thread_map import Threads
from plait.features.ties import TIE_TOLERANCE

__all__ = ["search_together"]

Chosen = tuple[npt.NDArray[np.int64], Floats]

# Labels are summed in so many blocks, whatever the number of threads, so that rounding is the same.
_N_BLOCKS = 16
# Bytes of the bits of all labels, and of the counted pairs of each thread.
_LABEL_BYTES, _PAIR_BYTES = 1 << 28, 1 << 26


def search_together(terms: CriterionTerms, n_wanted: int, threads: Threads) -> Chosen:
    """Return the candidates in the order chosen, and their scores; the same, bit for bit, for any number of threads."""
    blocks = [
        _Block(terms, part.tolist()) for part in np.array_split(np.arange(terms.n_labels), _N_BLOCKS) if part.size
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
        best = best_candidate(choice.base, choice.sums, weights[t], planes.runs, planes.names, TIE_TOLERANCE)
        choice.choose(best, choice.base[best] + weights[t] * choice.sums[best])
    return terms.planes.names[choice.ranking], choice.scores


class _Block:
    """Some labels, and what they add up to."""

    def __init__(self, terms: CriterionTerms, members: Sequence[int]):
        self.members = members
        share = _LABEL_BYTES * len(members) // max(terms.n_labels, 1)
        self.rows: LabelRows = terms.label_rows(members, share)
        self.sums = np.zeros(terms.planes.names.size)
        self.start = Choice(terms.planes.names.size, 0)


Worker = tuple[PairMemory, list[_Block]]


def _started(
    terms: CriterionTerms, n_wanted: int, blocks: list[_Block], workers: list[Worker], threads: Threads
) -> Choice:
    threads.map(partial(_add_starts, terms), workers)
    choice = Choice(terms.planes.names.size, n_wanted)
    for block in blocks:
        choice.relevance += block.start.relevance
        choice.base += block.start.base
        choice.conditional += block.start.conditional
    terms.open(choice)
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
            add_shared(column, len(block.members), terms.planes, memory.space, block.sums)
        else:
            add_all_triples(column, block.rows, terms.planes, memory.space, block.sums)
