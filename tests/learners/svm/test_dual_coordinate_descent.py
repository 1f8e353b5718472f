"""Dual descent in lanes against a loop over rows, the minimiser, and itself with other labels beside it."""

import numpy as np
import pytest
from scipy import sparse

from plait.core.randomness import generator
from plait.learners.svm import dual_coordinate_descent
from plait.learners.svm._kernels import BLOCK
from plait.learners.svm.dual_coordinate_descent import DualStarts
from plait.learners.svm.rows import SparseRows
from plait.learners.svm.squared_hinge import NewtonSteps, minimize_squared_hinge


def drawn(seed, n, d, q):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    signs = np.where(X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.5, 1.0, -1.0)
    costs = rng.uniform(0.1, 3.0, size=(n, q)) * (rng.random((n, q)) < 0.9)
    return X, signs, costs, SparseRows(sparse.csr_matrix(X))


def starts_of(rows, signs, costs, labels, allowed=None):
    allowed = np.ones((signs.shape[1], rows.shape[1]), dtype=bool) if allowed is None else allowed
    found = DualStarts(rows, allowed, labels, lambda k: (signs[:, k], costs[:, k]))
    return {k: found.start(k) for k in labels}


def looped(X, sign, cost, n_passes, tol):
    """Algorithm 3 of Hsieh et al. for one label, row after row in the order of the blocks."""
    rng, n = generator(0), len(X)
    w, alpha, resting = np.zeros(X.shape[1]), np.where(cost > 0, 0.0, -1.0), np.inf
    for _ in range(n_passes):
        blocks, stride = rng.permutation(-(-n // BLOCK)), 2 * int(rng.integers(BLOCK)) + 1
        largest = smallest = 0.0
        for block in blocks:
            for t in range(BLOCK):
                i = block * BLOCK + t * stride % BLOCK
                if i >= n or alpha[i] < 0:
                    continue
                derivative = sign[i] * (X[i] @ w) - 1 + alpha[i] / (2 * cost[i])
                if alpha[i] == 0 and derivative >= 0:
                    if derivative > resting:
                        alpha[i] = -1.0
                    continue
                largest, smallest = max(largest, derivative), min(smallest, derivative)
                after = max(0.0, alpha[i] - derivative / (X[i] @ X[i] + 1 / (2 * cost[i])))
                w += (after - alpha[i]) * sign[i] * X[i]
                alpha[i] = after
        resting = largest if largest > 0 else np.inf
        if largest - smallest <= tol:
            break
    return w, np.flatnonzero(alpha > 0)


@pytest.mark.parametrize("shape", [(70, 8), (33, 60), (1, 3), (32, 1)])
@pytest.mark.parametrize("passes", [1, 12])
def test_a_lane_goes_the_way_of_a_loop_over_rows(shape, passes, monkeypatch):
    monkeypatch.setattr(dual_coordinate_descent, "PASSES", passes)
    X, signs, costs, rows = drawn(0, *shape, 3)
    for k, (w, active) in starts_of(rows, signs, costs, range(3)).items():
        expected, rows_active = looped(X, signs[:, k], costs[:, k], passes, dual_coordinate_descent.TOLERANCE)
        np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(active, rows_active)


def test_many_passes_end_at_the_minimiser(monkeypatch):
    monkeypatch.setattr(dual_coordinate_descent, "PASSES", 3000)
    monkeypatch.setattr(dual_coordinate_descent, "TOLERANCE", 1e-12)
    _, signs, costs, rows = drawn(1, 90, 12, 2)
    for k, (w, active) in starts_of(rows, signs, costs, [0, 1]).items():
        fit = minimize_squared_hinge(NewtonSteps(rows), signs[:, k], costs[:, k], np.zeros(12), tol=1e-18)
        np.testing.assert_allclose(w, fit.w, rtol=1e-6, atol=1e-8)
        assert (costs[active, k] > 0).all()


def test_labels_beside_it_leave_no_bit_in_a_label():
    _, signs, costs, rows = drawn(2, 200, 15, 19)
    together = starts_of(rows, signs, costs, range(19))
    turned = starts_of(rows, signs, costs, list(range(18, -1, -1)))
    for k in range(19):
        for w, active in (turned[k], starts_of(rows, signs, costs, [k])[k]):
            np.testing.assert_array_equal(w, together[k][0])
            np.testing.assert_array_equal(active, together[k][1])


def test_a_lane_moves_along_its_own_columns_only():
    X, signs, costs, rows = drawn(3, 80, 20, 10)
    allowed = np.random.default_rng(4).random((10, 20)) < 0.5
    found = starts_of(rows, signs, costs, range(10), allowed)
    for k, (w, active) in found.items():
        passes = dual_coordinate_descent.PASSES, dual_coordinate_descent.TOLERANCE
        expected, rows_active = looped(X[:, allowed[k]], signs[:, k], costs[:, k], *passes)
        np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(active, rows_active)
    other = rows.matrix.toarray()
    other[:, ~allowed[0]] *= 1e3
    again = starts_of(SparseRows(sparse.csr_matrix(other)), signs, costs, [0], allowed)
    np.testing.assert_array_equal(again[0][0], found[0][0])


def test_the_start_is_near_and_names_the_active_rows():
    X, signs, costs, rows = drawn(9, 100, 150, 1)
    sign, cost = signs[:, 0], costs[:, 0]
    w, active = starts_of(rows, signs, costs, [0])[0]
    fit = minimize_squared_hinge(NewtonSteps(rows), sign, cost, np.zeros(150), tol=1e-18)
    truth = np.flatnonzero((1 - sign * (X @ fit.w) > 0) & (cost > 0))
    slack = np.maximum(0, 1 - sign * (X @ w))
    assert 0.5 * w @ w + cost @ slack**2 < 2 * fit.value < 0.5 * cost.sum()
    assert len(np.setxor1d(active, truth)) <= 0.1 * len(truth)
    assert (cost[active] > 0).all()
    again = minimize_squared_hinge(NewtonSteps(rows), sign, cost, w, active, tol=1e-18)
    np.testing.assert_allclose(again.w, fit.w, rtol=1e-7, atol=1e-8)
