import numpy as np
import pytest
from hypothesis import given, strategies
from scipy import optimize

from plait.baselines.bundle_step import bundle_minimum, semidefinite_part, simplex_point


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
