"""Rows that calibrate: labels go by name, whatever the order of columns, and rows must be those of X."""

import numpy as np
import pandas as pd
import pytest

from plait import audit, recipes
from plait.core.sentences import ParameterError
from plait.trust import (
    CalibrationCurve,
    CardinalityThreshold,
    Conformal,
    TemperatureScaling,
    TunedThresholds,
    brier_score,
    calibration_curve,
    joint_calibration_curve,
)
from plait.trust.calibration_rows import calibration_targets

NAMES = ["sea", "sun", "sand", "air"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    Y = (X[:, [0, 1, 2, 0]] + rng.normal(size=(240, 4)) > [0.0, 0.4, 0.8, 1.2]).astype(int)
    Y[120:, 3] = 0  # nobody has "air" among the rows that calibrate
    return X, pd.DataFrame(Y, columns=NAMES)


@pytest.fixture(scope="module")
def model(rows):
    X, Y = rows
    return recipes.pcc(learner="logistic", random_state=0).fit(X[:120], Y[:120])


def forms(Y):
    """The same labels with other columns first, and as names, which alone would stand by the alphabet."""
    return Y[NAMES[::-1]], [{name for name in NAMES if row[name]} for _, row in Y.iterrows()]


@pytest.mark.parametrize("kind", ["sets", "labels", "recall"])
def test_conformal_takes_labels_by_name(rows, model, kind):
    X, Y = rows
    first = Conformal(model, kind=kind).fit(X[120:], Y[120:].to_numpy())
    for form in forms(Y[120:]):
        again = Conformal(model, kind=kind).fit(X[120:], form)
        assert again.threshold_ == first.threshold_
        assert again.label_names_.tolist() == NAMES


def test_an_unfitted_model_learns_the_names(rows):
    X, Y = rows
    for form, names in zip(forms(Y), (NAMES[::-1], sorted(NAMES)), strict=True):
        found = Conformal(recipes.pcc(learner="logistic", random_state=0)).fit(X, form)
        assert found.label_names_.tolist() == found.models_[0].label_names_.tolist() == names
        scaled = TemperatureScaling(recipes.pcc(learner="logistic")).fit(X, form)
        assert scaled.model_.label_names_.tolist() == names


def test_other_calibrations_take_labels_by_name(rows, model):
    X, Y = rows
    plain = Y[120:].to_numpy()
    temperature = TemperatureScaling(model).fit(X[120:], plain).temperature_
    curve = joint_calibration_curve(model.joint(X[120:]), plain)
    tuned = [
        kind(model, cv="prefit").fit(X[120:], plain).thresholds_ for kind in (TunedThresholds, CardinalityThreshold)
    ]
    for form in forms(Y[120:]):
        assert TemperatureScaling(model).fit(X[120:], form).temperature_ == temperature
        np.testing.assert_array_equal(joint_calibration_curve(model.joint(X[120:]), form).frequency, curve.frequency)
        for kind, threshold in zip((TunedThresholds, CardinalityThreshold), tuned, strict=True):
            assert kind(model, cv="prefit").fit(X[120:], form).thresholds_ == threshold


@pytest.mark.parametrize("ask", [Conformal, TemperatureScaling, lambda model: TunedThresholds(model, cv="prefit")])
def test_rows_and_columns_must_be_those_of_the_model(rows, model, ask):
    X, Y = rows
    for labels in (Y[121:], Y.to_numpy()[120:, :3]):
        with pytest.raises(ParameterError, match=r"needs Y to have shape \(120, 4\), but it has"):
            ask(model).fit(X[120:], labels)


@pytest.mark.parametrize(
    "ask",
    [lambda X, Y: Conformal(recipes.pcc()).fit(X, Y), lambda X, Y: audit(recipes.pcc(), X, Y)],
    ids=["Conformal", "audit"],
)
def test_rows_must_be_as_many(rows, ask):
    X, Y = rows
    with pytest.raises(ParameterError, match="the same number of rows, but X has 120 and Y has 119"):
        ask(X[120:], Y[121:])


def test_classes_of_a_single_column_go_by_the_models(rows):
    X, Y = rows
    words = np.where(Y["sea"] == 1, "yes", "also")
    model = recipes.br(learner="logistic").fit(X[:120], words[:120])
    some = np.flatnonzero(words == "also")
    targets = calibration_targets("Conformal", model, X[some], words[some])
    assert not targets.Y.any()  # one class only, which is not the label
    with pytest.raises(
        ParameterError, match=r"needs Y to hold classes that the model knows, .* but it holds 'perhaps'"
    ):
        calibration_targets("Conformal", model, X[:2], np.array(["yes", "perhaps"]))
    gaps = calibration_targets("Conformal", model, X[:2], np.array(["yes", None]), unknown=True)
    assert gaps.Y.tolist() == [[1], [-1]]
    with pytest.raises(ParameterError, match="but it holds NaN"):
        calibration_targets("TemperatureScaling", model, X[:2], np.array(["yes", None]))


def test_unknown_labels_are_left_out_of_curves(rows, model):
    X, Y = rows
    gaps = np.where(np.random.default_rng(1).random((120, 4)) < 0.1, np.nan, Y[120:])
    known, whole, P = ~np.isnan(gaps), ~np.isnan(gaps).any(axis=1), model.predict_proba(X[120:])
    np.testing.assert_allclose(brier_score(gaps, P), np.mean((P - gaps)[known] ** 2), rtol=1e-9)
    assert calibration_curve(gaps, P).count.sum() == known.sum()
    of_sets = CalibrationCurve.from_estimator(model, X[120:], gaps, kind="sets")
    alone = CalibrationCurve.from_estimator(model, X[120:][whole], gaps[whole], kind="sets")
    np.testing.assert_array_equal(of_sets.frequency, alone.frequency)
    with pytest.raises(ParameterError, match="needs a row whose labels are all known"):
        joint_calibration_curve(model.joint(X[120:]), gaps * [np.nan, 1, 1, 1])
