"""Products of dense and sparse rows against each other and against NumPy."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.svm.rows import DenseRows, SparseRows


@pytest.fixture(params=["dense", "sparse"])
def rows(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 7)) * (rng.random((15, 7)) < 0.5)
    return (DenseRows(X) if request.param == "dense" else SparseRows(sparse.csr_matrix(X))), X


def test_products(rows):
    made, X = rows
    rng = np.random.default_rng(1)
    w, chosen = rng.normal(size=7), np.array([2, 3, 9, 14])
    assert made.shape == X.shape
    np.testing.assert_allclose(made.scores(w), X @ w, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(made.scores_of(chosen, w), X[chosen] @ w, rtol=1e-12, atol=1e-14)
    factors = rng.normal(size=4)
    np.testing.assert_allclose(made.combined(chosen, factors), factors @ X[chosen], rtol=1e-12, atol=1e-14)
    assert made.n_entries(chosen) == (28 if isinstance(made, DenseRows) else np.count_nonzero(X[chosen]))
    np.testing.assert_allclose(made.squared_entries(chosen, factors), factors @ X[chosen] ** 2, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_sums_of_outer_products(rows, side):
    made, X = rows
    chosen, factors = np.array([1, 4, 5]), side * np.array([0.5, 2.0, 3.0])
    H = np.eye(7)
    made.add_outer(chosen, factors, H)
    expected = np.eye(7) + (X[chosen].T * factors) @ X[chosen]
    np.testing.assert_allclose(np.tril(H), np.tril(expected), rtol=1e-12, atol=1e-14)
    made.add_outer(chosen[:0], factors[:0], H)
    np.testing.assert_allclose(np.tril(H), np.tril(expected), rtol=1e-12, atol=1e-14)


def test_products_of_rows(rows):
    made, X = rows
    chosen = np.array([9, 0, 3, 14, 2])
    K = np.zeros((6, 6))
    made.extend_gram(chosen[:2], 0, K)
    made.extend_gram(chosen, 2, K)
    np.testing.assert_allclose(np.tril(K[:5, :5]), np.tril(X[chosen] @ X[chosen].T), rtol=1e-12, atol=1e-14)
    slots = np.array([0, 2, 4])
    part = made.part_of_gram(K, slots)
    expected = X[chosen[slots]] @ X[chosen[slots]].T
    np.testing.assert_allclose(np.tril(part), np.tril(expected), rtol=1e-12, atol=1e-14)


def test_columns_are_cut_and_renumbered(rows):
    made, X = rows
    cut = made.with_columns(np.array([1, 4, 6]))
    assert cut.shape == (15, 3)
    np.testing.assert_array_equal(cut.scores(np.array([1.0, 0.0, 0.0])), X[:, 1])
    np.testing.assert_array_equal(cut.scores(np.array([0.0, 2.0, 0.5])), 2 * X[:, 4] + 0.5 * X[:, 6])
    assert cut.n_entries(np.arange(15)) == (45 if isinstance(made, DenseRows) else np.count_nonzero(X[:, [1, 4, 6]]))
