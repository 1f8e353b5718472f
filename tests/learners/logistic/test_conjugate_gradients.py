"""Conjugate gradients in lanes: solutions against a direct solver, and no trace of a lane in another."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.logistic import newton_preconditioner
from plait.learners.logistic.conjugate_gradients import NewtonLanes
from plait.learners.logistic.logistic_batch import Batch
from plait.learners.logistic.logistic_design import LANES, NARROW, prepared_design
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner
from plait.learners.logistic.newton_steps import NewtonBlock, Precision

pytestmark = pytest.mark.usefixtures("compiled_path")


@pytest.fixture
def opened(monkeypatch):
    """Systems of eight problems; those of lanes named `heavy` have their heavy rows."""
    monkeypatch.setattr(newton_preconditioner, "_PREPARING", 1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30)) * (rng.random((200, 30)) < 0.4)
    X[:5] *= 50
    Y = (X @ rng.normal(size=(30, 8)) + rng.logistic(size=(200, 8)) > 0).astype(np.uint8)
    design = prepared_design(sparse.csr_array(X), standardize=False)
    preconditioner = DiagonalPreconditioner(design)

    def systems(heavy, work):
        batch = Batch.of(Y, 1.0, None, None, None, None, None)
        block = NewtonBlock(design, batch, preconditioner, Precision(work), 1e-6, NARROW)
        block.load(np.arange(8), list(range(8)))
        block._bounded[:] = 0
        block._taken[heavy] = 1000
        return block.systems(), NewtonLanes(design, preconditioner, Precision(work).work, LANES), X

    return systems


def test_solutions_are_those_of_the_systems(opened):
    systems, lanes, X = opened([1, 3], "float64")
    assert sorted(systems.heavy) == [1, 3]
    systems.goal[:] = 1e-24
    systems.most[:] = np.inf
    lanes.load(systems, np.arange(8), np.arange(8))
    lanes._limit[:] = 250  # lanes without heavy rows would hand on what they have and ask for them
    while lanes.running.any():
        done = lanes.sweep()
        lanes.unload(done, systems, done)
    for k in range(8):
        S, h = systems.curvature[:, k], systems.means[:, k]
        H = np.eye(30) + (X.T * S) @ X - systems.inverse_bend[k] * np.outer(h, h)
        np.testing.assert_allclose(systems.x[:, k], np.linalg.solve(H, systems.rhs[:, k]), rtol=1e-5, atol=1e-8)
        # The quadratic falls from 0 to minus half of that at its lowest point.
        np.testing.assert_allclose(systems.gain[k], 0.5 * systems.rhs[:, k] @ systems.x[:, k], rtol=1e-5)


def test_heavy_rows_of_a_lane_touch_no_bit_of_another(opened):
    found = []
    for heavy in ([], [5]):
        systems, lanes, _ = opened(heavy, "auto")
        lanes.load(systems, np.arange(8), np.arange(8))
        for _ in range(4):
            lanes.sweep()
        found.append((lanes._energy[:5].copy(), lanes._x[:, :5].copy()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
