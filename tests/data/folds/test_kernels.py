from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.data.folds._kernels import distribute, pair_items

LABELS = hnp.arrays(np.uint8, st.tuples(st.integers(1, 14), st.integers(0, 5)), elements=st.integers(0, 1))


def plain_distribute(rows, n_items, sizes, rank, draws):
    """Iterative stratification with lists, sets and fractions, as in [Sechidis2011], full folds left out."""
    n = len(rows)
    room = list(sizes)
    holders = [[r for r in range(n) if i in rows[r]] for i in range(n_items)]
    wanted = [[Fraction(int(size) * len(holders[i]), n) for size in sizes] for i in range(n_items)]
    fold = [None] * n

    def give(r, wants):
        open_folds = [f for f in range(len(sizes)) if room[f] > 0]
        most = max((wants[f], room[f]) for f in open_folds)
        tied = [f for f in open_folds if (wants[f], room[f]) == most]
        fold[r] = tied[int(draws[r] * len(tied))]
        room[fold[r]] -= 1
        for i in rows[r]:
            wanted[i][fold[r]] -= 1

    waiting = set(range(n_items))
    while waiting:
        left = {i: [r for r in holders[i] if fold[r] is None] for i in waiting}
        item = min(waiting, key=lambda i: (len(left[i]), rank[i]))
        waiting.remove(item)
        for r in left[item]:
            give(r, wanted[item])
    for r in range(n):
        if fold[r] is None:
            give(r, [0] * len(sizes))
    return fold, wanted


@given(LABELS, st.data())
def test_kernel_agrees_with_plain_python(Y, data):
    n, q = Y.shape
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=4))) if n > 1 else []
    sizes = np.diff([0, *cuts, n])
    rank = np.array(data.draw(st.permutations(range(q))), dtype=np.int64)
    draws = np.array(data.draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=n, max_size=n)))
    rows, columns = sparse.csr_matrix(Y), sparse.csc_matrix(Y)
    wanted, fold = np.outer(Y.sum(axis=0, dtype=np.int64), sizes), np.full(n, -1)
    distribute(
        rows.indptr.astype(np.int64), rows.indices, columns.indptr.astype(np.int64), columns.indices,
        wanted, sizes.copy(), rank, draws, fold,
    )  # fmt: skip
    expected, left = plain_distribute([set(np.flatnonzero(y)) for y in Y], q, sizes, rank, draws)
    assert fold.tolist() == expected
    assert [[Fraction(int(w), n) for w in row] for row in wanted] == left


@given(LABELS)
def test_pair_items_are_all_pairs_of_a_row(Y):
    pattern = sparse.csr_matrix(Y).astype(np.int64)
    pairs = sparse.triu(pattern.T @ pattern, format="csr")
    pairs.sort_indices()
    m = np.diff(pattern.indptr)
    starts = np.concatenate(([0], np.cumsum(m * (m + 1) // 2)))
    out = np.empty(starts[-1], dtype=np.int32)
    pair_items(
        pattern.indptr.astype(np.int64), pattern.indices, pairs.indptr.astype(np.int64), pairs.indices, starts, out
    )
    named = list(zip(*pairs.nonzero(), strict=True))
    assert sorted(named) == named  # an item's number is its position in this list
    for r, y in enumerate(Y):
        found = [named[item] for item in out[starts[r] : starts[r + 1]]]
        assert found == list(combinations_with_replacement(np.flatnonzero(y), 2))
