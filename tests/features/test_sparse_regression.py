import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime

from plait.features.llsf import LabelRegression, label_distances, minimized, ridge_start

forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
shapes = pytest.mark.parametrize("shape", [(12, 4), (4, 9)])


def problem(shape, seed=0, n_labels=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape) * (rng.random(shape) < 0.7)
    Y = (rng.random((shape[0], n_labels)) < 0.5).astype(np.uint8)
    W = rng.normal(size=(shape[1], n_labels))
    return X, Y, W


@forms
@shapes
def test_value_by_its_definition(form, shape):
    X, Y, W = problem(shape)
    R = label_distances(Y.astype(float))
    found = LabelRegression.of(form(X), form(Y), alpha=0.7, beta=0.3).value(W)
    expected = 0.5 * np.sum((X @ W - Y) ** 2) + 0.35 * np.trace(W @ R @ W.T) + 0.3 * np.abs(W).sum()
    assert found == pytest.approx(expected, rel=1e-12)


@forms
@shapes
def test_gradient_by_finite_differences(form, shape):
    X, Y, W = problem(shape)
    smooth = LabelRegression.of(form(X), form(Y), alpha=0.7, beta=0.0)
    numeric = approx_fprime(W.ravel(), lambda w: smooth.value(w.reshape(W.shape)), 1e-6).reshape(W.shape)
    np.testing.assert_allclose(smooth.gradient(W), numeric, rtol=0, atol=1e-4)


@forms
@shapes
def test_lipschitz_bounds_the_change_of_the_gradient(form, shape):
    X, Y, W = problem(shape)
    smooth = LabelRegression.of(form(X), form(Y), alpha=2.0, beta=0.0)
    bound = smooth.lipschitz()
    R = label_distances(Y.astype(float))
    expected = np.sqrt(2 * (np.linalg.norm(X.T @ X, 2) ** 2 + np.linalg.norm(2.0 * R, 2) ** 2))
    assert bound == pytest.approx(expected, rel=1e-12)
    for seed in range(5):
        V = problem(shape, seed + 1)[2]
        change = np.linalg.norm(smooth.gradient(W) - smooth.gradient(V))
        assert change <= bound * np.linalg.norm(W - V) * (1 + 1e-12)


