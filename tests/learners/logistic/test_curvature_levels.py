"""Inverses of I + s A'A against NumPy's, for powers of four and for matrices that rounding makes singular."""

import numpy as np
import pytest

from plait.learners.logistic._lanes import LANES, NARROW
from plait.learners.logistic.curvature_levels import CurvatureLevels
from plait.learners.logistic.logistic_design import prepared_design


def drawn(n_rows=50, n_columns=12):
    return np.random.default_rng(0).normal(size=(n_rows, n_columns))


def test_the_nearest_power_of_four():
    values = np.array([1.0, 0.25, 0.13, 0.12, 3.0, 1e-9, 0.0])
    near = CurvatureLevels.near(values)
    np.testing.assert_allclose(near, [1.0, 0.25, 0.25, 0.0625, 4.0, 4.0**-15, 0.0], rtol=1e-12)
    assert (np.abs(np.log(near[:-1] / values[:-1])) <= np.log(2) + 1e-9).all()


@pytest.mark.parametrize("n_lanes", [NARROW, LANES])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_lane_is_solved_at_its_level(dtype, n_lanes):
    X = drawn()
    columns = np.array([0, 3, 4, 9])
    levels = CurvatureLevels(prepared_design(X, standardize=False), columns, dtype)
    panel = np.random.default_rng(1).normal(size=(4, n_lanes)).astype(dtype)
    chosen = 4.0 ** (np.arange(n_lanes) % 3 - 2)
    chosen[5] = 0.0
    found = levels.solve(chosen, panel)
    A = (X - X.mean(axis=0))[:, columns]
    for lane, level in enumerate(chosen):
        expected = np.linalg.solve(np.eye(4) + level * A.T @ A, panel[:, lane]) * (level > 0)
        np.testing.assert_allclose(found[:, lane], expected, rtol=1e-4, atol=1e-6)
    assert not levels.solve(np.zeros(n_lanes), panel).any()


@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_columns_that_are_the_same_up_to_rounding_do_not_break_it(scale):
    X = drawn(40, 3) * scale
    X = np.hstack([X, X, X[:, :1] + X[:, 1:2]])
    levels = CurvatureLevels(prepared_design(X, standardize=False), np.arange(7), np.float32)
    panel = np.eye(7, NARROW, dtype=np.float32)
    found = levels.solve(np.full(NARROW, 4.0), panel)[:, :7]
    assert np.isfinite(found).all()
    assert (np.linalg.eigvalsh(0.5 * (found + found.T).astype(np.float64)) > 0).all()
