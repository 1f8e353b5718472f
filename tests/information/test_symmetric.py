import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from plait.information import symmetric_uncertainty, symmetric_uncertainty_matrix


@given(st.integers(0, 10**6), st.integers(2, 80))
@settings(max_examples=25)
def test_agrees_with_scikit_learn_and_over_all_ways_in(seed, n):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, (n, 4)), rng.integers(0, 2, (n, 3))
    X[:, 3] = 2
    found = symmetric_uncertainty_matrix(X, Y)
    # scikit-learn calls two constant columns fully dependent; here they share nothing.
    expected = [[normalized_mutual_info_score(x, y) * (np.ptp(x) + np.ptp(y) > 0) for y in Y.T] for x in X.T]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found, symmetric_uncertainty_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y)))
    np.testing.assert_array_equal(found, [[symmetric_uncertainty(x, y) for y in Y.T] for x in X.T])


def test_a_matrix_with_itself_has_ones_for_what_varies():
    X = np.array([[0, 4, 1], [1, 4, 0], [2, 4, 1]])
    np.testing.assert_array_equal(np.diag(symmetric_uncertainty_matrix(X)), [1, 0, 1])
