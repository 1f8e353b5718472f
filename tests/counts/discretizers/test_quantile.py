import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from plait.counts import QuantileDiscretizer


def plain(values, n_bins):
    """The definition: the k-th cut is the smallest value with k / n_bins of all values at or below it."""
    ordered = sorted(values)
    cuts = {ordered[math.ceil(k * len(values) / n_bins) - 1] for k in range(1, n_bins)} - {ordered[-1]}
    return [sum(v > cut for cut in cuts) for v in values]


@given(st.lists(st.integers(-5, 9), min_size=3, max_size=40), st.integers(2, 7))
def test_the_definition(values, n_bins):
    assume(len(set(values)) > 2)
    X = np.array(values, dtype=float)[:, None]
    fitted = QuantileDiscretizer(n_bins)
    expected = plain(values, n_bins)
    assert fitted.fit_transform(X).ravel().tolist() == expected
    rows = sparse.csr_matrix(X)
    np.testing.assert_array_equal(fitted.fit_transform(rows).toarray().ravel() + fitted.zero_codes_, expected)


def test_different_values_fill_the_bins_evenly():
    X = np.random.default_rng(0).permutation(100).astype(float)[:, None]
    codes = QuantileDiscretizer(4).fit_transform(X)
    assert np.bincount(codes.ravel()).tolist() == [25, 25, 25, 25]


def test_the_zeros_of_a_mostly_empty_column_are_a_bin():
    X = np.concatenate((np.zeros(70), np.arange(1.0, 31.0)))[:, None]
    fitted = QuantileDiscretizer(4)
    codes = fitted.fit_transform(sparse.csr_matrix(X))
    assert codes.nnz == 30
    assert fitted.n_symbols_.tolist() == [3]
