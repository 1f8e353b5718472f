"""Give every row a fold of an exact size so that labels, or labels and label pairs, are spread evenly."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Ints
from plait.core.labels import label_matrix
from plait.data.errors import DataError
from plait.data.folds._kernels import Ledger, distribute, improve, pair_items

__all__ = ["Evidence", "alike_together", "evidence_of", "given_labels", "stratified_folds"]


def given_labels(owner: str, y: Any) -> sparse.csr_matrix:
    """Return which labels are on: from a matrix, sparse or not, a data frame, or one column of 0 and 1."""
    if y is None:
        raise DataError(f"{owner} needs y, the labels to spread over the folds, but it is None. Pass split(X, y).")
    return sparse.csr_matrix(label_matrix(owner, "y", y, DataError), dtype=np.int64)


# The swaps look at every row's evidence at most about this many times, however many folds there are.
_LOOKS = 200


class Evidence(NamedTuple):
    """What each row shows, as CSR, and which items are labels (the others are label pairs)."""

    row_starts: Ints
    row_items: npt.NDArray[np.int32]
    is_label: npt.NDArray[np.bool_]


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
    pair_items(starts, labels, pairs.indptr.astype(np.int64), pairs.indices.astype(np.int32), item_starts, items)
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


def _folds_in_order(evidence: Evidence, sizes: Ints, rank: Ints, draws: npt.NDArray[np.float64]) -> Ints:
    starts, items, is_label = evidence
    n_samples, n_items = len(starts) - 1, len(is_label)
    ones = np.ones(len(items), dtype=np.int8)
    by_item = sparse.csr_matrix((ones, items, starts), shape=(n_samples, n_items)).tocsc()
    item_starts = by_item.indptr.astype(np.int64)
    positives = np.diff(item_starts)
    wanted = np.outer(positives, sizes)
    folds = np.full(n_samples, -1, dtype=np.int64)
    item_rows = by_item.indices.astype(np.int32)
    distribute(starts, items, item_starts, item_rows, wanted, sizes.copy(), rank, draws, folds)
    # An empty label weighs more than anything else a swap can change: two rows' items in two folds each.
    a_swap = 4 * int(np.diff(starts).max(initial=0)) + 1
    empty_cost = np.where(is_label, n_samples * a_swap, 0)
    members = np.argsort(folds, kind="stable")
    ledger = Ledger(starts, items, positives, sizes, _starts(sizes), members, wanted, empty_cost)
    improve(ledger, _LOOKS * (len(items) + n_samples + n_items))
    folds[members] = np.repeat(np.arange(len(sizes)), sizes)
    return folds


def _starts(lengths: Any) -> Ints:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)))
