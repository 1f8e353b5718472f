"""Folds of single labels and the calibration of margins of held-out rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.learners.linear_svm_learner import LinearSVMLearner
from plait.learners.margins.margin_labels import N_FOLDS, label_folds
from plait.learners.margins.platt_scaling import fit_platt


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
