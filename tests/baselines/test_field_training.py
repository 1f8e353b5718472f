import numpy as np
import pytest
from scipy import sparse

from plait.baselines.field_training import _start, trained_field
from plait.baselines.pseudo_likelihood import PseudoLikelihood
from plait.baselines.truncated_newton import minimize_convex

CHOICE = {"C": 1.0, "pair_C": 1.0, "kind": "constant", "standardize": "auto", "tol": 1e-11, "max_iter": 100}


def problem(n=120, d=4, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1, 10, 0.1, 3] + [0, 5, 0, -3]
    Y = (X / [1, 10, 0.1, 3] @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.5).astype(np.uint8)
    return X, Y, rng.uniform(0.2, 3.0, size=n)


@pytest.mark.parametrize("kind", ["none", "constant", "features"])
def test_weights_come_in_units_of_the_columns(kind):
    X, Y, _ = problem()
    field, _, converged = trained_field(X, Y, None, **(CHOICE | {"kind": kind}))
    assert converged
    plain = PseudoLikelihood(X / X.std(axis=0), Y.astype(float), np.ones(120), 1.0, 1.0, kind)
    theirs = plain.field(minimize_convex(plain, np.zeros(sum(plain.sizes)), 1e-11, 100).theta)
    np.testing.assert_allclose(field.scores(X), theirs.scores(plain.X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(field.pairs(X), theirs.pairs(plain.X), rtol=1e-5, atol=1e-6)


def test_the_start_is_close_to_the_end():
    X, Y, weights = problem()
    plain = PseudoLikelihood(X / X.std(axis=0), Y.astype(float), weights, 1.0, 1.0, "constant")
    end = minimize_convex(plain, np.zeros(sum(plain.sizes)), 1e-10, 100)
    nothing, begun = plain.objective(np.zeros(sum(plain.sizes)))[0], plain.objective(_start(plain))[0]
    assert end.value <= begun < end.value + 0.05 * (nothing - end.value)
    assert minimize_convex(plain, _start(plain), 1e-10, 100).n_iter < end.n_iter


def test_the_start_without_pairs_is_the_end():
    X, Y, weights = problem()
    plain = PseudoLikelihood(X / X.std(axis=0), Y.astype(float), weights, 1.0, 1.0, "none")
    end = minimize_convex(plain, np.zeros(sum(plain.sizes)), 1e-11, 100)
    np.testing.assert_allclose(_start(plain), end.theta, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["constant", "features"])
def test_a_weight_is_a_repetition(kind):
    X, Y, _ = problem(n=60)
    times = np.random.default_rng(1).integers(1, 4, size=60)
    one = trained_field(X, Y, times.astype(float), **(CHOICE | {"kind": kind}))[0]
    two = trained_field(X.repeat(times, axis=0), Y.repeat(times, axis=0), None, **(CHOICE | {"kind": kind}))[0]
    np.testing.assert_allclose(one.scores(X), two.scores(X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(one.pairs(X), two.pairs(X), rtol=1e-6, atol=1e-7)


def test_weights_and_strength_trade_places():
    X, Y, weights = problem()
    one = trained_field(X, Y, 4.0 * weights, **CHOICE)[0]
    two = trained_field(X, Y, weights, **(CHOICE | {"C": 4.0, "pair_C": 4.0}))[0]
    np.testing.assert_allclose(one.pair_intercept, two.pair_intercept, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-6, atol=1e-8)


def test_a_weak_strength_for_pairs_makes_them_small_and_leaves_binary_relevance():
    X, Y, _ = problem()
    alone = trained_field(X, Y, None, **(CHOICE | {"kind": "none"}))[0]
    field = trained_field(X, Y, None, **(CHOICE | {"pair_C": 1e-9}))[0]
    assert 0 < np.abs(field.pair_intercept).max() < 1e-6
    np.testing.assert_allclose(field.scores(X), alone.scores(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["none", "constant", "features"])
def test_labels_with_one_value_have_no_pairs(kind):
    X, Y, weights = problem()
    Y[:, 1], Y[:, 3] = 0, 1
    field = trained_field(X, Y, weights, **(CHOICE | {"kind": kind}))[0]
    assert not field.coef[[1, 3]].any()
    assert not field.pair_intercept[[1, 3]].any()
    laplace = np.array([1.0, weights.sum() + 1.0]) / (weights.sum() + 2.0)
    np.testing.assert_allclose(1 / (1 + np.exp(-field.intercept[[1, 3]])), laplace, rtol=1e-12)
    without = trained_field(X, Y[:, [0, 2]], weights, **(CHOICE | {"kind": kind}))[0]
    np.testing.assert_allclose(field.coef[[0, 2]], without.coef, rtol=1e-9, atol=1e-12)
    assert trained_field(X, np.zeros_like(Y), None, **(CHOICE | {"kind": kind}))[2]


@pytest.mark.parametrize("kind", ["constant", "features"])
def test_sparse_rows_give_the_same(kind):
    X, Y, weights = problem()
    X[np.abs(X) < 0.7] = 0
    dense = trained_field(X, Y, weights, **(CHOICE | {"kind": kind}))[0]
    thin = trained_field(sparse.csr_matrix(X), Y, weights, **(CHOICE | {"kind": kind}))[0]
    np.testing.assert_allclose(thin.coef, dense.coef, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(thin.pairs(X), dense.pairs(X), rtol=1e-6, atol=1e-7)
