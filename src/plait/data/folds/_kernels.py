"""Iterative stratification: hand out rows to folds, rarest evidence first [Sechidis2011], then swap some of them.

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

Handing out rows one by one leaves the last ones no choice. Swapping rows between folds, while that brings the folds
closer to what they want, repairs it; sizes stay as they are. `ledger` is a `Ledger` of the module `stratification`. The
cost of item i in fold f is

    |wanted[i, f]|  +  empty_cost[i] if the fold has no row with the item,

where `wanted` is what is left once all rows are handed out, negative for too many rows. It is convex in the number of
rows, so the change by swapping row a of one fold with row b of another is at most the change by moving a plus the
change by moving b: it is enough to try the rows that are best to move on their own.
"""

from typing import Any

import numpy as np

from plait.core.compilation import kernel

__all__ = ["distribute", "improve", "pair_items"]


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


@kernel
def _cost(left: int, all_wanted: int, empty_cost: int) -> int:
    # A fold without any row of the item still wants all of them.
    return abs(left) + (empty_cost if left == all_wanted else 0)


@kernel
def _change(i: int, f: int, g: int, ledger: Any) -> int:
    """Return by how much the cost grows when one row with item i goes from fold f to fold g."""
    unit, penalty = len(ledger.members), ledger.empty_cost[i]
    all_f, all_g = ledger.sizes[f] * ledger.positives[i], ledger.sizes[g] * ledger.positives[i]
    left_f, left_g = ledger.wanted[i, f], ledger.wanted[i, g]
    grows_f = _cost(left_f + unit, all_f, penalty) - _cost(left_f, all_f, penalty)
    return grows_f + _cost(left_g - unit, all_g, penalty) - _cost(left_g, all_g, penalty)


@kernel
def _row_change(row: int, f: int, g: int, ledger: Any) -> int:
    total = 0
    for at in range(ledger.row_starts[row], ledger.row_starts[row + 1]):
        total += _change(ledger.row_items[at], f, g, ledger)
    return total


@kernel
def _move(row: int, f: int, g: int, ledger: Any) -> None:
    unit = len(ledger.members)
    for at in range(ledger.row_starts[row], ledger.row_starts[row + 1]):
        ledger.wanted[ledger.row_items[at], f] += unit
        ledger.wanted[ledger.row_items[at], g] -= unit


@kernel
def _changes(f: int, g: int, ledger: Any, out: Any) -> bool:
    """Write the change for every item; say whether any is below zero, so that a move can help at all."""
    helps = False
    for i in range(len(out)):
        out[i] = _change(i, f, g, ledger)
        helps = helps or out[i] < 0
    return helps


@kernel
def _best_to_move(f: int, changes: Any, ledger: Any, tried: Any) -> int:
    """Write the positions of the rows of fold f that are best to move, ties in order; return how many."""
    totals = np.empty(len(tried), dtype=np.int64)
    n_kept = 0
    for position in range(ledger.starts[f], ledger.starts[f + 1]):
        row, total = ledger.members[position], 0
        for at in range(ledger.row_starts[row], ledger.row_starts[row + 1]):
            total += changes[ledger.row_items[at]]
        if n_kept == len(tried) and total >= totals[n_kept - 1]:
            continue
        n_kept = min(n_kept + 1, len(tried))
        at = n_kept - 1
        while at > 0 and totals[at - 1] > total:
            totals[at], tried[at] = totals[at - 1], tried[at - 1]
            at -= 1
        totals[at], tried[at] = total, position
    return n_kept


@kernel
def _swap_tried(f: int, g: int, from_f: Any, from_g: Any, ledger: Any) -> int:
    """Swap each tried row of fold f with the best tried row of fold g, where that lowers the cost; count the swaps."""
    members = ledger.members
    free = np.ones(len(from_g), dtype=np.bool_)
    for here in from_f:
        row = members[here]
        moved = _row_change(row, f, g, ledger)
        _move(row, f, g, ledger)
        best, lowest = -1, 0
        for candidate in range(len(from_g)):
            if free[candidate]:
                total = moved + _row_change(members[from_g[candidate]], g, f, ledger)
                if total < lowest:
                    best, lowest = candidate, total
        if best < 0:
            _move(row, g, f, ledger)
            continue
        there = from_g[best]
        _move(members[there], g, f, ledger)
        members[here], members[there] = members[there], row
        free[best] = False
    return len(free) - free.sum()


@kernel
def _swap_between(f: int, g: int, ledger: Any, changes: Any, from_f: Any, from_g: Any) -> int:
    helps_f = _changes(f, g, ledger, changes)
    n_f = _best_to_move(f, changes, ledger, from_f)
    helps_g = _changes(g, f, ledger, changes)
    if not (helps_f or helps_g):
        return 0
    n_g = _best_to_move(g, changes, ledger, from_g)
    return _swap_tried(f, g, from_f[:n_f], from_g[:n_g], ledger)


@kernel
def improve(ledger: Any, n_tried: int, budget: int) -> int:
    """Swap rows over all pairs of folds until nothing helps or `budget` items were looked at; count the swaps.

    From each side of a pair of folds the `n_tried` rows are tried that are best to move.

    A pair of folds is looked at again only if one of the two has changed since: `changed[f]` is the visit at which
    fold f changed last, and the pair at visit v was last looked at `n_pairs` visits before.
    """
    n_folds, n_items = len(ledger.sizes), len(ledger.positives)
    n_pairs = n_folds * (n_folds - 1) // 2
    changes = np.empty(n_items, dtype=np.int64)
    from_f, from_g = np.empty(n_tried, dtype=np.int64), np.empty(n_tried, dtype=np.int64)
    changed = np.full(n_folds, -1, dtype=np.int64)
    a_row = 1 + ledger.row_starts[-1] // max(len(ledger.members), 1)
    n_swaps, n_before, visit = 0, -1, 0
    while n_swaps > n_before:
        n_before = n_swaps
        for f in range(n_folds):
            for g in range(f + 1, n_folds):
                if max(changed[f], changed[g]) >= visit - n_pairs:
                    budget -= 2 * n_items + a_row * (ledger.sizes[f] + ledger.sizes[g])
                    if budget < 0:
                        return n_swaps
                    n_here = _swap_between(f, g, ledger, changes, from_f, from_g)
                    if n_here > 0:
                        n_swaps += n_here
                        changed[f] = changed[g] = visit
                visit += 1
    return n_swaps
