import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from plait.baselines.leave_one_out_ridge import ALPHAS, fitted_ridge


def problem(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.geomspace(0.1, 10, d) + 1.0
    centred = (X - X.mean(axis=0)) / X.std(axis=0)
    targets = (centred @ rng.normal(size=(d, 3)) + rng.normal(size=(n, 3)) > 0.2).astype(float)
    return X, targets, rng.uniform(0.3, 1.0, size=n)


def scaled(X, weights):
    centre = weights @ X / weights.sum()
    return X / np.sqrt(weights @ (X - centre) ** 2 / weights.sum())


@pytest.mark.parametrize("d", [5, 60])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_it_is_scikit_learns_ridge_with_every_row_left_out_in_turn(d, weighted, form):
    X, targets, weights = problem(d=d)
    if not weighted:
        weights = np.ones(40)
    ours = fitted_ridge(form(X), targets, weights if weighted else None, alpha=3.0)
    columns = scaled(X, weights)
    theirs = Ridge(alpha=3.0).fit(columns, targets, sample_weight=weights)
    np.testing.assert_allclose(ours.in_sample, theirs.predict(columns), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.predict(form(X)), ours.in_sample, rtol=1e-8, atol=1e-8)
    for row in range(0, 40, 7):
        others = np.arange(40) != row
        without = Ridge(alpha=3.0).fit(columns[others], targets[others], sample_weight=weights[others])
        np.testing.assert_allclose(ours.left_out[row], without.predict(columns[[row]])[0], rtol=1e-7, atol=1e-7)
    assert ours.alpha == 3.0


@pytest.mark.parametrize("d", [5, 60])
def test_the_penalty_with_the_least_error_on_rows_left_out_is_taken(d):
    X, targets, weights = problem(d=d)
    found = fitted_ridge(X, targets, weights)
    errors = [
        (weights[:, None] * (fitted_ridge(X, targets, weights, alpha).left_out - targets) ** 2).sum()
        for alpha in ALPHAS
    ]
    assert found.alpha == ALPHAS[np.argmin(errors)]
    assert ALPHAS[0] > found.alpha > ALPHAS[-1]


@pytest.mark.parametrize("d", [5, 60])
def test_a_weight_is_a_repetition(d):
    X, targets, _ = problem(d=d)
    times = np.random.default_rng(1).integers(1, 4, size=40)
    one = fitted_ridge(X, targets, times.astype(float))
    two = fitted_ridge(X.repeat(times, axis=0), targets.repeat(times, axis=0))
    assert one.alpha == two.alpha
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.left_out.repeat(times, axis=0), two.left_out, rtol=1e-7, atol=1e-7)


def test_columns_in_other_units_give_the_same():
    X, targets, _ = problem()
    one, two = fitted_ridge(X, targets), fitted_ridge(X * [1, 10, 100, 0.1, 3], targets)
    np.testing.assert_allclose(one.left_out, two.left_out, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_few_rows_and_constant_columns(form):
    X = np.array([[1.0, 2.0, 0.0], [1.0, 5.0, 0.0]])
    found = fitted_ridge(form(X), np.array([[0.0], [1.0]]))
    assert np.isfinite(found.coef).all()
    # Without the other row there is nothing but its label to predict.
    np.testing.assert_allclose(found.left_out, [[1.0], [0.0]], rtol=0, atol=1e-6)
    nothing = fitted_ridge(form(np.ones((3, 4))), np.eye(3))
    np.testing.assert_allclose(nothing.in_sample, np.full((3, 3), 1 / 3), rtol=1e-9)
    assert fitted_ridge(form(X), np.empty((2, 0))).predict(form(X)).shape == (2, 0)
