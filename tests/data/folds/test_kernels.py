from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.core.randomness import generator
from plait.data.folds import _kernels, stratification
from plait.data.folds.stratification import Ledger, stratified_folds

# Compiled and plain, by the same names.
both_ways = pytest.mark.parametrize("way", [_kernels, stratification])
N_TRIED = 8

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


@both_ways
@given(Y=LABELS, data=st.data())
def test_handing_out_agrees_with_lists_and_fractions(way, Y, data):
    n, q = Y.shape
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=4))) if n > 1 else []
    sizes = np.diff([0, *cuts, n])
    rank = np.array(data.draw(st.permutations(range(q))), dtype=np.int64)
    draws = np.array(data.draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=n, max_size=n)))
    rows, columns = sparse.csr_matrix(Y), sparse.csc_matrix(Y)
    wanted, fold = np.outer(Y.sum(axis=0, dtype=np.int64), sizes), np.full(n, -1)
    way.distribute(
        rows.indptr.astype(np.int64), rows.indices, columns.indptr.astype(np.int64), columns.indices,
        wanted, sizes.copy(), rank, draws, fold,
    )  # fmt: skip
    expected, left = plain_distribute([set(np.flatnonzero(y)) for y in Y], q, sizes, rank, draws)
    assert fold.tolist() == expected
    assert [[Fraction(int(w), n) for w in row] for row in wanted] == left


