import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import count_pairs, count_triples
from plait.information import (
    conditional_mutual_information,
    entropy,
    interaction_information,
    interaction_information_matrix,
    mutual_information,
)


@given(st.integers(0, 10**6), st.integers(1, 80))
def test_one_two_and_three_variables(seed, n):
    a, b, c = np.random.default_rng(seed).integers(0, 3, (3, n))
    assert interaction_information(a) == entropy(a)
    assert interaction_information(a, b) == mutual_information(a, b)
    expected = mutual_information(a, b) - conditional_mutual_information(a, b, c)
    assert interaction_information(a, b, c) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert interaction_information(a, b, c) == interaction_information(c, a, b)


@given(st.integers(0, 10**6), st.integers(1, 80))
@settings(max_examples=25)
def test_the_matrix_is_the_measure_of_each_pair(seed, n):
    rng = np.random.default_rng(seed)
    X, Y, z = rng.integers(0, 3, (n, 4)), rng.integers(0, 2, (n, 3)), rng.integers(0, 3, n)
    expected = np.array([[interaction_information(x, y, z) for y in Y.T] for x in X.T])
    for found in (
        interaction_information_matrix(X, Y, z),
        interaction_information_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y), z, pairs=count_pairs(X, Y)),
        interaction_information_matrix(count_triples(X, Y, z)),
        interaction_information_matrix(iter([(X[:9], Y[:9], z[:9]), (X[9:], Y[9:], z[9:])])),
    ):
        np.testing.assert_array_equal(found, expected)
    weighted = interaction_information_matrix(X, Y, z, weights=np.full(n, 1 / n))
    np.testing.assert_allclose(weighted, expected, rtol=1e-11, atol=1e-11)


def test_nothing_is_refused():
    with pytest.raises(ParameterError, match="at least one variable"):
        interaction_information()
