from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies
from scipy import optimize

from plait.baselines.foundations import _kernels
from plait.baselines.output_coding import margin_metric
from plait.baselines.output_coding.margin_metric import (
    MarginViolations,
    bundle_minimum,
    learned_metric,
    semidefinite_part,
    simplex_point,
)

both_forms = pytest.mark.parametrize("forms", [margin_metric, _kernels], ids=["plain", "kernels"])


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


def made_violations(n=60, q=4, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, size=(n, q)).astype(float)
    root = rng.normal(size=(q, q))
    return Y + rng.normal(scale=0.4, size=(n, q)), Y, rng.uniform(0.5, 2.0, size=n), root @ root.T / q


def worst(predictions, y, metric):
    """The worst violation of one row over all label vectors, by the definition."""
    near = predictions - y
    found = []
    for v in product((0.0, 1.0), repeat=len(y)):
        far = predictions - np.array(v)
        found.append(np.abs(y - v).sum() + near @ metric @ near - far @ metric @ far)
    return max(found)


def test_the_value_is_the_mean_of_the_worst_violations():
    predictions, Y, weights, metric = made_violations()
    cut = MarginViolations(predictions, Y, weights).cut(metric)
    each = np.array([worst(*row, metric) for row in zip(predictions, Y, strict=True)])
    assert (each >= 0).all()
    assert cut.value <= weights @ each / weights.sum() + 1e-12
    assert cut.value > 0.99 * weights @ each / weights.sum()


def test_a_cut_is_met_where_it_was_made_and_is_below_everywhere():
    predictions, Y, weights, metric = made_violations()
    violations = MarginViolations(predictions, Y, weights)
    cut = violations.cut(metric)
    assert (cut.slope * metric).sum() + cut.offset == pytest.approx(cut.value, rel=1e-12)
    np.testing.assert_allclose(cut.slope, cut.slope.T, rtol=0, atol=1e-12)
    for seed in range(1, 6):
        other = made_violations(seed=seed)[3]
        each = np.array([worst(*row, other) for row in zip(predictions, Y, strict=True)])
        assert (cut.slope * other).sum() + cut.offset <= weights @ each / weights.sum() + 1e-9


def test_violations_of_given_flips():
    predictions, Y, weights, metric = made_violations()
    flips = np.random.default_rng(1).integers(0, 2, size=Y.shape).astype(float)
    found = MarginViolations(predictions, Y, weights).violations(metric, flips)
    for i in range(60):
        v = np.abs(Y[i] - flips[i])
        near, far = predictions[i] - Y[i], predictions[i] - v
        expected = np.abs(Y[i] - v).sum() + near @ metric @ near - far @ metric @ far
        assert found[i] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_metric_of_nothing_leaves_the_distance_of_the_farthest_vector():
    predictions, Y, weights, _ = made_violations()
    cut = MarginViolations(predictions, Y, weights).cut(np.zeros((4, 4)))
    assert cut.value == pytest.approx(4.0, rel=1e-12)


@given(strategies.lists(strategies.floats(-5, 5), min_size=1, max_size=6))
def test_the_nearest_point_of_the_simplex(values):
    point = np.array(values)
    nearest = simplex_point(point)
    assert (nearest >= 0).all()
    assert nearest.sum() == pytest.approx(1.0, abs=1e-9)
    # The nearest point of a convex set: all others lie on its far side.
    for corner in np.eye(len(point)):
        assert (point - nearest) @ (corner - nearest) <= 1e-9


def test_the_semidefinite_part_is_the_nearest():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(4, 4))
    matrix = matrix + matrix.T
    part = semidefinite_part(matrix)
    assert np.linalg.eigvalsh(part)[0] >= -1e-12
    for _ in range(20):
        root = rng.normal(size=(4, 4))
        assert ((matrix - part) * (root @ root.T - part)).sum() <= 1e-9


