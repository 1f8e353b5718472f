import numpy as np
from scipy import sparse

from plait.information import (
    entropies,
    mutual_information,
    mutual_information_matrix,
    normalized_mutual_information_matrix,
    symmetric_uncertainty_matrix,
)


def test_columns_with_more_cells_than_memory_are_counted_pair_by_pair(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 4)).round(1)
    Y = np.column_stack((rng.integers(0, 2, 50), np.arange(50.0), X[:, 0]))
    expected = [[mutual_information(x, y) for y in Y.T] for x in X.T]
    for most in (1, 40, 3000):
        monkeypatch.setattr("plait.information.contents._MOST_CELLS", most)
        np.testing.assert_array_equal(mutual_information_matrix(X, Y), expected)
        np.testing.assert_array_equal(
            mutual_information_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y), n_jobs=2), expected
        )


def test_a_constant_column_stays_without_entropy_under_float_weights():
    # Rounding goes either way, so that several draws are needed to see it.
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = np.column_stack((np.ones(300), np.zeros(300), np.full(300, 2), rng.integers(0, 3, 300)))
        weights = rng.random(300)
        for form in (X, sparse.csr_matrix(X)):
            np.testing.assert_array_equal(entropies(form, weights=weights)[:3], 0.0)
            np.testing.assert_array_equal(normalized_mutual_information_matrix(form, weights=weights)[:3], 0.0)
            np.testing.assert_array_equal(symmetric_uncertainty_matrix(form, weights=weights)[:3], 0.0)
