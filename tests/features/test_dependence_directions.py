import numpy as np
import pytest
from scipy import sparse

from plait.features.mddm import (
    Centred,
    first_positive,
    orthonormal_directions,
    uncorrelated_directions,
)

forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
shapes = pytest.mark.parametrize("shape", [(30, 6), (6, 30)])


def problem(shape, n_labels=4, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape) * (rng.random(shape) < 0.6)
    Y = (rng.random((shape[0], n_labels)) < 0.5).astype(float)
    C = np.eye(shape[0]) - 1 / shape[0]
    assert np.linalg.matrix_rank(X.T @ C @ Y) == n_labels
    return X, Y, X.T @ C @ Y @ Y.T @ C @ X, X.T @ C @ X


@forms
@shapes
def test_centred_products_by_their_definition(form, shape):
    X, Y, _, scatter = problem(shape)
    x, y = Centred.of(form(X)), Centred.of(form(Y))
    C = np.eye(shape[0]) - 1 / shape[0]
    np.testing.assert_allclose(x.scatter_with(y), X.T @ C @ Y, rtol=0, atol=1e-12)
    np.testing.assert_allclose(x.scatter_with(x), scatter, rtol=0, atol=1e-12)
    np.testing.assert_allclose(x.kernel(), C @ X @ X.T @ C, rtol=0, atol=1e-12)
    np.testing.assert_allclose(x.combined(Y), X.T @ C @ Y, rtol=0, atol=1e-12)
    np.testing.assert_allclose(x.filled(), C @ X, rtol=0, atol=1e-12)


@forms
@shapes
def test_orthonormal_eigenvectors(form, shape):
    X, Y, A, _ = problem(shape)
    P, values = orthonormal_directions(Centred.of(form(X)), Centred.of(form(Y)))
    assert values.size == 4
    np.testing.assert_allclose(A @ P, P * values, rtol=0, atol=1e-10 * values[0])
    np.testing.assert_allclose(P.T @ P, np.eye(4), rtol=0, atol=1e-12)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1][:4], rtol=1e-10)


@forms
@shapes
@pytest.mark.parametrize("mu", [0.0, 0.5, 0.9])
def test_generalised_eigenvectors(form, shape, mu):
    X, Y, A, scatter = problem(shape)
    B = mu * scatter + (1 - mu) * np.eye(shape[1])
    P, values = uncorrelated_directions(Centred.of(form(X)), Centred.of(form(Y)), mu)
    assert values.size == 4
    np.testing.assert_allclose(A @ P, B @ P * values, rtol=0, atol=1e-10 * values[0])
    np.testing.assert_allclose(P.T @ B @ P, np.eye(4), rtol=0, atol=1e-10)
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(B, A)).real)[::-1][:4]
    np.testing.assert_allclose(values, expected, rtol=1e-8)


@forms
def test_rounding_is_no_direction(form):
    X, Y, _, _ = problem((30, 6))
    X = X + 1e3
    Y[:, 1], Y[:, 2], Y[:, 3] = 1, 1 - Y[:, 0], 0  # one direction only
    for found in (
        orthonormal_directions(Centred.of(form(X)), Centred.of(form(Y))),
        uncorrelated_directions(Centred.of(form(X)), Centred.of(form(Y)), 0.5),
    ):
        assert found[1].size == 1
    crossed = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    for made in (orthonormal_directions, lambda x, y: uncorrelated_directions(x, y, 0.5)):
        P, values = made(Centred.of(form(crossed[:, :1] + 0.1)), Centred.of(form(crossed[:, 1:])))
        assert values.size == 0
        assert P.shape == (1, 0)


def test_signs():
    found = first_positive(np.array([[0.1, 3.0, -2.0], [-0.2, -3.0 - 1e-12, 1.0]]))
    np.testing.assert_array_equal(np.sign(found), [[-1, 1, 1], [1, -1, -1]])
