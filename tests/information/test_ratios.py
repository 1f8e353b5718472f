import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from plait.information import normalized_mutual_information, normalized_mutual_information_matrix


@given(st.integers(0, 10**6), st.integers(2, 80))
@settings(max_examples=25)
def test_agrees_with_scikit_learn_and_over_all_ways_in(seed, n):  # [PACC 25]
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, (n, 4)), rng.integers(0, 2, (n, 3))
    X[:, 3] = 2
    found = normalized_mutual_information_matrix(X, Y)
    expected = [
        [
            normalized_mutual_info_score(x, y, average_method="min") if min(np.ptp(x), np.ptp(y)) > 0 else 0.0
            for y in Y.T
        ]
        for x in X.T
    ]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(
        found, normalized_mutual_information_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    )
    np.testing.assert_array_equal(found, [[normalized_mutual_information(x, y) for y in Y.T] for x in X.T])


def test_what_one_variable_decides_of_another_is_all_of_it():
    fine = np.arange(8)
    assert normalized_mutual_information(fine, fine // 4) == 1.0
