from itertools import product

import numpy as np
import pytest

from plait.baselines.margin_violations import MarginViolations


def made(n=60, q=4, seed=0):
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
    predictions, Y, weights, metric = made()
    cut = MarginViolations(predictions, Y, weights).cut(metric)
    each = np.array([worst(*row, metric) for row in zip(predictions, Y, strict=True)])
    assert (each >= 0).all()
    assert cut.value <= weights @ each / weights.sum() + 1e-12
    assert cut.value > 0.99 * weights @ each / weights.sum()


def test_a_cut_is_met_where_it_was_made_and_is_below_everywhere():
    predictions, Y, weights, metric = made()
    violations = MarginViolations(predictions, Y, weights)
    cut = violations.cut(metric)
    assert (cut.slope * metric).sum() + cut.offset == pytest.approx(cut.value, rel=1e-12)
    np.testing.assert_allclose(cut.slope, cut.slope.T, rtol=0, atol=1e-12)
    for seed in range(1, 6):
        other = made(seed=seed)[3]
        each = np.array([worst(*row, other) for row in zip(predictions, Y, strict=True)])
        assert (cut.slope * other).sum() + cut.offset <= weights @ each / weights.sum() + 1e-9


def test_violations_of_given_flips():
    predictions, Y, weights, metric = made()
    flips = np.random.default_rng(1).integers(0, 2, size=Y.shape).astype(float)
    found = MarginViolations(predictions, Y, weights).violations(metric, flips)
    for i in range(60):
        v = np.abs(Y[i] - flips[i])
        near, far = predictions[i] - Y[i], predictions[i] - v
        expected = np.abs(Y[i] - v).sum() + near @ metric @ near - far @ metric @ far
        assert found[i] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_metric_of_nothing_leaves_the_distance_of_the_farthest_vector():
    predictions, Y, weights, _ = made()
    cut = MarginViolations(predictions, Y, weights).cut(np.zeros((4, 4)))
    assert cut.value == pytest.approx(4.0, rel=1e-12)
