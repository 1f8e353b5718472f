"""The quasi-Newton method: near the optimum whatever the labels, weights and supports; its kernels against NumPy."""

import numpy as np
import pytest
from scipy.special import expit

from plait.learners.logistic._lanes import LANES, NARROW, WIDTHS
from plait.learners.logistic._quasi_newton_kernels import first_half, remember, second_half, walk_rows
from plait.learners.logistic.logistic_batch import Batch
from plait.learners.logistic.logistic_design import prepared_design
from plait.learners.logistic.logistic_solver import solve
from plait.learners.logistic.newton_preconditioner import chosen_preconditioner
from plait.learners.logistic.quasi_newton import approached

both_widths = pytest.mark.parametrize("n_lanes", [NARROW, LANES])


def drawn(seed=0, n_rows=300, n_columns=12, n_labels=20):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    Y = (X @ rng.normal(size=(n_columns, n_labels)) + 3 * rng.logistic(size=(n_rows, n_labels)) > 1).astype(np.uint8)
    return X, Y


def objectives(design, batch, coef, intercept):
    A = design._array(np.dtype(np.float64))
    z = A @ coef.T + intercept
    y = batch.targets[:, batch.columns]
    cost = np.column_stack([np.broadcast_to(batch.cost(m), len(A)) for m in range(batch.n_problems)])
    return (cost * (np.logaddexp(0, z) - y * z)).sum(axis=0) + 0.5 * (coef**2).sum(axis=1)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_near_the_optimum(weighted, masked, intercept):
    X, Y = drawn()
    rng = np.random.default_rng(1)
    design = prepared_design(X, standardize=False, fit_intercept=intercept)
    support = (rng.random((20, 12)) < 0.7) | (np.arange(12) < 6) if masked else None
    weights = rng.uniform(0, 2, size=Y.shape) if weighted else None
    strengths = 10.0 ** rng.integers(-2, 2, size=20)
    batch = Batch.of(Y, strengths, None, weights, None, support, None)
    preconditioner = chosen_preconditioner(design, support, np.dtype(np.float32))
    coef, intercepts, n_iter = approached(batch, preconditioner, list(range(20)), 1e-6, 100)
    exact = solve(design, Y, strengths=strengths, weights=weights, support=support, tol=1e-12, dtype="float64")
    least = objectives(design, batch, exact.coef, exact.intercept)
    # Where labels differ in their columns, the start knows little of how these hang together.
    assert (objectives(design, batch, coef, intercepts) <= least * (1 + (1e-5 if masked else 1e-6))).all()
    assert ((n_iter > 1) & (n_iter < (51 if masked else 30))).all()
    if support is not None:
        assert not coef[~support].any()
    if not intercept:
        assert not intercepts.any()


def test_few_steps_where_few_are_allowed():
    X, Y = drawn(n_labels=3)
    design = prepared_design(X)
    batch = Batch.of(Y, 1.0, None, None, None, None, None)
    preconditioner = chosen_preconditioner(design, None, np.dtype(np.float32))
    assert approached(batch, preconditioner, [0, 1, 2], 1e-6, 3)[2].tolist() == [2] * 3
    coef, _, n_iter = approached(batch, preconditioner, [0, 1, 2], 1e-6, 1)
    assert not n_iter.any()
    assert not coef.any()


def objective(Z, targets, cost, W, D, change, lengths, Q):
    z = Z + lengths * (D + change)
    return (cost * (np.logaddexp(0, z) - targets * z)).sum(axis=0) + 0.5 * ((W + lengths * Q) ** 2).sum(axis=0)


