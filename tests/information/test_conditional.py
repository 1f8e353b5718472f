import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import mutual_info_score

from plait.core.sentences import ParameterError
from plait.counts import count_pairs, count_triples, encode
from plait.information import conditional_mutual_information, conditional_mutual_information_matrix
from plait.information.conditional import level_contents
from plait.information.logs import logs_of


def naive(a, b, c):
    """I(A;B|C) as the average over values of C."""
    return sum((c == k).mean() * mutual_info_score(a[c == k], b[c == k]) for k in np.unique(c)) / np.log(2)


def samples(seed, n=100):
    rng = np.random.default_rng(seed)
    z = rng.integers(-1, 2, n)
    X = rng.integers(0, 3, (n, 4)) * (rng.random((n, 4)) < 0.7)
    Y = ((rng.random((n, 3)) < 0.4) ^ (z > 0)[:, None]).astype(np.uint8)
    return X, Y, z


@given(st.integers(0, 10**6), st.integers(1, 140))
@settings(max_examples=25)
def test_agrees_with_the_average_over_values(seed, n):
    X, Y, z = samples(seed, n)
    expected = [[naive(x, y, z) for y in Y.T] for x in X.T]
    np.testing.assert_allclose(conditional_mutual_information_matrix(X, Y, z), expected, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 140))
@settings(max_examples=25)
def test_every_way_in_gives_the_same_bits(seed, n):
    X, Y, z = samples(seed, n)
    whole = conditional_mutual_information_matrix(X, Y, z)
    chunks = ((X[i : i + 30], Y[i : i + 30], z[i : i + 30]) for i in range(0, n, 30))
    others = [
        conditional_mutual_information_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y), z.astype(str)),
        conditional_mutual_information_matrix(encode(X), encode(sparse.csr_matrix(Y)), z, pairs=count_pairs(X, Y)),
        conditional_mutual_information_matrix(chunks),
        conditional_mutual_information_matrix(count_triples(X, Y, z)),
        conditional_mutual_information_matrix(X, Y, z, weights=np.ones(n)),
        conditional_mutual_information_matrix(Y, X, z).T,
        np.array([[conditional_mutual_information(x, y, z) for y in Y.T] for x in X.T]),
    ]
    for other in others:
        np.testing.assert_array_equal(other, whole)
    itself = conditional_mutual_information_matrix(Y, None, z)
    np.testing.assert_array_equal(itself, conditional_mutual_information_matrix(Y, Y.copy(), z))
    np.testing.assert_array_equal(itself, itself.T)


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_float_weights_agree_up_to_rounding(seed):
    X, Y, z = samples(seed)
    weighted = conditional_mutual_information_matrix(X, Y, z, weights=np.full(100, 0.01))
    np.testing.assert_allclose(weighted, conditional_mutual_information_matrix(X, Y, z), rtol=1e-12, atol=1e-12)


def test_several_columns_are_one_condition():
    X, Y, z = samples(1)
    both = np.column_stack((z, X[:, 0]))
    assert conditional_mutual_information_matrix(X, Y, both)[1, 2] == conditional_mutual_information(
        X[:, 1], Y[:, 2], both
    )


def test_different_rows_are_refused():
    with pytest.raises(ParameterError, match="same rows"):
        conditional_mutual_information_matrix(np.zeros((3, 1)), None, np.zeros(2))


def test_sums_over_three_way_cells():
    rng = np.random.default_rng(0)
    X, Y, z = rng.integers(0, 3, (70, 3)), rng.integers(0, 2, (70, 2)), rng.integers(0, 4, 70)
    logs = logs_of(70)

    def content(*columns):
        return logs.of(np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]).sum()

    for form in (X, sparse.csr_matrix(X)):
        for pairs in (None, count_pairs(X, Y)):
            found = level_contents(form, Y, z, pairs=pairs)
            assert found.z == content(z)
            np.testing.assert_array_equal(found.x, [content(x, z) for x in X.T])
            np.testing.assert_array_equal(found.y, [content(y, z) for y in Y.T])
            np.testing.assert_array_equal(found.joint, [[content(x, y, z) for y in Y.T] for x in X.T])
