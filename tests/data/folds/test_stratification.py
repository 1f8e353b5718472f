from collections import defaultdict
from itertools import combinations_with_replacement

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix

from plait.data.folds.stratification import alike_together, evidence_of, stratified_folds
from plait.data.label_sets import label_pattern

LABELS = hnp.arrays(np.uint8, st.tuples(st.integers(1, 30), st.integers(0, 6)), elements=st.integers(0, 1))


@given(LABELS, st.data(), st.sampled_from([1, 2]), st.none() | st.integers(0, 99))
def test_sizes_are_exact_and_bits_repeat(Y, data, order, seed):
    cuts = data.draw(st.sets(st.integers(1, len(Y) - 1))) if len(Y) > 1 else set()
    sizes = np.diff([0, *sorted(cuts), len(Y)])
    first, again = (
        stratified_folds(label_pattern(Y), sizes, order, None if seed is None else np.random.default_rng(seed))
        for _ in range(2)
    )
    assert np.bincount(first, minlength=len(sizes)).tolist() == sizes.tolist()
    np.testing.assert_array_equal(first, again)


@given(
    hnp.arrays(np.uint8, st.tuples(st.integers(2, 40), st.just(1)), elements=st.integers(0, 1)),
    st.integers(2, 6),
    st.integers(0, 99),
)
def test_one_label_is_spread_as_evenly_as_whole_rows_allow(Y, n_folds, seed):
    sizes = [len(part) for part in np.array_split(Y, min(n_folds, len(Y)))]
    folds = stratified_folds(label_pattern(Y), sizes, 1, np.random.default_rng(seed))
    for f, size in enumerate(sizes):
        wanted = size * int(Y.sum()) / len(Y)
        assert abs(int(Y[folds == f].sum()) - wanted) < 1


@given(LABELS)
def test_evidence_of_order_two_is_labels_and_pairs_that_two_rows_share(Y):
    starts, items, is_label = evidence_of(label_pattern(Y), 2)
    rows_with = defaultdict(list)
    for r, y in enumerate(Y):
        for pair in combinations_with_replacement(np.flatnonzero(y).tolist(), 2):
            rows_with[pair].append(r)
    expected = {pair: rows for pair, rows in sorted(rows_with.items()) if pair[0] == pair[1] or len(rows) > 1}
    found = [[] for _ in is_label]
    for r in range(len(Y)):
        for item in items[starts[r] : starts[r + 1]]:
            found[item].append(r)
    assert found == list(expected.values())
    assert is_label.tolist() == [i == j for i, j in expected]


@given(LABELS, st.integers(0, 99))
def test_rows_are_sorted_by_their_labels_from_the_most_frequent(Y, seed):
    rank = np.random.default_rng(seed).permutation(Y.shape[1])
    by_frequency = sorted(range(Y.shape[1]), key=lambda j: (-int(Y[:, j].sum()), rank[j]))
    expected = sorted(range(len(Y)), key=lambda r: [-int(Y[r, j]) for j in by_frequency])
    assert alike_together(label_pattern(Y), rank).tolist() == expected


def test_more_labels_than_a_number_can_hold():
    # 2 ** 20 labels take 21 bits, so three labels of a row count; rows 0 and 2 differ from the fourth on.
    rows = [[1, 2, 3, 9], [0], [1, 2, 3, 4], [1, 2], [1, 2, 3]]
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    wide = csr_matrix((np.ones(starts[-1]), np.concatenate(rows), starts), shape=(5, 2**20))
    assert alike_together(wide, np.arange(2**20)).tolist() == [0, 2, 4, 3, 1]


def test_rows_with_the_same_labels_are_spread_by_chance():
    Y = label_pattern(np.ones((40, 2)))
    by_seed = {tuple(stratified_folds(Y, [20, 20], 1, np.random.default_rng(seed))) for seed in range(5)}
    assert len(by_seed) == 5
