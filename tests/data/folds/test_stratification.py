import tracemalloc
from collections import defaultdict
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.sparse import csr_matrix

from plait.data import DataError
from plait.data.folds.stratification import alike_together, evidence_of, given_labels, stratified_folds

LABELS = hnp.arrays(np.uint8, st.tuples(st.integers(1, 30), st.integers(0, 6)), elements=st.integers(0, 1))


@given(LABELS, st.data(), st.sampled_from([1, 2]), st.none() | st.integers(0, 99))
def test_sizes_are_exact_and_bits_repeat(Y, data, order, seed):
    cuts = data.draw(st.sets(st.integers(1, len(Y) - 1))) if len(Y) > 1 else set()
    sizes = np.diff([0, *sorted(cuts), len(Y)])
    first, again = (
        stratified_folds(given_labels("a test", Y), sizes, order, None if seed is None else np.random.default_rng(seed))
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
    folds = stratified_folds(given_labels("a test", Y), sizes, 1, np.random.default_rng(seed))
    for f, size in enumerate(sizes):
        wanted = size * int(Y.sum()) / len(Y)
        assert abs(int(Y[folds == f].sum()) - wanted) < 1


@given(LABELS)
def test_evidence_of_order_two_is_labels_and_pairs_that_two_rows_share(Y):
    starts, items, is_label = evidence_of(given_labels("a test", Y), 2)
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
    assert alike_together(given_labels("a test", Y), rank).tolist() == expected


def test_more_labels_than_a_number_can_hold():
    # 2 ** 20 labels take 21 bits, so three labels of a row count; rows 0 and 2 differ from the fourth on.
    rows = [[1, 2, 3, 9], [0], [1, 2, 3, 4], [1, 2], [1, 2, 3]]
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    wide = csr_matrix((np.ones(starts[-1]), np.concatenate(rows), starts), shape=(5, 2**20))
    assert alike_together(wide, np.arange(2**20)).tolist() == [0, 2, 4, 3, 1]


def test_rows_with_the_same_labels_are_spread_by_chance():
    Y = given_labels("a test", np.ones((40, 2)))
    by_seed = {tuple(stratified_folds(Y, [20, 20], 1, np.random.default_rng(seed))) for seed in range(5)}
    assert len(by_seed) == 5


Y = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0]])
FRAME = pd.DataFrame(Y, columns=list("abc"))


@pytest.mark.parametrize(
    "y",
    [
        Y,
        Y.tolist(),
        Y.astype(bool),
        Y.astype(float),
        sparse.coo_matrix(Y),
        sparse.csr_array(Y),
        sparse.csc_matrix(Y.astype(bool)),
        FRAME,
        FRAME.astype(bool),
        FRAME.astype({"a": bool}),
        FRAME.astype("Int8"),
        FRAME.astype("Sparse[uint8]"),
        pl.DataFrame(Y),
        pl.DataFrame(Y.astype(bool)),
    ],
    ids=lambda y: type(y).__name__,
)
def test_every_form(y):
    pattern = given_labels("Mine", y)
    assert isinstance(pattern, sparse.csr_matrix)
    np.testing.assert_array_equal(pattern.toarray(), Y)


@pytest.mark.parametrize("y", [Y[:, 0], Y[:, 0].tolist(), FRAME["a"], pl.Series(Y[:, 0]), Y[:, [0]]])
def test_one_column(y):
    np.testing.assert_array_equal(given_labels("Mine", y).toarray(), Y[:, [0]])


def test_a_sparse_matrix_is_never_made_dense():
    # As a dense array it would hold 1e12 numbers.
    wide = sparse.coo_matrix((np.ones(2), ([0, 7], [0, 999_999])), shape=(1_000_000, 1_000_000))
    assert given_labels("Mine", wide).nnz == 2


def test_a_frame_of_sparse_columns_is_never_made_dense():
    matrix = sparse.csr_matrix((np.ones(2, dtype=np.uint8), [0, 99], [0, 2, *[2] * 199_999]), shape=(200_000, 100))
    frame = pd.DataFrame.sparse.from_spmatrix(matrix)
    tracemalloc.start()
    pattern = given_labels("Mine", frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pattern.nnz == 2
    assert peak < matrix.shape[0] * matrix.shape[1] / 2  # bytes; dense `uint8` would take twice that


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "Mine needs y, the labels to spread over the folds, but it is None"),
        ([0, 1, 2], "only 0 and 1, but it holds 2. Pass"),
        ([[0.0, np.inf]], "only 0 and 1, but it holds inf"),
        (sparse.csr_matrix([[0, -1]]), "only 0 and 1, but it holds -1"),
        (["cat", "dog"], "only 0 and 1, but it holds 'cat'"),
        (np.array([["a"], ["b"]]), "only 0 and 1, but it holds 'a'"),
        (np.zeros((2, 2, 2)), r"one column for each label, but its shape is \(2, 2, 2\)"),
        (1, r"one column for each label, but its shape is \(\)"),
    ],
)
def test_what_is_refused(y, words):
    with pytest.raises(DataError, match=words):
        given_labels("Mine", y)
