"""Iterative stratification: hand out rows to folds, rarest evidence first [Sechidis2011].

Evidence is what a row shows: its labels, or its labels and label pairs [Szymanski2017]. All numbers are integers, so
that ties are real ties on every machine: where the paper wants `size_f * positives_i / n_samples` rows of item i in
fold f, the kernels hold `n_samples` times as much.

row_starts, row_items  : items of each row, as CSR
item_starts, item_rows : rows of each item, as CSR; rows are handed out in this order
wanted[i, f]           : n_samples * (rows of item i that fold f still wants)
room[f]                : rows that fold f still takes; no fold gets more, so that sizes are exact
remaining[i]           : rows of item i without a fold
rank[i]                : which of two equally rare items goes first (the smaller)
draws[r]               : number in [0, 1) that picks among folds which want row r equally
fold[r]                : the answer; -1 before
"""

from typing import Any

import numpy as np

from plait.core.compilation import kernel

__all__ = ["distribute", "pair_items"]


@kernel
def _rarer(a: int, b: int, remaining: Any, rank: Any) -> bool:
    return remaining[a] < remaining[b] or (remaining[a] == remaining[b] and rank[a] < rank[b])


@kernel
def _rise(heap: Any, place: Any, at: int, remaining: Any, rank: Any) -> None:
    """Move the item at a position up to where no rarer item is below it; `place[i]` is where item i stands."""
    item = heap[at]
    while at > 0:
        parent = (at - 1) // 2
        if not _rarer(item, heap[parent], remaining, rank):
            break
        heap[at] = heap[parent]
        place[heap[at]] = at
        at = parent
    heap[at] = item
    place[item] = at


@kernel
def _sink(heap: Any, place: Any, n_heap: int, remaining: Any, rank: Any) -> None:
    """Move the item on top down to where no item below it is rarer."""
    item, at = heap[0], 0
    while 2 * at + 1 < n_heap:
        child = 2 * at + 1
        if child + 1 < n_heap and _rarer(heap[child + 1], heap[child], remaining, rank):
            child += 1
        if not _rarer(heap[child], item, remaining, rank):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = item
    place[item] = at


@kernel
def _fold_for(wants: Any, room: Any, draw: float) -> int:
    """Return the fold with room that wants most; of several the one with most room; of several the drawn one."""
    best, n_tied = -1, 0
    for f in range(len(room)):
        if room[f] <= 0:
            continue
        if best < 0 or wants[f] > wants[best] or (wants[f] == wants[best] and room[f] > room[best]):
            best, n_tied = f, 1
        elif wants[f] == wants[best] and room[f] == room[best]:
            n_tied += 1
    to_skip = int(draw * n_tied)
    for f in range(best, len(room)):
        if wants[f] == wants[best] and room[f] == room[best]:
            if to_skip == 0:
                return f
            to_skip -= 1
    return best


@kernel
def distribute(
    row_starts: Any,
    row_items: Any,
    item_starts: Any,
    item_rows: Any,
    wanted: Any,
    room: Any,
    rank: Any,
    draws: Any,
    fold: Any,
) -> None:
    """Fill `fold`; `wanted` and `room` end as what is left of them.

    The rarest item is on top of a heap. Handing out a row makes its other items rarer, so they rise in the heap:
    O(nonzeros * log(items)) in all, where a search of the rarest item among all would cost O(items) each time.
    """
    n_samples, n_items = len(fold), len(item_starts) - 1
    remaining = item_starts[1:] - item_starts[:-1]
    heap, place = np.arange(n_items), np.arange(n_items)
    for at in range(n_items):
        _rise(heap, place, at, remaining, rank)
    for n_heap in range(n_items - 1, -1, -1):
        item = heap[0]
        place[item] = -1
        if n_heap > 0:
            heap[0] = heap[n_heap]
            _sink(heap, place, n_heap, remaining, rank)
        for at in range(item_starts[item], item_starts[item + 1]):
            row = item_rows[at]
            if fold[row] >= 0:
                continue
            chosen = _fold_for(wanted[item], room, draws[row])
            fold[row] = chosen
            room[chosen] -= 1
            for other in row_items[row_starts[row] : row_starts[row + 1]]:
                wanted[other, chosen] -= n_samples
                remaining[other] -= 1
                if place[other] >= 0:
                    _rise(heap, place, place[other], remaining, rank)
    _distribute_rest(room, draws, fold)


@kernel
def _distribute_rest(room: Any, draws: Any, fold: Any) -> None:
    """Give each row without any evidence to a fold with most room."""
    no_wants = np.zeros(len(room), dtype=np.int64)
    for row in range(len(fold)):
        if fold[row] < 0:
            chosen = _fold_for(no_wants, room, draws[row])
            fold[row] = chosen
            room[chosen] -= 1


@kernel
def pair_items(row_starts: Any, row_labels: Any, pair_starts: Any, pair_labels: Any, out_starts: Any, out: Any) -> None:
    """Write the items of each row: all pairs of its labels, a label with itself included.

    An item's number is its position in a CSR matrix of pairs (upper triangle with diagonal, columns sorted). Row r
    with m labels has m (m + 1) / 2 items, from `out_starts[r]` on.
    """
    for row in range(len(row_starts) - 1):
        at = out_starts[row]
        labels = row_labels[row_starts[row] : row_starts[row + 1]]
        for i in range(len(labels)):
            start, end = pair_starts[labels[i]], pair_starts[labels[i] + 1]
            for other in labels[i:]:
                out[at] = start + np.searchsorted(pair_labels[start:end], other)
                at += 1
