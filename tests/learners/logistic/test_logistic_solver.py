"""`solve`: many problems over one design, each as if it were alone."""

import numpy as np
import pytest
from scipy import optimize, sparse
from threadpoolctl import threadpool_limits

from plait.learners.logistic import logistic_design, newton_preconditioner
from plait.learners.logistic import logistic_solver as logistic_scheduler
from plait.learners.logistic.conjugate_gradients import NewtonLanes
from plait.learners.logistic.logistic_design import prepared_design
from plait.learners.logistic.logistic_solver import solve

pytestmark = pytest.mark.usefixtures("either_path")


def drawn(seed=0, n_rows=70, n_columns=9, n_labels=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    Y = (X @ rng.normal(size=(n_columns, n_labels)) + rng.logistic(size=(n_rows, n_labels)) > 0.3).astype(np.uint8)
    return X, Y


def value(A, y, w, b, C, weights):
    z = A @ w + b
    return C * (weights * (np.logaddexp(0, z) - y * z)).sum() + 0.5 * w @ w


def minimised(A, y, C, weights):
    """SciPy's minimum of the plain objective."""

    def both(v):
        z = A @ v[:-1] + v[-1]
        r = C * weights * (1 / (1 + np.exp(-z)) - y)
        return value(A, y, v[:-1], v[-1], C, weights), np.append(A.T @ r + v[:-1], r.sum())

    return optimize.minimize(both, np.zeros(A.shape[1] + 1), jac=True, method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_problems_with_their_own_strength_weights_label_and_support(stored):
    X, Y = drawn()
    rng = np.random.default_rng(1)
    columns = np.array([0, 3, 3, 1, 0, 4, 2] * 5)
    strengths = 10.0 ** rng.integers(-2, 3, size=len(columns))
    weights = rng.uniform(0, 2, size=(70, 3)) * (rng.random((70, 3)) < 0.7)
    weight_columns = rng.integers(0, 3, size=len(columns))
    support = rng.random((len(columns), 9)) < 0.7
    design = prepared_design(stored(X), standardize=False)
    found = solve(
        design,
        Y,
        strengths=strengths,
        columns=columns,
        weights=weights,
        weight_columns=weight_columns,
        support=support,
        tol=1e-12,
    )
    assert found.converged.all()
    coef, intercept = design.original(found.coef, found.intercept)
    for m, k in enumerate(columns):
        kept, w = support[m], weights[:, weight_columns[m]]
        best = minimised(X[:, kept], Y[:, k], strengths[m], w)
        assert not coef[m, ~kept].any()
        np.testing.assert_allclose(coef[m, kept], best[:-1], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(intercept[m], best[-1], rtol=1e-3, atol=1e-4)
        least = value(X[:, kept], Y[:, k], best[:-1], best[-1], strengths[m], w)
        assert value(X, Y[:, k], coef[m], intercept[m], strengths[m], w) <= least * (1 + 1e-9)
        np.testing.assert_allclose(found.objective[m], least, rtol=1e-6)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_a_problem_gets_the_same_bits_alone_and_in_any_place_of_a_sparse_batch(stored):
    X, Y = drawn(2, n_labels=40)
    design = prepared_design(stored(X), standardize=False)
    whole = solve(design, Y)
    part = solve(design, Y, columns=[39, 7])
    np.testing.assert_array_equal(part.coef, whole.coef[[39, 7]])
    np.testing.assert_array_equal(part.intercept, whole.intercept[[39, 7]])
    np.testing.assert_array_equal(part.n_iter, whole.n_iter[[39, 7]])


def test_fewer_lanes_for_the_last_problems_change_no_bit(monkeypatch, compiled_path):
    rng = np.random.default_rng(9)
    X, Y = drawn(9, n_rows=300, n_columns=40, n_labels=30)
    X[rng.random(X.shape) < 0.6] = 0
    X[:8] *= 100  # heavy rows
    monkeypatch.setattr(newton_preconditioner, "_PREPARING", 1)
    monkeypatch.setattr(newton_preconditioner, "_LEAST_PATIENCE", 3)
    design, found, widths = prepared_design(sparse.csr_array(X), standardize=False), [], []
    plain = NewtonLanes.sweep
    monkeypatch.setattr(
        NewtonLanes, "sweep", lambda lanes: (widths.append((lanes.n_lanes, bool(lanes._heavy))), plain(lanes))[1]
    )
    for few in (0, 12, 16):
        monkeypatch.setattr(logistic_scheduler, "_FEW", few)
        found.append(solve(design, Y))
    assert set(widths) >= {(16, True), (8, True)}
    for other in found[1:]:
        np.testing.assert_array_equal(other.coef, found[0].coef)
        np.testing.assert_array_equal(other.n_iter, found[0].n_iter)
    alone = solve(design, Y, columns=[4])
    np.testing.assert_array_equal(alone.coef[0], found[0].coef[4])


def test_columns_in_the_order_of_their_frequency_are_handed_back_as_they_came(monkeypatch, compiled_path):
    X, Y = drawn(7)
    X[np.random.default_rng(7).random(X.shape) < np.linspace(0.9, 0.1, X.shape[1])] = 0  # the last are most frequent
    support = np.random.default_rng(8).random((Y.shape[1], X.shape[1])) < 0.7
    plain = solve(prepared_design(sparse.csr_array(X), standardize=False), Y, support=support, tol=1e-10)
    monkeypatch.setattr(logistic_design, "_WIDE", 1)
    design = prepared_design(sparse.csr_array(X), standardize=False)
    assert design.order is not None
    assert (design.order != np.arange(X.shape[1])).any()
    found = solve(design, Y, support=support, tol=1e-10)
    np.testing.assert_allclose(found.coef, plain.coef, rtol=1e-4, atol=1e-6)
    assert not found.coef[~support].any()
    assert solve(design, Y, support=support, tol=1e-8, start=found).n_iter.tolist() == [1] * Y.shape[1]


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_the_same_bits_for_any_number_of_threads(stored):
    X, Y = drawn(6, n_rows=900, n_columns=120, n_labels=20)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(solve(prepared_design(stored(X)), Y))
    np.testing.assert_array_equal(found[0].coef, found[1].coef)
    np.testing.assert_array_equal(found[0].intercept, found[1].intercept)


def test_starting_from_the_solution_takes_one_step():
    X, Y = drawn(3)
    design = prepared_design(X)
    first = solve(design, Y, tol=1e-8)
    again = solve(design, Y, tol=1e-8, start=first)
    assert again.n_iter.tolist() == [1] * 5
    assert (first.n_iter > 2).all()


def test_rare_steps_and_no_convergence_are_reported():
    X, Y = drawn(4)
    found = solve(prepared_design(X), Y, max_iter=2, tol=1e-12)
    assert not found.converged.any()
    assert found.n_iter.tolist() == [2] * 5


def test_rows_with_huge_entries_do_not_keep_it_from_the_optimum():
    rng = np.random.default_rng(5)
    X = sparse.random_array(
        (300, 80), density=0.15, random_state=rng, data_sampler=lambda size: rng.integers(1, 4, size=size)
    )
    X = X.toarray() * np.where(rng.random(300) < 0.1, 10 ** rng.uniform(1, 3, 300), 1.0)[:, None]
    Y = (np.sign(X) @ rng.normal(size=(80, 4)) + rng.logistic(size=(300, 4)) > 0).astype(np.uint8)
    design = prepared_design(sparse.csr_array(X), standardize=False)
    found = solve(design, Y, strengths=10.0)
    exact = solve(prepared_design(X, standardize=False), Y, strengths=10.0, tol=1e-13, dtype="float64")
    dense = prepared_design(X, standardize=False)
    for k in range(4):
        (w, b), (v, c) = (
            design.original(found.coef[[k]], found.intercept[[k]]),
            dense.original(exact.coef[[k]], exact.intercept[[k]]),
        )
        least = value(X, Y[:, k], v[0], c[0], 10.0, 1.0)
        assert value(X, Y[:, k], w[0], b[0], 10.0, 1.0) <= least * (1 + 1e-6)
    assert found.converged.all()
