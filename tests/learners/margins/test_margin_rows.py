"""Products of dense and sparse rows against each other and against NumPy."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.margins.margin_rows import DenseRows, SparseRows


@pytest.fixture(params=["dense", "sparse"])
def rows(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 7)) * (rng.random((15, 7)) < 0.5)
    csr = sparse.csr_matrix(X)
    return (DenseRows(X) if request.param == "dense" else SparseRows(csr.indptr, csr.indices, csr.data, csr.shape)), X


def test_products(rows):
    made, X = rows
    rng = np.random.default_rng(1)
    w, chosen = rng.normal(size=7), np.array([2, 3, 9, 14])
    assert made.shape == X.shape
    np.testing.assert_allclose(made.scores(w), X @ w, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(made.scores_of(chosen, w), X[chosen] @ w, rtol=1e-12, atol=1e-14)
    factors = rng.normal(size=4)
    np.testing.assert_allclose(made.combined(chosen, factors), factors @ X[chosen], rtol=1e-12, atol=1e-14)
    total = np.ones(7)
    made.add_curvature(chosen, factors, w, total)
    np.testing.assert_allclose(total, 1 + (factors * (X[chosen] @ w)) @ X[chosen], rtol=1e-12, atol=1e-14)
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
