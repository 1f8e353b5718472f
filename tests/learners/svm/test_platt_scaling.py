"""Platt scaling against SciPy's optimiser and scikit-learn's sigmoid calibration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration

from plait.learners.linear_svm_learner import N_FOLDS, LinearSVMLearner, fit_platt, label_folds, platt_targets


def loss(odds, y, weights):
    """Weighted log-loss to Platt's targets, by plain sums."""
    mass = [sum(w for w, v in zip(weights, y, strict=True) if v == c) for c in (0, 1)]
    total = 0.0
    for f, v, w in zip(odds, y, weights, strict=True):
        target = (mass[1] + 1) / (mass[1] + 2) if v else 1 / (mass[0] + 2)
        total += w * (np.logaddexp(0, f) - target * f)
    return total


def drawn(seed, n, strength=1.0):
    rng = np.random.default_rng(seed)
    margins = rng.normal(size=n) * rng.uniform(0.1, 30) + rng.normal()
    odds = strength * (margins - margins.mean()) / margins.std()
    y = (odds + rng.logistic(size=n) > rng.normal()).astype(np.uint8)
    y[:2] = 0, 1
    return margins, y, rng.uniform(0.2, 3.0, size=n)


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 80), strength=st.sampled_from([-2.0, 0.0, 1.0, 8.0]))
def test_no_allowed_slope_is_better(seed, n, strength):
    margins, y, weights = drawn(seed, n, strength)
    slope, shift = fit_platt(margins, y, weights)
    assert slope >= 0
    found = loss(slope * margins + shift, y, weights)
    scale = np.abs(margins).max()
    best = minimize(
        lambda ab: loss(ab[0] / scale * margins + ab[1], y, weights),
        [0.0, 0.0],
        bounds=[(0, None), (None, None)],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    assert found <= best.fun * (1 + 1e-10)
    np.testing.assert_allclose(found, best.fun, rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_scikit_learns_sigmoid_where_margins_tell(seed):
    margins, y, weights = drawn(seed, 300, strength=2.0)
    slope, shift = fit_platt(margins, y, weights)
    sigmoid = _SigmoidCalibration().fit(margins, y, sample_weight=weights)
    np.testing.assert_allclose(1 / (1 + np.exp(-slope * margins - shift)), sigmoid.predict(margins), rtol=0, atol=1e-4)


def test_separated_margins_get_a_finite_slope():
    margins, y = np.array([-3.0, -2.0, 2.0, 4.0]), np.array([0, 0, 1, 1], dtype=np.uint8)
    slope, shift = fit_platt(margins, y, np.ones(4))
    chance = 1 / (1 + np.exp(-slope * margins - shift))
    assert 0 < slope < 10
    # At the optimum the mean of the chances is that of the targets.
    np.testing.assert_allclose(chance.mean(), platt_targets(y, np.ones(4)).mean(), rtol=1e-9)


@pytest.mark.parametrize("margins", [[2.0, 2.0, 2.0], [1.0, 0.0, -1.0]], ids=["all the same", "upside down"])
def test_margins_that_tell_nothing_give_the_mean_of_the_targets(margins):
    y = np.array([0, 0, 1], dtype=np.uint8)
    slope, shift = fit_platt(np.array(margins), y, np.ones(3))
    assert slope == 0.0
    np.testing.assert_allclose(1 / (1 + np.exp(-shift)), (0.25 + 0.25 + 2 / 3) / 3, rtol=1e-12)


def test_a_weight_of_two_is_a_row_twice():
    margins, y, _ = drawn(3, 40)
    counts = np.random.default_rng(0).integers(1, 4, size=40)
    twice = np.repeat(np.arange(40), counts)
    np.testing.assert_allclose(
        fit_platt(margins, y, counts.astype(float)), fit_platt(margins[twice], y[twice], np.ones(twice.size)), rtol=1e-8
    )


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.0, 0.5, 2.0])), min_size=1, max_size=40))
def test_folds_share_out_each_class(rows):
    y, weights = np.array([r[0] for r in rows], dtype=np.uint8), np.array([r[1] for r in rows])
    folds = label_folds(y, weights)
    np.testing.assert_array_equal(folds == -1, weights == 0)
    for value in (0, 1):
        counts = np.bincount(folds[(y == value) & (weights > 0)], minlength=N_FOLDS)
        assert np.ptp(counts) <= 1


def test_scores_are_platts_of_margins_of_held_out_rows():
    """The same by hand: three fits on parts of the rows, margins of the rest, one sigmoid."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    y = (X[:, 0] + rng.normal(size=90) > 0.5).astype(np.uint8)
    weights = rng.uniform(0.5, 2.0, size=90)
    folds, margins = label_folds(y, weights), np.empty(90)
    for fold in range(N_FOLDS):
        inside = folds != fold
        part = LinearSVMLearner(tol=1e-12).fit(X[inside], y[inside], sample_weight=weights[inside])
        margins[~inside] = part.base_scores(X[~inside]).ravel()
    slope, shift = fit_platt(margins, y, weights)
    plain, calibrated = (
        LinearSVMLearner(tol=1e-12, calibrate=c).fit(X, y, sample_weight=weights) for c in (False, True)
    )
    np.testing.assert_allclose(calibrated.base_scores(X), slope * plain.base_scores(X) + shift, rtol=1e-5, atol=1e-6)
