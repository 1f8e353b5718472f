"""Give every row a fold of an exact size so that labels, or labels and label pairs, are spread evenly.

The algorithm, and the notation of `distribute` and `improve`, stand in `_kernels`. For small data both are done here in
plain Python and NumPy, with the same folds to the last row: all numbers are integers.
"""

from heapq import heapify, heappop, heappush
from itertools import combinations_with_replacement, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Bools, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.labels import label_matrix
from plait.core.lazy_modules import lazy_module
from plait.core.unknown_labels import unknown_as_absent
from plait.data.errors import DataError

__all__ = ["Evidence", "Ledger", "alike_together", "evidence_of", "given_labels", "stratified_folds"]

_kernels = lazy_module("plait.data.folds._kernels")

# The swaps look at every row's evidence at most about this many times, however many folds there are.
_LOOKS = 200
# How many of the best rows to move are tried from each side of a pair of folds.
_N_TRIED = 8
# Rows times items of evidence from which kernels pay: up to it the plain way takes at most 0.3 s, as long as loading
# Numba does; compiling takes 5 s.
_LARGE = 1 << 20


def given_labels(owner: str, y: Any) -> sparse.csr_matrix:
    """Return which labels are on: from a matrix, sparse or not, a data frame, or one column of 0 and 1.

    Unknown labels are spread by chance: what is known to be on is what is balanced.
    """
    if y is None:
        raise DataError(f"{owner} needs y, the labels to spread over the folds, but it is None. Pass split(X, y).")
    return sparse.csr_matrix(unknown_as_absent(label_matrix(owner, "y", y, DataError, unknown=True)), dtype=np.int64)


class Evidence(NamedTuple):
    """What each row shows, as CSR, and which items are labels (the others are label pairs)."""

    row_starts: Ints
    row_items: npt.NDArray[np.int32]
    is_label: Bools


class Ledger(NamedTuple):
    """What `improve` reads and, in `wanted` and `members`, changes."""

    row_starts: Ints  # items of each row, as CSR
    row_items: npt.NDArray[np.int32]
    positives: Ints  # rows with each item
    sizes: Ints  # rows of each fold
    starts: Ints  # rows of fold f are members[starts[f] : starts[f + 1]]
    members: Ints
    wanted: Ints  # (n_items, n_folds)
    empty_cost: Ints  # (n_items,)


