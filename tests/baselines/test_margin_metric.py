from itertools import product

import numpy as np
import pytest
from scipy import optimize

from plait.baselines.margin_metric import learned_metric
from plait.baselines.margin_violations import MarginViolations


def made(n=40, q=3, seed=0, noise=0.35):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, size=(n, q)).astype(float)
    return Y + rng.normal(scale=noise, size=(n, q)), Y, rng.uniform(0.5, 2.0, size=n)


def objective(metric, predictions, Y, weights, C):
    """The definition, by a loop over all rows and label vectors."""
    total = 0.0
    for m, y, weight in zip(predictions, Y, weights, strict=True):
        worst = 0.0
        for v in product((0.0, 1.0), repeat=len(y)):
            near, far = m - y, m - np.array(v)
            worst = max(worst, np.abs(y - v).sum() + near @ metric @ near - far @ metric @ far)
        total += weight * worst
    return 0.5 * np.trace(metric) + C * total / weights.sum()


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_the_objective_is_the_least(C):
    predictions, Y, weights = made(q=2)
    found = learned_metric(MarginViolations(predictions, Y, weights), C, 1e-7, 500)
    assert found.converged
    assert found.objective == pytest.approx(objective(found.metric, predictions, Y, weights, C), rel=1e-9)

    def of_factor(z):
        factor = np.array([[z[0], 0.0], [z[1], z[2]]])
        return objective(factor @ factor.T, predictions, Y, weights, C)

    plain = optimize.minimize(of_factor, [1.0, 0.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    assert found.objective <= plain.fun * (1 + 1e-6)
    assert found.lower_bound <= plain.fun * (1 + 1e-9)


def test_the_metric_is_semidefinite_and_bounded_from_below():
    predictions, Y, weights = made(q=5)
    found = learned_metric(MarginViolations(predictions, Y, weights), 5.0, 1e-6, 500)
    np.testing.assert_allclose(found.metric, found.metric.T, rtol=0, atol=1e-12)
    assert np.linalg.eigvalsh(found.metric)[0] >= -1e-10
    assert found.lower_bound <= found.objective
    assert found.lower_bound > 0.9 * found.objective
    # Nothing near it is better.
    rng = np.random.default_rng(1)
    for _ in range(10):
        near = found.metric + 0.02 * (step := rng.normal(size=(5, 5))) @ step.T
        assert objective(near, predictions, Y, weights, 5.0) > found.objective * (1 - 1e-5)


def test_weak_margins_are_not_worth_a_code():
    predictions, Y, weights = made()
    found = learned_metric(MarginViolations(predictions, Y, weights), 1e-3, 1e-6, 500)
    assert found.converged
    assert np.abs(found.metric).max() < 1e-3


def test_labels_predicted_without_error_have_all_their_margins():
    _, Y, weights = made()
    found = learned_metric(MarginViolations(Y.copy(), Y, weights), 1000.0, 1e-6, 500)
    # The least trace that keeps every flip of one label at distance 1.
    np.testing.assert_allclose(found.metric, np.eye(3), rtol=0, atol=0.02)
    assert found.objective == pytest.approx(1.5, rel=0.02)


def test_a_direction_that_is_predicted_well_gets_the_most_weight():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, size=(200, 2)).astype(float)
    sums, differences = 0.02 * rng.normal(size=200), 0.6 * rng.normal(size=200)
    predictions = Y + np.column_stack([sums + differences, sums - differences])
    found = learned_metric(MarginViolations(predictions, Y, np.ones(200)), 10.0, 1e-6, 500)
    along, across = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    assert along @ found.metric @ along > 2 * across @ found.metric @ across


def test_too_few_cuts_are_told():
    predictions, Y, weights = made()
    found = learned_metric(MarginViolations(predictions, Y, weights), 10.0, 1e-9, 2)
    assert not found.converged
    assert found.n_cuts == 2


def test_a_short_reach_is_not_taken_for_the_end():
    # Here steps get short long before the end, and bounds promise little nearby.
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, size=(60, 5)).astype(float)
    predictions = Y + rng.normal(scale=0.2, size=(60, 5))
    rough, fine = (
        learned_metric(MarginViolations(predictions, Y, np.ones(60)), 300.0, tol, 500) for tol in (1e-4, 1e-7)
    )
    assert rough.n_cuts < fine.n_cuts
    assert rough.objective < 1.003 * fine.objective
