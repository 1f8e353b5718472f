"""Every way to a Newton step against the least squares problem it stands for."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.margins import newton_systems
from plait.learners.margins.margin_rows import DenseRows, SparseRows
from plait.learners.margins.newton_systems import NewtonSystems


def rows_of(X, form):
    if form == "dense":
        return DenseRows(X)
    csr = sparse.csr_matrix(X)
    return SparseRows(csr.indptr, csr.indices, csr.data, csr.shape)


def expected(X, chosen, sign, cost):
    """Minimise 1/2 ||w||^2 + sum cost (1 - sign w.x)^2 as least squares."""
    root = np.sqrt(2 * cost[chosen])[:, None]
    stacked = np.vstack([np.eye(X.shape[1]), root * X[chosen]])
    right = np.concatenate([np.zeros(X.shape[1]), root.ravel() * sign[chosen]])
    return np.linalg.lstsq(stacked, right, rcond=None)[0]


WAYS = {
    "cholesky": {},
    "single": {"SMALLEST_SINGLE": 1},
    "single, factors kept": {"SMALLEST_SINGLE": 1, "PRODUCT_COST": 1e9, "LOOK_AHEAD": 1},
    "single, no factor soon enough": {"SMALLEST_SINGLE": 1, "PRODUCT_COST": 1e9, "LOOK_AHEAD": 1, "SOON": 0},
    "shared": {"LABELS_THAT_SHARE": 1},
    "forgetful": {"LARGEST_GRAM": 14},
    "conjugate gradients": {"LARGEST_SYSTEM": 0},
    "always worth it": {"PRODUCT_COST": 1e-9},
    "never worth it": {"PRODUCT_COST": 1e9, "LOOK_AHEAD": 1},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("shape", [(40, 6), (30, 50)], ids=["tall", "wide"])
def test_sets_of_rows_one_after_the_other(way, form, shape, monkeypatch):
    for name, limit in WAYS[way].items():
        monkeypatch.setattr(newton_systems, name, limit)
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) * (rng.random(shape) < 0.5)
    systems = NewtonSystems(rows_of(X, form))
    for label in range(3):
        sign = rng.choice([-1.0, 1.0], size=shape[0])
        cost = np.full(shape[0], 1.0) if label < 2 else rng.uniform(0.1, 2.0, size=shape[0])
        systems.begin(cost)
        sets = [np.arange(shape[0])] if way != "forgetful" else []
        sets += [np.sort(rng.permutation(shape[0])[:size]) for size in (12, 9, 11, 1, 13)]
        for chosen in sets:
            found = systems.minimiser(chosen, sign, cost, np.zeros(shape[1]), 1e-10)
            np.testing.assert_allclose(found, expected(X, chosen, sign, cost), rtol=1e-6, atol=1e-7)


def test_a_system_too_badly_conditioned_for_single_precision_is_solved_in_double(monkeypatch):
    monkeypatch.setattr(newton_systems, "SMALLEST_SINGLE", 1)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 40))
    X[6:] = X[:6] + 1e-5 * rng.normal(size=(6, 40))
    sign, cost = rng.choice([-1.0, 1.0], size=12), np.full(12, 1e9)
    found = NewtonSystems(DenseRows(X)).minimiser(np.arange(12), sign, cost, np.zeros(40), 1e-8)
    np.testing.assert_allclose(X @ found, X @ expected(X, np.arange(12), sign, cost), rtol=0, atol=1e-3)


def test_what_is_shared_is_the_same_whatever_came_before():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 50))
    signs = rng.choice([-1.0, 1.0], size=(9, 30))
    cost = np.ones(30)
    used = NewtonSystems(DenseRows(X), n_labels=9)
    for sign in signs[:8]:
        used.begin(cost)
        used.minimiser(np.sort(rng.permutation(30)[:20]), sign, cost, np.zeros(50), 0.1)
    fresh = NewtonSystems(DenseRows(X), n_labels=9)
    chosen = np.arange(4, 25)
    for systems in (used, fresh):
        systems.begin(cost)
    found = [s.minimiser(chosen, signs[8], cost, np.zeros(50), 0.1) for s in (used, fresh)]
    np.testing.assert_array_equal(found[0], found[1])