@both_widths
@pytest.mark.parametrize("weighted", [True, False])
def test_walks_end_where_the_slope_has_fallen(weighted, n_lanes):
    rng = np.random.default_rng(2)
    Z, D = rng.normal(size=(2, 150, n_lanes)).astype(np.float32)
    Z[:2, :3] = [[40, -40, 0], [200, -200, 90]]
    targets = (rng.random(Z.shape) < expit(Z + 2 * D)).astype(np.float32)
    cost = rng.uniform(0, 2, size=(150 if weighted else 1, n_lanes))
    Q = 0.3 * rng.normal(size=(7, n_lanes))
    W = -2 * Q
    change, running = 0.1 * rng.normal(size=(1, n_lanes)), np.arange(n_lanes) != 3
    dots = np.array([np.zeros(n_lanes), (W * Q).sum(axis=0), (Q * Q).sum(axis=0)])
    lengths, residuals, sums = np.zeros((1, n_lanes)), np.empty_like(Z), np.empty((5, n_lanes))
    old, most = Z.copy(), np.full(n_lanes, 0.05)
    walk_rows(Z, D, change, targets, cost, dots, most, running, lengths, residuals, sums, WIDTHS[n_lanes])
    h, at = 1e-4, (old.astype(np.float64), targets, cost, W, D, change)
    slope = (objective(*at, lengths + h, Q) - objective(*at, lengths - h, Q)) / (2 * h)
    assert lengths[0, 3] == 0
    assert (lengths[0, running] > 0).all()
    np.testing.assert_allclose(sums[0], slope, rtol=1e-3, atol=1e-3)
    assert (np.abs(slope[running]) < 0.06).all()
    np.testing.assert_allclose(Z, old + lengths * (D + change), rtol=1e-5, atol=1e-5)
    p = expit(Z.astype(np.float64))
    np.testing.assert_allclose(residuals, cost * (p - targets), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(sums[2], residuals.sum(axis=0), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(sums[3], (np.broadcast_to(cost, p.shape) * p * (1 - p)).sum(axis=0), rtol=1e-4)
    bend = (np.broadcast_to(cost, p.shape) * p * (1 - p) * (D + change) ** 2).sum(axis=0) + dots[2]
    np.testing.assert_allclose(sums[1], bend, rtol=1e-4)
    whole = objective(*at, lengths, Q)
    penalty = 0.5 * ((W + lengths * Q) ** 2).sum(axis=0)
    np.testing.assert_allclose(sums[4], whole - penalty, rtol=1e-5)


@both_widths
@pytest.mark.parametrize("taken", [0, 2, 4, 6])
def test_limited_memory_is_the_product_of_all_updates(taken, n_lanes):
    """The matrix that [Nocedal1980] builds pair by pair, from the last four pairs."""
    rng, n, room = np.random.default_rng(3), 5, 4
    H0 = 2.0
    steps, changes, bend = np.zeros((room * n, n_lanes)), np.zeros((room * n, n_lanes)), np.zeros((1, n_lanes))
    past = (steps, changes, *(np.zeros((room, n_lanes)) for _ in range(3)))
    W, gradient, matrices = np.zeros((n, n_lanes)), np.zeros((n, n_lanes)), [np.eye(n + 1) * H0] * n_lanes
    pairs = []
    for t in range(taken):
        D, lengths = rng.normal(size=(n, n_lanes)), rng.uniform(0.5, 1.5, size=(1, n_lanes))
        s = np.vstack([lengths * D, rng.normal(size=(1, n_lanes))])
        y = 1.5 * s + 0.3 * rng.normal(size=s.shape)
        product = gradient + y[:n] - (W + s[:n])
        old = W.copy()
        remember(t % room, W, D, lengths, product, gradient, steps, changes, bend, WIDTHS[n_lanes])
        np.testing.assert_allclose(W, old + s[:n], rtol=1e-12, atol=1e-12)
        past[2][t % room], past[3][t % room] = s[n], y[n]
        past[4][t % room] = 1 / (bend[0] + s[n] * y[n])
        pairs.append((s, y))
    for s, y in pairs[-room:]:
        for lane in range(n_lanes):
            a, c = s[:, lane], y[:, lane]
            V = np.eye(n + 1) - np.outer(c, a) / (a @ c)
            matrices[lane] = V.T @ matrices[lane] @ V + np.outer(a, a) / (a @ c)
    level = rng.normal(size=(1, n_lanes))
    b, Q, shares, dots = -level, np.empty((n, n_lanes)), np.zeros((room, n_lanes)), np.zeros((3, n_lanes))
    gradient = rng.normal(size=(n, n_lanes))
    first_half(taken, gradient, past, Q, b, shares, WIDTHS[n_lanes])
    Q, b = H0 * Q, H0 * b
    second_half(taken, gradient, W, past, Q, b, shares, dots, WIDTHS[n_lanes])
    for lane in range(n_lanes):
        whole = -matrices[lane] @ np.append(gradient[:, lane], level[0, lane])
        np.testing.assert_allclose(np.append(Q[:, lane], b[0, lane]), whole, rtol=1e-9, atol=1e-9)
    expected = [(gradient * Q).sum(axis=0), (W * Q).sum(axis=0), (Q * Q).sum(axis=0)]
    np.testing.assert_allclose(dots, expected, rtol=1e-9, atol=1e-9)
