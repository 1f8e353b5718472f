"""The objective against finite differences and its minimiser against its own conditions of optimality."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime

from plait.learners.margins import newton_systems
from plait.learners.margins.margin_rows import DenseRows, SparseRows
from plait.learners.margins.newton_systems import NewtonSystems
from plait.learners.margins.squared_hinge import dual_start, minimize_squared_hinge, objective_and_gradient


def rows_of(X, form):
    if form == "dense":
        return DenseRows(X)
    csr = sparse.csr_matrix(X)
    return SparseRows(csr.indptr, csr.indices, csr.data, csr.shape)


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
    monkeypatch.setattr(newton_systems, "LARGEST_SYSTEM", 0 if way == "conjugate gradients" else 3000)
    monkeypatch.setattr(newton_systems, "SMALLEST_SINGLE", 1 if way == "single" else 512)
    for seed in range(5):
        X, sign, cost, _ = drawn(seed, *shape) if shape[0] > 1 else (np.ones(shape), np.ones(1), np.ones(1), None)
        rows = rows_of(X, form)
        fit = minimize_squared_hinge(NewtonSystems(rows), sign, cost, np.zeros(shape[1]), tol=1e-18)
        assert fit.converged
        found, gradient = objective_and_gradient(rows, sign, cost, fit.w)
        np.testing.assert_allclose(gradient, 0.0, rtol=0, atol=1e-6)
        np.testing.assert_allclose(fit.value, found, rtol=1e-12)


@forms
def test_the_gap_is_a_bound_at_every_tolerance(form):
    X, sign, cost, rng = drawn(7, 80, 10)
    rows = rows_of(X, form)
    systems = NewtonSystems(rows)
    least = minimize_squared_hinge(systems, sign, cost, np.zeros(10), tol=1e-20).value
    for tol in (10.0, 1e-1, 1e-2, 1e-4):
        start = rng.normal(size=10) * 3
        fit = minimize_squared_hinge(systems, sign, cost, start, tol=tol)
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
    fit = minimize_squared_hinge(NewtonSystems(DenseRows(X)), sign, cost, np.zeros(10), tol=1e-16, max_iter=1)
    assert (fit.converged, fit.n_iter) == (False, 1)
    assert fit.gap > 1e-16


def test_the_dual_start_is_near_and_names_the_active_rows():
    X, sign, cost, _ = drawn(9, 100, 150)
    rows = rows_of(X, "sparse")
    w, active = dual_start(rows, sign, cost)
    fit = minimize_squared_hinge(NewtonSystems(rows), sign, cost, np.zeros(150), tol=1e-18)
    truth = np.flatnonzero((1 - sign * (X @ fit.w) > 0) & (cost > 0))
    assert value(X, sign, cost, w) < 2 * fit.value < 0.5 * value(X, sign, cost, 0 * w)
    assert len(np.setxor1d(active, truth)) <= 0.1 * len(truth)
    assert (cost[active] > 0).all()
    again = minimize_squared_hinge(NewtonSystems(rows), sign, cost, w, active, tol=1e-18)
    np.testing.assert_allclose(again.w, fit.w, rtol=1e-7, atol=1e-8)


@forms
def test_a_misleading_set_of_first_rows_does_no_harm(form):
    X, sign, cost, rng = drawn(10, 50, 6)
    rows = rows_of(X, form)
    expected = minimize_squared_hinge(NewtonSystems(rows), sign, cost, np.zeros(6), tol=1e-18)
    for first in (np.flatnonzero(cost > 0)[:1], np.flatnonzero((sign < 0) & (cost > 0))):
        fit = minimize_squared_hinge(NewtonSystems(rows), sign, cost, rng.normal(size=6), first, tol=1e-18)
        assert fit.converged
        np.testing.assert_allclose(fit.w, expected.w, rtol=1e-7, atol=1e-8)
