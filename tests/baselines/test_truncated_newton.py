import numpy as np
import pytest

from plait.baselines.truncated_newton import minimize_convex


class Bowl:
    """A quadratic with a known minimum, and a steep wall that makes full Newton steps too long."""

    def __init__(self, n=12, wall=0.0, spread=1e4, seed=0):
        rng = np.random.default_rng(seed)
        turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
        self.matrix = turn @ np.diag(np.geomspace(1.0, spread, n)) @ turn.T
        self.goal, self.wall = rng.normal(size=n), wall

    def objective(self, theta):
        apart = theta - self.goal
        edge = np.sqrt(1.0 + apart**2)
        value = 0.5 * apart @ self.matrix @ apart + self.wall * (edge - 1.0).sum() + 3.0
        return value, self.matrix @ apart + self.wall * apart / edge, self.wall / edge**3

    def along(self, curvature, direction):
        return self.matrix @ direction + curvature * direction

    def diagonal(self, curvature):
        return np.diag(self.matrix) + curvature


@pytest.mark.parametrize("wall", [0.0, 1e6])
@pytest.mark.parametrize("start", [0.0, 100.0])
def test_it_finds_the_minimum_to_the_last_digits(wall, start):
    bowl = Bowl(wall=wall)
    found = minimize_convex(bowl, np.full(12, start), 1e-12, 100)
    assert found.converged
    np.testing.assert_allclose(found.theta, bowl.goal, rtol=1e-7, atol=1e-9)
    assert found.value == pytest.approx(3.0, rel=1e-12)


def test_it_says_that_it_did_not_get_there():
    bowl = Bowl(wall=1e6)
    found = minimize_convex(bowl, np.full(12, 100.0), 1e-12, 1)
    assert not found.converged
    assert found.n_iter == 1
    assert found.value < bowl.objective(np.full(12, 100.0))[0]


def test_a_start_at_the_minimum_takes_no_step():
    bowl = Bowl()
    found = minimize_convex(bowl, bowl.goal, 1e-9, 100)
    assert found.converged
    assert found.n_iter == 0


def test_no_numbers_at_all():
    class Nothing(Bowl):
        def __init__(self):
            self.matrix, self.goal, self.wall = np.empty((0, 0)), np.empty(0), 0.0

    assert minimize_convex(Nothing(), np.empty(0), 1e-9, 10).converged
