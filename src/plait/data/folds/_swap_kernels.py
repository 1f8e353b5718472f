"""Swap rows between folds while that brings the folds closer to what they want; sizes stay as they are.

Handing out rows one by one leaves the last ones no choice. Swapping repairs that. The cost of item i in fold f is

    |wanted[i, f]|  +  empty_cost[i] if the fold has no row with the item,

in the integers of `_fold_kernels` (`wanted` is what is left once all rows are handed out, negative for too many rows).
It is convex in the number of rows, so the change by swapping row a of one fold with row b of another is at most the
change by moving a plus the change by moving b: it is enough to try the rows that are best to move on their own.
"""

from typing import Any, NamedTuple

import numpy as np

from plait.core.compilation import kernel

__all__ = ["N_TRIED", "Ledger", "improve"]

# How many of the best rows to move are tried from each side of a pair of folds.
N_TRIED = 8


class Ledger(NamedTuple):
    """What the kernels read and, in `wanted` and `members`, change."""

    row_starts: Any  # items of each row, as CSR
    row_items: Any
    positives: Any  # rows with each item
    sizes: Any  # rows of each fold
    starts: Any  # rows of fold f are members[starts[f] : starts[f + 1]]
    members: Any
    wanted: Any  # (n_items, n_folds)
    empty_cost: Any  # (n_items,)


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
def improve(ledger: Any, budget: int) -> int:
    """Swap rows over all pairs of folds until nothing helps or `budget` items were looked at; count the swaps.

    A pair of folds is looked at again only if one of the two has changed since: `changed[f]` is the visit at which
    fold f changed last, and the pair at visit v was last looked at `n_pairs` visits before.
    """
    n_folds, n_items = len(ledger.sizes), len(ledger.positives)
    n_pairs = n_folds * (n_folds - 1) // 2
    changes = np.empty(n_items, dtype=np.int64)
    from_f, from_g = np.empty(N_TRIED, dtype=np.int64), np.empty(N_TRIED, dtype=np.int64)
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