def evidence_of(pattern: sparse.csr_matrix, order: int) -> Evidence:
    """Return the labels of each row (order 1), or its labels and label pairs (order 2) [Szymanski2017]."""
    starts, labels = pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32)
    if order == 1:
        return Evidence(starts, labels, np.ones(pattern.shape[1], dtype=bool))
    # Only pairs that occur get a number, so that memory follows the data and not n_labels ** 2.
    pairs = sparse.triu(pattern.T @ pattern, format="csr")
    pairs.sort_indices()
    n_labels_of = np.diff(starts)
    item_starts = _starts(n_labels_of * (n_labels_of + 1) // 2)
    items = np.empty(item_starts[-1], dtype=np.int32)
    number = _kernels.pair_items if kernels_pay(len(items), _LARGE) else pair_items
    number(starts, labels, pairs.indptr.astype(np.int64), pairs.indices.astype(np.int32), item_starts, items)
    first = np.repeat(np.arange(pattern.shape[1]), np.diff(pairs.indptr))
    return _without_lone_pairs(Evidence(item_starts, items, first == pairs.indices), pairs.data)


def _without_lone_pairs(evidence: Evidence, n_rows: Ints) -> Evidence:
    """Leave out pairs that only one row has: nothing of them can be spread, and the row is better placed by its labels.

    The paper keeps them. As the rarest evidence they come first, and each row that has one goes to any fold.
    """
    kept = evidence.is_label | (n_rows > 1)
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    items = number[evidence.row_items]
    return Evidence(_starts(items >= 0)[evidence.row_starts], items[items >= 0], evidence.is_label[kept])


def stratified_folds(
    pattern: sparse.csr_matrix, sizes: npt.ArrayLike, order: int, random: np.random.Generator | None
) -> Ints:
    """Return the fold of every row; fold f gets exactly `sizes[f]` rows.

    Parameters
    ----------
    pattern : CSR matrix of shape (n_samples, n_labels)
        Sorted, each entry once.
    sizes : array-like of int
        Positive, summing to `n_samples`.
    order : {1, 2}
        Labels, or labels and label pairs.
    random : Generator or None
        Which row, label and fold goes first among equals; None takes them in their own order.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    n_samples, n_labels = pattern.shape
    rows = _in_turn(n_samples, random)
    folds = np.empty(n_samples, dtype=np.int64)
    if sizes.max() == 1:  # one row a fold: nothing to spread
        folds[rows] = np.arange(n_samples)
        return folds
    rows = rows[alike_together(pattern[rows], _in_turn(n_labels, random))]
    evidence = evidence_of(pattern[rows], order)
    draws = np.zeros(n_samples) if random is None else random.random(n_samples)
    folds[rows] = _folds_in_order(evidence, sizes, _in_turn(len(evidence.is_label), random), draws)
    return folds


def alike_together(pattern: sparse.csr_matrix, rank: Ints) -> Ints:
    """Return the rows in an order in which rows with the same or similar labels follow each other.

    The rows of a label go to the folds about in turn, so neighbours end in different folds: in this order, rows that
    share further labels are spread too, and label pairs with them. Rows are sorted by their labels, the most frequent
    label first (of equally frequent ones the one with the smaller rank), as far as one 64-bit number can hold them.
    """
    n_samples, n_labels = pattern.shape
    positives = np.bincount(pattern.indices, minlength=n_labels)
    place = np.empty(n_labels, dtype=np.int64)
    place[np.lexsort((rank, -positives))] = np.arange(n_labels)
    placed = sparse.csr_matrix((pattern.data, place[pattern.indices], pattern.indptr), shape=pattern.shape)
    placed.sort_indices()
    n_labels_of = np.diff(placed.indptr)
    width = n_labels.bit_length()  # n_labels itself stands for "no more labels", so such rows come last
    key = np.zeros(n_samples, dtype=np.int64)
    for at in range(min(63 // max(width, 1), n_labels_of.max(initial=0))):
        has = n_labels_of > at
        key = (key << width) | n_labels
        key[has] += placed.indices[placed.indptr[:-1][has] + at] - n_labels
    return np.argsort(key, kind="stable")


def _in_turn(n: int, random: np.random.Generator | None) -> Ints:
    return np.arange(n) if random is None else random.permutation(n)


def _folds_in_order(evidence: Evidence, sizes: Ints, rank: Ints, draws: Floats) -> Ints:
    starts, items, is_label = evidence
    n_samples, n_items = len(starts) - 1, len(is_label)
    ones = np.ones(len(items), dtype=np.int8)
    by_item = sparse.csr_matrix((ones, items, starts), shape=(n_samples, n_items)).tocsc()
    item_starts = by_item.indptr.astype(np.int64)
    positives = np.diff(item_starts)
    wanted = np.outer(positives, sizes)
    folds = np.full(n_samples, -1, dtype=np.int64)
    item_rows = by_item.indices.astype(np.int32)
    fast = kernels_pay(n_samples * n_items, _LARGE)
    hand_out, swap = (_kernels.distribute, _kernels.improve) if fast else (distribute, improve)
    hand_out(starts, items, item_starts, item_rows, wanted, sizes.copy(), rank, draws, folds)
    # An empty label weighs more than anything else a swap can change: two rows' items in two folds each.
    a_swap = 4 * int(np.diff(starts).max(initial=0)) + 1
    empty_cost = np.where(is_label, n_samples * a_swap, 0)
    members = np.argsort(folds, kind="stable")
    ledger = Ledger(starts, items, positives, sizes, _starts(sizes), members, wanted, empty_cost)
    swap(ledger, _N_TRIED, _LOOKS * (len(items) + n_samples + n_items))
    folds[members] = np.repeat(np.arange(len(sizes)), sizes)
    return folds


def _starts(lengths: Any) -> Ints:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)))


def pair_items(starts: Ints, labels: Any, pair_starts: Ints, pair_labels: Any, _out_starts: Ints, out: Any) -> None:
    """Write the items of each row, as the kernel does."""
    first = np.repeat(np.arange(len(pair_starts) - 1), np.diff(pair_starts)).tolist()
    number = {pair: k for k, pair in enumerate(zip(first, pair_labels.tolist(), strict=True))}
    rows = (labels[start:end].tolist() for start, end in pairwise(starts.tolist()))
    out[:] = [number[pair] for row in rows for pair in combinations_with_replacement(row, 2)]


def distribute(
    row_starts: Ints,
    row_items: Any,
    item_starts: Ints,
    item_rows: Any,
    wanted: Ints,
    room: Ints,
    rank: Ints,
    draws: Floats,
    fold: Ints,
) -> None:
    """Hand out rows to folds, as the kernel does."""
    n, chosen = len(fold), fold.tolist()
    items_of = [row_items[start:end].tolist() for start, end in pairwise(row_starts.tolist())]
    rows_of = [item_rows[start:end].tolist() for start, end in pairwise(item_starts.tolist())]
    wants, left, remaining = wanted.tolist(), room.tolist(), [len(rows) for rows in rows_of]
    rarest = [(count, int(place), item) for item, (count, place) in enumerate(zip(remaining, rank, strict=True))]
    heapify(rarest)
    waiting = set(range(len(rows_of)))
    while rarest:
        count, _, item = heappop(rarest)
        if item not in waiting or count != remaining[item]:
            continue  # it has become rarer since, and stands in the heap once more
        waiting.remove(item)
        for row in rows_of[item]:
            if chosen[row] < 0:
                chosen[row] = _fold_for(wants[item], left, draws[row])
                left[chosen[row]] -= 1
                for other in items_of[row]:
                    wants[other][chosen[row]] -= n
                    remaining[other] -= 1
                    if other in waiting:
                        heappush(rarest, (remaining[other], int(rank[other]), other))
    for row in range(n):
        if chosen[row] < 0:
            chosen[row] = _fold_for([0] * len(left), left, draws[row])
            left[chosen[row]] -= 1
    fold[:], room[:] = chosen, left
    wanted[:] = np.array(wants, dtype=np.int64).reshape(wanted.shape)


def _fold_for(wants: list[int], room: list[int], draw: float) -> int:
    """Return the fold with room that wants most; of several the one with most room; of several the drawn one."""
    folds = [f for f in range(len(room)) if room[f] > 0]
    most = max((wants[f], room[f]) for f in folds)
    tied = [f for f in folds if (wants[f], room[f]) == most]
    return tied[int(draw * len(tied))]


def improve(ledger: Ledger, n_tried: int, budget: int) -> int:
    """Swap rows between folds, as the kernel does."""
    n_folds, n_items, n = len(ledger.sizes), len(ledger.positives), len(ledger.members)
    shows = np.zeros((n, n_items), dtype=np.int64)
    shows[np.repeat(np.arange(n), np.diff(ledger.row_starts)), ledger.row_items] = 1
    n_pairs, a_row = n_folds * (n_folds - 1) // 2, 1 + int(ledger.row_starts[-1]) // max(n, 1)
    changed = np.full(n_folds, -1)
    n_swaps, n_before, visit = 0, -1, 0
    while n_swaps > n_before:
        n_before = n_swaps
        for f in range(n_folds):
            for g in range(f + 1, n_folds):
                if max(changed[f], changed[g]) >= visit - n_pairs:
                    budget -= 2 * n_items + a_row * int(ledger.sizes[f] + ledger.sizes[g])
                    if budget < 0:
                        return n_swaps
                    n_here = _swap_between(f, g, ledger, shows, n_tried)
                    if n_here > 0:
                        n_swaps += n_here
                        changed[[f, g]] = visit
                visit += 1
    return n_swaps


def _swap_between(f: int, g: int, ledger: Ledger, shows: Ints, n_tried: int) -> int:
    """Swap each tried row of fold f with the best tried row of fold g, where that lowers the cost; count the swaps."""
    members, wanted, n = ledger.members, ledger.wanted, len(ledger.members)
    leave_f, leave_g = _changes(f, g, ledger), _changes(g, f, ledger)
    if not ((leave_f < 0).any() or (leave_g < 0).any()):
        return 0
    from_f = _best_to_move(f, leave_f, ledger, shows, n_tried)
    from_g = _best_to_move(g, leave_g, ledger, shows, n_tried)
    n_swaps = 0
    for here in from_f:
        if not len(from_g):
            break
        out = shows[members[here]]
        moved = int(out @ _changes(f, g, ledger))
        wanted[:, f] += n * out
        wanted[:, g] -= n * out
        totals = moved + shows[members[from_g]] @ _changes(g, f, ledger)
        best = int(np.argmin(totals))
        back = out if totals[best] >= 0 else shows[members[from_g[best]]]
        wanted[:, g] += n * back
        wanted[:, f] -= n * back
        if totals[best] < 0:
            there = from_g[best]
            members[here], members[there] = members[there], members[here]
            from_g = np.delete(from_g, best)
            n_swaps += 1
    return n_swaps


def _changes(f: int, g: int, ledger: Ledger) -> Ints:
    """Return for every item by how much the cost grows when one row with it goes from fold f to fold g."""

    def cost(left: Ints, fold: int) -> Ints:
        # A fold without any row of the item still wants all of them.
        return np.abs(left) + np.where(left == ledger.sizes[fold] * ledger.positives, ledger.empty_cost, 0)

    left_f, left_g, n = ledger.wanted[:, f], ledger.wanted[:, g], len(ledger.members)
    return cost(left_f + n, f) - cost(left_f, f) + cost(left_g - n, g) - cost(left_g, g)


def _best_to_move(f: int, changes: Ints, ledger: Ledger, shows: Ints, n_tried: int) -> Ints:
    """Return the positions of the rows of fold f that are best to move, ties in order."""
    start, end = ledger.starts[f], ledger.starts[f + 1]
    return start + np.argsort(shows[ledger.members[start:end]] @ changes, kind="stable")[:n_tried]
