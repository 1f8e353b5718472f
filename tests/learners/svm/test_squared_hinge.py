"""The objective against finite differences and its minimiser against its own conditions of optimality."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime, minimize_scalar

from plait.learners.svm import squared_hinge
from plait.learners.svm.rows import DenseRows, SparseRows
from plait.learners.svm.squared_hinge import NewtonSteps, line_search, minimize_squared_hinge, objective_and_gradient


def rows_of(X, form):
    if form == "dense":
        return DenseRows(X)
    return SparseRows(sparse.csr_matrix(X))


def drawn(seed, n, d, filled=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < filled)
    sign = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1.0, -1.0)
    sign[:2] = 1.0, -1.0
    cost = rng.uniform(0.1, 3.0, size=n) * (rng.random(n) < 0.9)
    return X, sign, cost, rng


def value(X, sign, cost, w):
    return 0.5 * w @ w + sum(c * max(0.0, 1 - s * (x @ w)) ** 2 for x, s, c in zip(X, sign, cost, strict=True))


forms = pytest.mark.parametrize("form", ["dense", "sparse"])


@forms
@pytest.mark.parametrize("seed", range(3))
def test_value_and_gradient(form, seed):
    X, sign, cost, rng = drawn(seed, 25, 6)
    w = rng.normal(size=6)
    found, gradient = objective_and_gradient(rows_of(X, form), sign, cost, w)
    np.testing.assert_allclose(found, value(X, sign, cost, w), rtol=1e-12)
    np.testing.assert_allclose(
        gradient, approx_fprime(w, lambda v: value(X, sign, cost, v), 1e-7), rtol=1e-4, atol=1e-4
    )


@forms
@pytest.mark.parametrize("shape", [(60, 8), (20, 50), (1, 3), (30, 1)])
@pytest.mark.parametrize("way", ["cholesky", "conjugate gradients", "single"])
def test_every_way_ends_where_the_gradient_vanishes(form, shape, way, monkeypatch):
    monkeypatch.setattr(squared_hinge, "LARGEST_SYSTEM", 0 if way == "conjugate gradients" else 3000)
    monkeypatch.setattr(squared_hinge, "SMALLEST_SINGLE", 1 if way == "single" else 512)
    for seed in range(5):
        X, sign, cost, _ = drawn(seed, *shape) if shape[0] > 1 else (np.ones(shape), np.ones(1), np.ones(1), None)
        rows = rows_of(X, form)
        fit = minimize_squared_hinge(NewtonSteps(rows), sign, cost, np.zeros(shape[1]), tol=1e-18)
        assert fit.converged
        found, gradient = objective_and_gradient(rows, sign, cost, fit.w)
        np.testing.assert_allclose(gradient, 0.0, rtol=0, atol=1e-6)
        np.testing.assert_allclose(fit.value, found, rtol=1e-12)


@forms
def test_the_gap_is_a_bound_at_every_tolerance(form):
    X, sign, cost, rng = drawn(7, 80, 10)
    rows = rows_of(X, form)
    steps = NewtonSteps(rows)
    least = minimize_squared_hinge(steps, sign, cost, np.zeros(10), tol=1e-20).value
    for tol in (10.0, 1e-1, 1e-2, 1e-4):
        start = rng.normal(size=10) * 3
        fit = minimize_squared_hinge(steps, sign, cost, start, tol=tol)
        assert least * (1 - 1e-12) <= fit.value <= least + fit.gap * fit.value + 1e-12
        assert fit.gap <= tol
        found, gradient = objective_and_gradient(rows, sign, cost, fit.w)
        np.testing.assert_allclose(fit.gap * found, 0.5 * gradient @ gradient, rtol=1e-6, atol=1e-20)
    # 1/2 ||gradient||^2 is what primal and dual differ by, at any w.
    w = rng.normal(size=10)
    slack = np.maximum(0, 1 - sign * (X @ w))
    alpha = 2 * cost * slack
    dual = alpha.sum() - 0.5 * np.sum(((alpha * sign) @ X) ** 2) - cost @ slack**2
    found, gradient = objective_and_gradient(rows, sign, cost, w)
    np.testing.assert_allclose(found - dual, 0.5 * gradient @ gradient, rtol=1e-10)


def test_steps_that_do_not_suffice_are_told():
    X, sign, cost, _ = drawn(8, 60, 10, filled=1.0)
    fit = minimize_squared_hinge(NewtonSteps(DenseRows(X)), sign, cost, np.zeros(10), tol=1e-16, max_iter=1)
    assert (fit.converged, fit.n_iter) == (False, 1)
    assert fit.gap > 1e-16


@pytest.mark.parametrize("seed", range(20))
def test_the_line_search_is_exact(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    scores, change, cost = rng.normal(size=n), rng.normal(size=n) * 10.0 ** rng.integers(-3, 3), rng.uniform(0, 3, n)
    sign = rng.choice([-1.0, 1.0], size=n)
    w, d = rng.normal(size=4), rng.normal(size=4)

    def along(a):
        slack = np.maximum(0, 1 - sign * (scores + a * change))
        return 0.5 * (w + a * d) @ (w + a * d) + cost @ slack**2

    if (along(1e-7) - along(-1e-7)) > 0:
        d, change = -d, -change
    step = line_search(1 - sign * scores, sign * change, cost, float(w @ d), float(d @ d))
    best = minimize_scalar(along, bounds=(0, 2 * step + 1), method="bounded", options={"xatol": 1e-12}).fun
    assert step > 0
    assert along(step) <= best * (1 + 1e-10)


@forms
def test_a_misleading_set_of_first_rows_does_no_harm(form):
    X, sign, cost, rng = drawn(10, 50, 6)
    rows = rows_of(X, form)
    expected = minimize_squared_hinge(NewtonSteps(rows), sign, cost, np.zeros(6), tol=1e-18)
    for first in (np.flatnonzero(cost > 0)[:1], np.flatnonzero((sign < 0) & (cost > 0))):
        fit = minimize_squared_hinge(NewtonSteps(rows), sign, cost, rng.normal(size=6), first, tol=1e-18)
        assert fit.converged
        np.testing.assert_allclose(fit.w, expected.w, rtol=1e-7, atol=1e-8)


def least_squares(X, chosen, sign, cost):
    """Minimise 1/2 ||w||^2 + sum cost (1 - sign w.x)^2 as least squares."""
    root = np.sqrt(2 * cost[chosen])[:, None]
    stacked = np.vstack([np.eye(X.shape[1]), root * X[chosen]])
    right = np.concatenate([np.zeros(X.shape[1]), root.ravel() * sign[chosen]])
    return np.linalg.lstsq(stacked, right, rcond=None)[0]


WAYS = {
    "cholesky": {},
    "single": {"SMALLEST_SINGLE": 1},
    "shared": {"LABELS_THAT_SHARE": 1},
    "forgetful": {"LARGEST_GRAM": 14},
    "conjugate gradients": {"LARGEST_SYSTEM": 0},
    "always worth it": {"PRODUCT_COST": 1e-9},
    "never worth it": {"PRODUCT_COST": 1e9, "LOOK_AHEAD": 1},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("shape", [(40, 6), (30, 50)], ids=["tall", "wide"])
def test_sets_of_rows_one_after_the_other(way, form, shape, monkeypatch):
    for name, limit in WAYS[way].items():
        monkeypatch.setattr(squared_hinge, name, limit)
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) * (rng.random(shape) < 0.5)
    steps = NewtonSteps(rows_of(X, form))
    for label in range(3):
        sign = rng.choice([-1.0, 1.0], size=shape[0])
        cost = np.full(shape[0], 1.0) if label < 2 else rng.uniform(0.1, 2.0, size=shape[0])
        steps.begin(cost)
        sets = [np.arange(shape[0])] if way != "forgetful" else []
        sets += [np.sort(rng.permutation(shape[0])[:size]) for size in (12, 9, 11, 1, 13)]
        for chosen in sets:
            found = steps.minimiser(chosen, sign, cost, np.zeros(shape[1]), 1e-10)
            np.testing.assert_allclose(found, least_squares(X, chosen, sign, cost), rtol=1e-6, atol=1e-7)


def test_a_system_too_badly_conditioned_for_single_precision_is_solved_in_double(monkeypatch):
    monkeypatch.setattr(squared_hinge, "SMALLEST_SINGLE", 1)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 40))
    X[6:] = X[:6] + 1e-5 * rng.normal(size=(6, 40))
    sign, cost = rng.choice([-1.0, 1.0], size=12), np.full(12, 1e9)
    found = NewtonSteps(DenseRows(X)).minimiser(np.arange(12), sign, cost, np.zeros(40), 1e-8)
    np.testing.assert_allclose(X @ found, X @ least_squares(X, np.arange(12), sign, cost), rtol=0, atol=1e-3)


def test_what_is_shared_is_the_same_whatever_came_before():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 50))
    signs = rng.choice([-1.0, 1.0], size=(9, 30))
    cost = np.ones(30)
    used = NewtonSteps(DenseRows(X), n_labels=9)
    for sign in signs[:8]:
        used.begin(cost)
        used.minimiser(np.sort(rng.permutation(30)[:20]), sign, cost, np.zeros(50), 0.1)
    fresh = NewtonSteps(DenseRows(X), n_labels=9)
    chosen = np.arange(4, 25)
    for steps in (used, fresh):
        steps.begin(cost)
    found = [s.minimiser(chosen, signs[8], cost, np.zeros(50), 0.1) for s in (used, fresh)]
    np.testing.assert_array_equal(found[0], found[1])
