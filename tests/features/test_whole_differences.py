from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import pairwise_distances

from plait.features.whole_differences import WholeDifferences

matrices = st.integers(1, 6).flatmap(lambda n: arrays(float, (n, 4), elements=st.integers(-4, 5).map(float)))


def difference(X, nominal, a, b, f):
    """Return diff of rows a and b in column f as a fraction."""
    if nominal[f]:
        return Fraction(int(X[a, f] != X[b, f]))
    width = int(np.ptp(X[:, f]))
    return Fraction(abs(int(X[a, f]) - int(X[b, f])), width) if width else Fraction(0)


@given(X=matrices, nominal=st.lists(st.booleans(), min_size=4, max_size=4))
def test_differences_are_exact_and_dense_is_sparse(X, nominal):
    nominal = np.array(nominal)
    dense = WholeDifferences.of(X, nominal)
    thin = WholeDifferences.of(sparse.csr_matrix(X), nominal)
    np.testing.assert_array_equal(thin.values.toarray(), dense.values)
    np.testing.assert_array_equal(thin.owner, dense.owner)
    for a in range(len(X)):
        for b in range(len(X)):
            parts = np.abs(dense.values[a] - dense.values[b])
            found = np.bincount(dense.owner, weights=parts, minlength=4)
            expected = [difference(X, nominal, a, b, f) * dense.unit for f in range(4)]
            assert found.tolist() == expected


def test_distances_are_whole_numbers_below_the_exact_range():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 300)) * (rng.random((20, 300)) < 0.5)
    dense, thin = (WholeDifferences.of(form(X), np.zeros(300, bool)) for form in (np.asarray, sparse.csr_matrix))
    a, b = (pairwise_distances(each.values, metric="manhattan") for each in (dense, thin))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(a, np.rint(a))
    assert 0 < a.max() < 2**53
    width = np.ptp(X, axis=0)
    np.testing.assert_allclose(a[0, 1] / dense.unit, np.sum(np.abs(X[0] - X[1]) / width), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_far_from_zero(form):
    X = 1e9 + np.array([[0.0], [1.0], [4.0]])
    made = WholeDifferences.of(form(X), np.array([False]))
    values = made.values.toarray() if sparse.issparse(made.values) else made.values
    assert values.ravel().tolist() == [0, made.unit / 4, made.unit]
