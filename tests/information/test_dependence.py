import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import mutual_info_score

from plait.counts import count_pairs, encode
from plait.information import (
    conditional_mutual_information,
    entropies,
    mutual_information,
    mutual_information_matrix,
)


def samples(seed, n=120):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 4, (n, 6)) * (rng.random((n, 6)) < 0.6)
    X[:, 4] = 7
    X[:, 5] = X[:, 0] == 1
    Y = np.column_stack((X[:, 0] > 0, rng.random(n) < 0.2, np.zeros(n), np.ones(n))).astype(np.uint8)
    return X, Y


@given(st.integers(0, 10**6), st.integers(1, 150))
@settings(max_examples=25)
def test_agrees_with_scikit_learn(seed, n):
    X, Y = samples(seed, n)
    expected = [[mutual_info_score(X[:, i], Y[:, j]) for j in range(Y.shape[1])] for i in range(X.shape[1])]
    np.testing.assert_allclose(mutual_information_matrix(X, Y, base="e"), expected, rtol=1e-12, atol=1e-12)
    assert mutual_information(X[:, 0], Y[:, 1], base=np.e) == pytest.approx(expected[0][1], rel=1e-12, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 150))
@settings(max_examples=25)
def test_every_way_in_gives_the_same_bits(seed, n):
    X, Y = samples(seed, n)
    whole = mutual_information_matrix(X, Y)
    chunks = ((X[i : i + 40], Y[i : i + 40]) for i in range(0, n, 40))
    others = [
        mutual_information_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y)),
        mutual_information_matrix(encode(X).packed(), encode(sparse.csr_matrix(Y)).packed()),
        mutual_information_matrix(X, sparse.csr_matrix(Y), n_jobs=3),
        mutual_information_matrix(chunks),
        mutual_information_matrix(count_pairs(X, Y)),
        mutual_information_matrix(X, Y, weights=np.ones(n)),
        mutual_information_matrix(7.5 - X, 1 - Y),
        mutual_information_matrix(Y, X).T,
        np.array([[mutual_information(x, y) for y in Y.T] for x in X.T]),
    ]
    for other in others:
        np.testing.assert_array_equal(other, whole)


@given(st.integers(0, 10**6), st.integers(1, 150))
@settings(max_examples=25)
def test_float_weights_agree_up_to_rounding(seed, n):
    X, Y = samples(seed, n)
    whole = mutual_information_matrix(X, Y)
    for a, b in ((X, Y), (sparse.csr_matrix(X), sparse.csr_matrix(Y))):
        weighted = mutual_information_matrix(a, b, weights=np.full(n, 1 / n))
        np.testing.assert_allclose(weighted, whole, rtol=1e-12, atol=1e-12)


def test_blocks_of_columns_change_nothing(monkeypatch):
    X, Y = samples(5)
    for a, b in ((X, Y), (sparse.csr_matrix(X), sparse.csr_matrix(Y))):
        whole = mutual_information_matrix(a, b)
        with monkeypatch.context() as patch:
            patch.setattr("plait.information.contents._MOST_CELLS", 7)
            np.testing.assert_array_equal(mutual_information_matrix(a, b), whole)


def test_no_rows_tell_nothing():
    assert mutual_information([], []) == 0.0
    np.testing.assert_array_equal(mutual_information_matrix(np.zeros((0, 2))), np.zeros((2, 2)))


def test_independent_tables_never_fall_below_zero():
    # n(a, b) = row(a) * column(b): the information is 0, and what rounding makes of it is not negative.
    for rows in ((3, 5), (1, 7, 11), (6, 13, 17, 23)):
        for columns in ((1, 2), (3, 7), (5, 9, 19)):
            counts = np.outer(rows, columns)
            a, b = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), len(columns))
            shared = mutual_information(a, b)
            assert 0 <= shared < 1e-14
            assert 0 <= mutual_information_matrix(a[:, None], b[:, None])[0, 0] < 1e-14
            assert 0 <= conditional_mutual_information(a, b, np.zeros(a.size)) < 1e-14


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_nothing_exceeds_the_smaller_entropy_by_rounding(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (40, 3))
    Y, weights = X // 2, rng.random(40)
    for w in (None, weights):
        smaller = np.minimum.outer(entropies(X, weights=w), entropies(Y, weights=w))
        assert (mutual_information_matrix(X, Y, weights=w) <= smaller).all()
        assert (mutual_information_matrix(X, Y, weights=w) >= 0).all()
