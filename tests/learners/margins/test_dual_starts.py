"""Dual descent in lanes against a loop over rows, the minimiser, and itself with other labels beside it."""

import numpy as np
import pytest
from scipy import sparse

from plait.core.randomness import generator
from plait.learners.margins import dual_starts
from plait.learners.margins._dual_lanes import BLOCK
from plait.learners.margins.dual_starts import DualStarts
from plait.learners.margins.margin_rows import SparseRows
from plait.learners.margins.newton_systems import NewtonSystems
from plait.learners.margins.squared_hinge import minimize_squared_hinge


def drawn(seed, n, d, q):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    signs = np.where(X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.5, 1.0, -1.0)
    costs = rng.uniform(0.1, 3.0, size=(n, q)) * (rng.random((n, q)) < 0.9)
    csr = sparse.csr_matrix(X)
    return X, signs, costs, SparseRows(csr.indptr, csr.indices, csr.data, csr.shape)


def starts_of(rows, signs, costs, labels):
    found = DualStarts(rows, labels, lambda k: (signs[:, k], costs[:, k]))
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
    monkeypatch.setattr(dual_starts, "PASSES", passes)
    X, signs, costs, rows = drawn(0, *shape, 3)
    for k, (w, active) in starts_of(rows, signs, costs, range(3)).items():
        expected, rows_active = looped(X, signs[:, k], costs[:, k], passes, dual_starts.TOLERANCE)
        np.testing.assert_allclose(w, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(active, rows_active)


def test_many_passes_end_at_the_minimiser(monkeypatch):
    monkeypatch.setattr(dual_starts, "PASSES", 3000)
    monkeypatch.setattr(dual_starts, "TOLERANCE", 1e-12)
    _, signs, costs, rows = drawn(1, 90, 12, 2)
    for k, (w, active) in starts_of(rows, signs, costs, [0, 1]).items():
        fit = minimize_squared_hinge(NewtonSystems(rows), signs[:, k], costs[:, k], np.zeros(12), tol=1e-18)
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
