"""Newton's method in NumPy: the optimum to the last digits, the same bits alone and among others, from any start."""

import numpy as np
import pytest
from scipy.optimize import minimize

from plait.core.kernel_policy import using_kernels
from plait.learners.logistic import logistic_solver
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.logistic.logistic_design import prepared_design
from plait.learners.logistic.logistic_solver import solve


@pytest.fixture(autouse=True)
def _without_kernels():
    with using_kernels("never"):
        yield


def problem(n=80, d=5, q=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    Y = (X[:, :q] + rng.normal(size=(n, q)) > 0.3).astype(np.uint8)
    form = {
        "strengths": np.array([0.1, 1.0, 10.0, 3.0]),
        "weights": rng.gamma(2.0, size=(n, 4)),
        "support": rng.random((4, d)) < 0.7,
    }
    return prepared_design(X), Y, form


def test_optimum_of_every_problem():
    design, Y, form = problem()
    found = solve(design, Y, **form, polish=True)
    A = design.rows(np.dtype(np.float64)).values
    for k in range(4):
        used = np.append(form["support"][k], True)

        def objective(w, k=k, used=used):
            z, penalty = A[:, used] @ w, 0.5 * (w[:-1] ** 2).sum()
            return form["strengths"][k] * form["weights"][:, k] @ (np.logaddexp(0, z) - Y[:, k] * z) + penalty

        least = minimize(objective, np.zeros(used.sum()), tol=1e-12)
        whole = np.append(found.coef[k], found.intercept[k])
        assert not whole[~used].any()
        assert objective(whole[used]) <= least.fun * (1 + 1e-12)
        np.testing.assert_allclose(whole[used], least.x, atol=1e-4)
    assert found.converged.all()


def test_the_same_bits_alone_and_among_others():
    design, Y, form = problem()
    found = solve(design, Y, **form, polish=True)
    for k in range(4):
        alone = solve(
            design,
            Y,
            columns=[k],
            **{name: value[..., [k]] for name, value in form.items() if name != "support"},
            weight_columns=[0],
            support=form["support"][[k]],
            polish=True,
        )
        np.testing.assert_array_equal(alone.coef[0], found.coef[k])
        np.testing.assert_array_equal(alone.intercept[0], found.intercept[k])


@pytest.mark.parametrize("far", [10.0, 1e3])
def test_a_start_where_all_rows_are_certain(far):
    design, Y, form = problem()
    rng = np.random.default_rng(1)
    start = Solution.start(far * rng.normal(size=(4, 5)), far * rng.normal(size=4))
    expected = solve(design, Y, **form, polish=True)
    found = solve(design, Y, **form, start=start, polish=True)
    np.testing.assert_allclose(found.coef, expected.coef, rtol=1e-6, atol=1e-9)
    assert found.converged.all()


def test_steps_are_bounded_and_few():
    design, Y, form = problem()
    short = solve(design, Y, **form, max_iter=2)
    assert not short.converged.any()
    np.testing.assert_array_equal(short.n_iter, 2)
    assert solve(design, Y, **form).n_iter.max() <= 8


def test_it_serves_small_problems_and_agrees_with_the_descent(monkeypatch):
    design, Y, form = problem()
    newton = solve(design, Y, **form, polish=True)
    monkeypatch.setattr(logistic_solver, "solve_newton", None)  # not called
    monkeypatch.setattr(logistic_solver, "FEW_PRODUCTS", 0)
    descent = solve(design, Y, **form, polish=True)
    np.testing.assert_allclose(newton.coef, descent.coef, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(newton.objective, descent.objective, rtol=1e-4)
