import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.decomposition import PCA

from plait.structure.principal_components import component_scores


def data(n, d, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < share) * np.linspace(1.0, 3.0, d) + rng.normal(size=(n, 1))
    X[rng.random((n, d)) < 0.5] = 0.0
    return X


# Below and above the size at which the whole matrix is decomposed; wide and tall.
@pytest.mark.parametrize("shape", [(30, 5), (5, 30), (900, 400), (300, 1200), (200_000, 2)])
def test_against_scikit_learn(shape):
    X = data(*shape)
    scores = component_scores(X, 2)
    expected = PCA(2, svd_solver="full").fit_transform(X)
    signs = np.sign((scores * expected).sum(axis=0))
    np.testing.assert_allclose(scores, expected * signs, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("shape", [(30, 5), (900, 400)])
def test_sparse_is_dense_and_repeats(shape):
    X = data(*shape)
    rows = sparse.csr_array(X)
    dense, thin = component_scores(X, 2), component_scores(rows, 2)
    np.testing.assert_allclose(thin, dense, rtol=0, atol=1e-9 * np.abs(dense).max())
    assert component_scores(rows, 2).tolist() == thin.tolist()


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(0, 99))
def test_small_ones_capture_the_most_variance(n, d, k, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    scores = component_scores(X, k)
    sizes = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:k]
    real = sizes[sizes > 1e-9]
    np.testing.assert_allclose(np.linalg.norm(scores, axis=0), real, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(10, 3), (700, 700), (0, 3), (3, 0)])
def test_nothing_varies(shape):
    assert component_scores(np.full(shape, 0.1), 1).shape == (shape[0], 0)
    assert component_scores(sparse.csr_array(np.full(shape, 0.1)), 1).shape == (shape[0], 0)


def test_whole_numbers_and_a_large_mean():
    X = np.random.default_rng(0).integers(0, 5, size=(600, 600))
    scores, moved = component_scores(X, 1), component_scores(X + 10_000, 1)
    np.testing.assert_allclose(moved, scores, rtol=0, atol=1e-6)