def test_the_minimum_is_that_of_scipy_over_factors():
    rng = np.random.default_rng(0)
    slopes = rng.normal(size=(5, 2, 2))
    slopes = slopes + slopes.transpose(0, 2, 1) + 2 * np.eye(2)
    offsets, centre, reach = rng.normal(size=5), np.eye(2), 0.7

    def objective(z):
        # Q = F F' for the first four numbers, the greatest bound for the last.
        factor = z[:4].reshape(2, 2)
        return z[4] + ((factor @ factor.T - centre) ** 2).sum() / (2 * reach)

    def slack(z):
        factor = z[:4].reshape(2, 2)
        return z[4] - (slopes * (factor @ factor.T)).sum(axis=(1, 2)) - offsets

    best = min(
        optimize.minimize(
            objective, np.append(rng.normal(size=4), 10.0), constraints={"type": "ineq", "fun": slack}, tol=1e-12
        ).fun
        for _ in range(5)
    )
    step = bundle_minimum(slopes, offsets, centre, reach, np.full(5, 0.2), 1e-10)
    assert step.bound + ((step.metric - centre) ** 2).sum() / (2 * reach) == pytest.approx(best, rel=1e-6)
    assert step.bound == pytest.approx(((slopes * step.metric).sum(axis=(1, 2)) + offsets).max(), rel=1e-12)
    assert np.linalg.eigvalsh(step.metric)[0] >= -1e-12
    assert step.weights.sum() == pytest.approx(1.0, rel=1e-9)


def made_flips(n=30, q=5, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, size=(n, q)).astype(float)
    root = rng.normal(size=(q, q))
    return root @ root.T / q, rng.normal(scale=0.4, size=(n, q)), 1.0 - 2.0 * Y


def violation(metric, residuals, signs, flips):
    """|y - v| + (m - y)'Q(m - y) - (m - v)'Q(m - v), with v the flipped labels."""
    apart = residuals - signs * flips
    return flips.sum() + residuals @ metric @ residuals - apart @ metric @ apart


@both_forms
def test_no_flip_of_one_or_two_labels_adds_anything_in_the_end(forms):
    metric, residuals, signs = made_flips()
    start = np.random.default_rng(1).integers(0, 2, size=(30, 5)).astype(float)
    flips = start.copy()
    forms.flip_labels(metric, residuals, signs, flips)
    assert set(np.unique(flips)) <= {0.0, 1.0}
    for i in range(30):
        reached = violation(metric, residuals[i], signs[i], flips[i])
        assert reached >= violation(metric, residuals[i], signs[i], start[i])
        for j in range(5):
            for k in range(5):
                other = flips[i].copy()
                other[j] = 1 - other[j]
                if k != j:
                    other[k] = 1 - other[k]
                assert violation(metric, residuals[i], signs[i], other) <= reached + 1e-9


@both_forms
def test_it_is_greedy(forms):
    metric, residuals, signs = made_flips()
    flips = np.zeros((30, 5))
    forms.flip_labels(metric, residuals, signs, flips)
    for i in range(30):
        u = np.zeros(5)
        while True:
            now = violation(metric, residuals[i], signs[i], u)
            ones = [np.where(np.arange(5) == j, 1 - u, u) for j in range(5)]
            twos = [np.where(np.isin(np.arange(5), (j, k)), 1 - u, u) for j in range(5) for k in range(j)]
            better = [v for v in ones if violation(metric, residuals[i], signs[i], v) > now + 1e-10] or [
                v for v in twos if violation(metric, residuals[i], signs[i], v) > now + 1e-10
            ]
            if not better:
                break
            u = max(better, key=lambda v, i=i: violation(metric, residuals[i], signs[i], v))
        np.testing.assert_array_equal(flips[i], u)


@both_forms
@pytest.mark.parametrize("q", [1, 5])
def test_it_nearly_always_finds_the_worst_vector(forms, q):
    metric, residuals, signs = made_flips(n=200, q=q)
    flips = np.zeros((200, q))
    forms.flip_labels(metric, residuals, signs, flips)
    found = 0
    for i in range(200):
        worst = max(violation(metric, residuals[i], signs[i], np.array(u)) for u in product((0.0, 1.0), repeat=q))
        found += violation(metric, residuals[i], signs[i], flips[i]) > worst - 1e-9
    assert found > 180