def test_distances_by_loops():
    Y = problem((12, 4))[1].astype(float)
    Y[:, 1] = 0
    expected = [[1 - (a @ b / np.sqrt((a @ a) * (b @ b)) if a.any() and b.any() else 0.0) for b in Y.T] for a in Y.T]
    np.testing.assert_allclose(label_distances(Y), expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(label_distances(sparse.csr_matrix(Y)), expected, rtol=0, atol=1e-15)


@forms
@shapes
@pytest.mark.parametrize("largest", [8192, 1])
def test_ridge_start_solves_its_equations(form, shape, largest, monkeypatch):
    monkeypatch.setattr("plait.features.llsf._LARGEST_GRAM", largest)
    X, Y, _ = problem(shape)
    W = ridge_start(form(X), form(Y), 0.1)
    np.testing.assert_allclose(X.T @ (X @ W) + 0.1 * W, X.T @ Y, rtol=0, atol=1e-8)


@forms
@shapes
def test_largest_singular_value_without_a_gram_matrix(form, shape, monkeypatch):
    monkeypatch.setattr("plait.features.llsf._LARGEST_GRAM", 1)
    monkeypatch.setattr("plait.features.llsf._SMALL_SIDE", 1)
    X, Y, _ = problem(shape)
    free = LabelRegression.of(form(X), form(Y), alpha=0.0, beta=0.0)
    assert free.gram is None
    assert free.lipschitz() == pytest.approx(np.sqrt(2) * np.linalg.norm(X, 2) ** 2, rel=1e-9)


@forms
def test_without_penalties_it_is_least_squares(form):
    X, Y, _ = problem((30, 4))
    free = LabelRegression.of(form(X), form(Y), alpha=0.0, beta=0.0)
    W, values = minimized(free, np.zeros((4, 3)), max_iter=5000, tol=0.0, momentum=True)
    expected = np.linalg.lstsq(X, Y, rcond=None)[0]
    np.testing.assert_allclose(W, expected, rtol=0, atol=1e-8)
    assert values[-1] == pytest.approx(0.5 * np.sum((X @ expected - Y) ** 2), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_without_momentum_every_step_descends(seed):
    X, Y, W = problem((20, 8), seed)
    hard = LabelRegression.of(X, Y, alpha=0.5, beta=0.2)
    _, values = minimized(hard, W, max_iter=200, tol=0.0, momentum=False)
    assert len(values) == 201
    assert np.all(np.diff(values) <= 1e-12 * abs(values[0]))


def test_the_end_satisfies_the_conditions_of_a_minimum():
    X, Y, W = problem((40, 6), seed=3)
    beta = 2.0
    hard = LabelRegression.of(X, Y, alpha=0.1, beta=beta)
    W, _ = minimized(hard, W, max_iter=20000, tol=0.0, momentum=True)
    slope = hard.gradient(W)
    assert (W == 0).any()
    assert (W != 0).any()
    np.testing.assert_allclose(slope[W != 0], -beta * np.sign(W[W != 0]), rtol=0, atol=1e-7)
    assert np.all(np.abs(slope[W == 0]) <= beta + 1e-7)


def test_it_stops_by_tolerance_and_by_number_and_before_infinity():
    X, Y, W = problem((20, 4))
    easy = LabelRegression.of(X, Y, alpha=0.1, beta=0.1)
    _, values = minimized(easy, W, max_iter=1000, tol=1e-3, momentum=True)
    assert 2 < len(values) < 1001
    assert abs(values[-2] - values[-1]) < 1e-3 * abs(values[-2])
    # Two labels that never meet and features of hardly any size: F falls without end.
    endless = LabelRegression.of(np.full((2, 1), 1e-9), np.eye(2), alpha=1.0, beta=0.0)
    W, values = minimized(endless, np.array([[1.0, -1.0]]), max_iter=10000, tol=0.0, momentum=True)
    assert np.isfinite(W).all()
    assert values[-1] < values[0]


@forms
def test_largest_singular_value_of_centred_rows_and_of_zeros(form):
    X = np.random.default_rng(0).normal(size=(40, 30))
    X -= X.mean(axis=1, keepdims=True)  # ones are orthogonal to every direction
    found = LabelRegression.of(form(X), np.ones((40, 1)), alpha=0.0, beta=0.0).lipschitz()
    assert found == pytest.approx(np.sqrt(2) * np.linalg.norm(X, 2) ** 2, rel=1e-9)
    assert LabelRegression.of(form(0 * X), np.ones((40, 1)), alpha=0.0, beta=0.0).lipschitz() == 0.0


def test_features_of_nothing_but_zeros():
    X, Y = np.zeros((5, 2)), np.ones((5, 1))
    W, values = minimized(LabelRegression.of(X, Y, 0.0, 0.0), np.zeros((2, 1)), max_iter=5, tol=0.0, momentum=True)
    assert not W.any()
    assert values[-1] == 2.5


def gaps(shape, seed=0):
    X, Y, W = problem(shape, seed)
    return X, np.where(np.random.default_rng(seed + 9).random(Y.shape) < 0.4, -1, Y).astype(np.int8), W


@forms
def test_unknown_labels_are_no_part_of_the_value(form):
    X, Y, W = gaps((12, 4))
    R = np.ones((3, 3))
    for one in range(3):
        for two in range(3):
            both = (Y[:, one] >= 0) & (Y[:, two] >= 0)
            a, b = Y[both, one].astype(float), Y[both, two].astype(float)
            R[one, two] -= a @ b / np.sqrt((a @ a) * (b @ b)) if a.any() and b.any() else 0.0
    assert 0 < R[0, 1] < 1
    expected = 0.35 * np.trace(W @ R @ W.T) + 0.3 * np.abs(W).sum()
    for row, label in np.argwhere(Y >= 0):
        expected += 0.5 * (X[row] @ W[:, label] - Y[row, label]) ** 2
    smooth = LabelRegression.of(form(X), Y, alpha=0.7, beta=0.0)
    assert LabelRegression.of(form(X), Y, alpha=0.7, beta=0.3).value(W) == pytest.approx(expected, rel=1e-12)
    numeric = approx_fprime(W.ravel(), lambda w: smooth.value(w.reshape(W.shape)), 1e-6).reshape(W.shape)
    np.testing.assert_allclose(smooth.gradient(W), numeric, rtol=0, atol=1e-4)
