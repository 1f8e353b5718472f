import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from plait.core.sentences import ParameterError
from plait.counts import count_pairs, encode
from plait.information import conditional_entropy, entropies, entropy, mutual_information_matrix


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, np.nan]), min_size=1, max_size=80), st.sampled_from([2, "e", 10]))
def test_agrees_with_scipy(values, base):
    counts = np.unique(values, return_counts=True)[1]
    expected = stats.entropy(counts, base=None if base == "e" else base)
    assert entropy(values, base=base) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert entropies(np.array(values)[:, None], base=base)[0] == entropy(values, base=base)


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=30))
def test_weights_agree_with_scipy(weights):
    symbols = np.arange(len(weights)) % 4
    expected = stats.entropy(np.bincount(symbols, weights), base=2)
    assert entropy(symbols, weights=weights) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    weighted = entropies(symbols[:, None], weights=weights)
    np.testing.assert_allclose(weighted, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("column", [["a", "b", "a"], [True, False, True], np.array([None, "x", None], dtype=object)])
def test_symbols_of_any_kind(column):
    assert entropy(column) == entropy([0, 1, 0])
    assert entropy(column, sparse.csr_matrix([[0], [1], [0]])) == entropy([0, 1, 0])


def test_missing_objects_are_one_symbol():
    assert entropy(np.array([float("nan"), "x", float("nan"), np.nan], dtype=object)) == entropy([0, 1, 0, 0])


def test_every_way_in_gives_the_same_bits():
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 3, (90, 7))
    expected = [entropy(x) for x in X.T]
    chunks = ((X[i : i + 20],) for i in range(0, 90, 20))
    for given_x in (X, sparse.csr_matrix(X), encode(X), encode(X).sparse(), chunks, count_pairs(X, X[:, :2])):
        np.testing.assert_array_equal(entropies(given_x), expected)
    np.testing.assert_array_equal(np.diag(mutual_information_matrix(X)), expected)


def test_conditional_entropy_is_what_the_joint_one_adds():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, (2, 50))
    assert conditional_entropy(a, b) == pytest.approx(entropy(a, b) - entropy(b), rel=1e-12)
    assert conditional_entropy(a, a) == 0.0


def test_the_scls_worked_example_from_its_printed_entropies():  # [SCLS, table 7]
    # A two-valued column with H above ln 2 shows that the printed numbers are bits.
    share = 0.2731
    assert entropy([0, 1], weights=[1 - share, share]) == pytest.approx(0.845, abs=1e-3)
    assert entropy([0, 1], weights=[1 - share, share], base="e") < np.log(2) < 0.845


@pytest.mark.parametrize("base", [0, 1, -2, "two", None, np.nan, np.inf])
def test_a_base_that_is_none_is_refused(base):
    with pytest.raises(ParameterError, match="entropy needs base to be"):
        entropy([0, 1], base=base)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ParameterError, match="same rows"):
        entropy([0, 1], [0, 1, 2])
    with pytest.raises(ParameterError, match="one column"):
        entropy(np.zeros((2, 2, 2)))
    with pytest.raises(ParameterError, match="one number for each of 2 rows"):
        entropy([0, 1], weights=[1.0])
