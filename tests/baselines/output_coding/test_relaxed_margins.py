from itertools import product

import numpy as np
import pytest

from plait.baselines.output_coding.margin_metric import MarginViolations, learned_metric
from plait.baselines.output_coding.relaxed_margins import relaxed_metric


def made(n=15, q=3, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, size=(n, q)).astype(float)
    weights = rng.uniform(0.5, 2.0, size=n)
    return rng.normal(scale=noise, size=(n, q)), 1.0 - 2.0 * Y, weights / weights.sum(), Y


def relaxed_objective(metric, residuals, signs, shares, C):
    """The definition. The worst vector of a row is stationary on a face of the box: all 3^q faces are looked at."""
    total = 0.0
    for r, s, share in zip(residuals, signs, shares, strict=True):
        slope, curvature = 1.0 + 2.0 * s * (metric @ r), 2.0 * np.outer(s, s) * metric
        violations = []
        for face in product((0.0, 1.0, None), repeat=len(r)):
            u = np.array([0.0 if end is None else end for end in face])
            free = [j for j, end in enumerate(face) if end is None]
            u[free] = np.linalg.lstsq(curvature[np.ix_(free, free)], (slope - curvature @ u)[free], rcond=None)[0]
            u = np.clip(u, 0.0, 1.0)  # outside of the box there is nothing: any vector inside competes
            violations.append(u.sum() + r @ metric @ r - (r - s * u) @ metric @ (r - s * u))
        total += share * max(violations)
    return 0.5 * np.trace(metric) + C * total


@pytest.mark.parametrize("C", [1.0, 30.0])
@pytest.mark.parametrize("q", [1, 3])
def test_the_bounds_hold_and_meet(C, q):
    residuals, signs, shares, _ = made(q=q)
    found = relaxed_metric(residuals, signs, shares, C, 1e-6, 500)
    assert found.converged
    assert 0 <= found.objective - found.lower_bound <= 1e-6 * found.objective
    true = relaxed_objective(found.metric, residuals, signs, shares, C)
    assert found.lower_bound * (1 - 1e-7) <= true <= found.objective * (1 + 1e-7)
    assert np.linalg.eigvalsh(found.metric)[0] >= -1e-10
    rng = np.random.default_rng(1)
    for _ in range(3):
        root = rng.normal(size=(q, q))
        assert relaxed_objective(root @ root.T, residuals, signs, shares, C) >= found.lower_bound * (1 - 1e-7)


def test_one_label_is_looked_up_on_a_grid():
    residuals, signs, shares, _ = made(q=1)
    found = relaxed_metric(residuals, signs, shares, 20.0, 1e-7, 500)
    flips, grid = np.linspace(0, 1, 2001), []
    for metric in np.linspace(0.1, 4, 400):
        kept = flips + metric * (residuals**2 - (residuals - signs * flips) ** 2)
        grid.append(0.5 * metric + 20.0 * shares @ kept.max(axis=1))
    assert found.objective == pytest.approx(min(grid), rel=1e-4)


def test_label_vectors_alone_violate_less():
    residuals, signs, shares, Y = made(n=80, q=4)
    relaxed = relaxed_metric(residuals, signs, shares, 10.0, 1e-5, 500)
    exact = learned_metric(MarginViolations(Y + residuals, Y, shares), 10.0, 1e-5, 500)
    assert exact.objective < relaxed.lower_bound


def test_too_few_updates_are_told():
    residuals, signs, shares, _ = made()
    found = relaxed_metric(residuals, signs, shares, 10.0, 1e-12, 1)
    assert not found.converged
    assert found.lower_bound <= found.objective