@both_ways
@given(Y=LABELS)
def test_pair_items_are_all_pairs_of_a_row(way, Y):
    pattern = sparse.csr_matrix(Y).astype(np.int64)
    pairs = sparse.triu(pattern.T @ pattern, format="csr")
    pairs.sort_indices()
    m = np.diff(pattern.indptr)
    starts = np.concatenate(([0], np.cumsum(m * (m + 1) // 2)))
    out = np.empty(starts[-1], dtype=np.int32)
    way.pair_items(
        pattern.indptr.astype(np.int64), pattern.indices, pairs.indptr.astype(np.int64), pairs.indices, starts, out
    )
    named = list(zip(*pairs.nonzero(), strict=True))
    assert sorted(named) == named  # an item's number is its position in this list
    for r, y in enumerate(Y):
        found = [named[item] for item in out[starts[r] : starts[r + 1]]]
        assert found == list(combinations_with_replacement(np.flatnonzero(y), 2))


PLENTY = 10**9


@st.composite
def cases(draw):
    Y = draw(hnp.arrays(np.uint8, st.tuples(st.integers(2, 24), st.integers(1, 5)), elements=st.integers(0, 1)))
    cuts = draw(st.sets(st.integers(1, len(Y) - 1), min_size=1, max_size=3))
    members = np.array(draw(st.permutations(range(len(Y)))))
    empty_cost = draw(st.sampled_from([0, len(Y), 100 * len(Y)]))
    return Y, np.diff([0, *sorted(cuts), len(Y)]), members, empty_cost


def ledger_of(Y, sizes, members, empty_cost):
    rows, positives = sparse.csr_matrix(Y), Y.sum(axis=0, dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    counts = np.array([Y[members[a:b]].sum(axis=0, dtype=np.int64) for a, b in pairwise(starts)]).T
    wanted = np.outer(positives, sizes) - len(Y) * counts
    penalty = np.full(Y.shape[1], empty_cost)
    return Ledger(rows.indptr.astype(np.int64), rows.indices, positives, sizes, starts, members.copy(), wanted, penalty)


def cost(Y, folds, empty_cost):
    """The cost from scratch: distance from what is wanted, and a fine for every label that a fold has not got."""
    total = 0
    for fold in folds:
        for j in range(Y.shape[1]):
            has, positives = sum(int(Y[r, j]) for r in fold), int(Y[:, j].sum())
            total += abs(len(Y) * has - len(fold) * positives)
            total += empty_cost if positives and not has else 0
    return total


def plain_improve(Y, folds, empty_cost):
    """Try the same swaps with lists, each judged by the cost of everything after it."""

    def after(f, g, leave, come=None):
        new = [list(fold) for fold in folds]
        moved = new[f].pop(leave)
        if come is None:  # sizes count as before, so the cost of a move alone is not from scratch
            return _cost_with_sizes(Y, new, g, moved, [len(x) for x in folds], empty_cost)
        new[f].insert(leave, new[g][come])
        new[g][come] = moved
        return cost(Y, new, empty_cost)

    swapped = True
    while swapped:
        swapped = False
        for f in range(len(folds)):
            for g in range(f + 1, len(folds)):
                from_f = sorted(range(len(folds[f])), key=lambda p, f=f, g=g: after(f, g, p))[:N_TRIED]
                from_g = sorted(range(len(folds[g])), key=lambda p, f=f, g=g: after(g, f, p))[:N_TRIED]
                for p in from_f:
                    now = cost(Y, folds, empty_cost)
                    lowest = min(from_g, key=lambda p_g, f=f, g=g, p=p: after(f, g, p, p_g), default=None)
                    if lowest is not None and after(f, g, p, lowest) < now:
                        folds[f][p], folds[g][lowest] = folds[g][lowest], folds[f][p]
                        from_g.remove(lowest)
                        swapped = True
    return folds


def _cost_with_sizes(Y, folds, g, moved, sizes, empty_cost):
    total = 0
    for f, fold in enumerate(folds):
        rows = [*fold, moved] if f == g else fold
        for j in range(Y.shape[1]):
            has, positives = sum(int(Y[r, j]) for r in rows), int(Y[:, j].sum())
            total += abs(len(Y) * has - sizes[f] * positives) + (empty_cost if positives and not has else 0)
    return total


def split(members, sizes):
    return [part.tolist() for part in np.split(members, np.cumsum(sizes)[:-1])]


@both_ways
@given(case=cases())
def test_swapping_agrees_with_lists(way, case):
    Y, sizes, members, empty_cost = case
    ledger = ledger_of(*case)
    way.improve(ledger, N_TRIED, PLENTY)
    assert split(ledger.members, sizes) == plain_improve(Y, split(members, sizes), empty_cost)


@both_ways
@given(case=cases(), budget=st.integers(0, 300))
def test_never_worse_and_the_books_are_right_whenever_it_stops(way, case, budget):
    Y, sizes, members, empty_cost = case
    ledger = ledger_of(*case)
    n_swaps = way.improve(ledger, N_TRIED, budget)
    before, after = (cost(Y, split(m, sizes), empty_cost) for m in (members, ledger.members))
    assert sorted(ledger.members) == list(range(len(Y)))
    assert after < before if n_swaps else (ledger.members == members).all()
    np.testing.assert_array_equal(ledger.wanted, ledger_of(Y, sizes, ledger.members, empty_cost).wanted)


@both_ways
def test_a_fold_without_a_label_gets_one(way):
    # Two rows each of two labels, all of the first in one fold: one swap of unlike rows mends both.
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    ledger = ledger_of(Y, np.array([2, 2]), np.arange(4), 100)
    assert way.improve(ledger, N_TRIED, PLENTY) == 1
    assert Y[ledger.members[:2]].sum(axis=0).tolist() == [1, 1]


@both_ways
def test_no_budget_no_swap(way):
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    assert way.improve(ledger_of(Y, np.array([2, 2]), np.arange(4), 100), N_TRIED, 0) == 0


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("shape", "n_folds"), [((200, 6), 10), ((150, 25), 3), ((90, 2), 40)])
def test_kernels_and_plain_python_give_the_same_folds(shape, n_folds, order):
    random = generator(0)
    Y = sparse.csr_matrix(random.random(shape) < random.uniform(0.02, 0.5, shape[1]), dtype=np.int64)
    sizes = [len(part) for part in np.array_split(np.arange(shape[0]), n_folds)]
    for seed in range(3):
        found = []
        for policy in ("always", "never"):
            with using_kernels(policy):
                found.append(stratified_folds(Y, sizes, order, np.random.default_rng(seed)))
        np.testing.assert_array_equal(*found)
