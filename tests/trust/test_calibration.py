"""Calibration of labels and label sets, against scikit-learn and by definition; temperatures that are planted."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.calibration import calibration_curve as sklearn_curve
from sklearn.metrics import brier_score_loss
from sklearn.tree import DecisionTreeClassifier

from plait import recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.joint import GraphJoint, TemperedJoint
from plait.learners import LinearConditionals
from plait.structure import LabelGraph
from plait.testing import EstimatorConformance
from plait.trust import (
    CalibrationCurve,
    TemperatureScaling,
    brier_score,
    calibration_curve,
    joint_calibration_curve,
)


def drawn(seed=0, shape=(200, 4)):
    rng = np.random.default_rng(seed)
    P = rng.random(shape)
    return (rng.random(shape) < P).astype(int), P


def test_the_curve_is_scikit_learns_of_equal_numbers():
    Y, P = drawn()
    curve = calibration_curve(Y, P, n_bins=5)
    frequency, mean = sklearn_curve(Y.ravel(), P.ravel(), n_bins=5, strategy="quantile")
    np.testing.assert_allclose(curve.frequency, frequency, atol=0.01)
    np.testing.assert_allclose(curve.mean, mean, atol=0.01)
    np.testing.assert_allclose(curve.count, 160, atol=1)
    np.testing.assert_allclose(curve.error, np.average(abs(curve.mean - curve.frequency), weights=curve.count))


def test_equal_probabilities_stay_in_one_bin():
    curve = calibration_curve([[0], [1], [0], [1]], np.full((4, 1), 0.4), n_bins=3)
    np.testing.assert_array_equal(curve.count, [4])
    np.testing.assert_allclose(curve.error, 0.1)


def test_brier_score_is_scikit_learns():
    Y, P = drawn(1)
    np.testing.assert_allclose(brier_score(Y, P), brier_score_loss(Y.ravel(), P.ravel()), rtol=1e-12)


def test_whole_sets_are_judged_by_the_probability_of_the_most_probable_one():
    data = make_label_network(300, 4, 3, structure="tree", random_state=0).dataset
    model = recipes.pcc().fit(data.X[:200], data.Y[:200])
    answer, truth = model.joint(data.X[200:]), data.Y[200:]
    curve = joint_calibration_curve(answer, truth, n_bins=1)
    hits = (answer.mode() == truth).all(axis=1)
    np.testing.assert_allclose(curve.frequency, [hits.mean()])
    np.testing.assert_allclose(curve.mean, [np.exp(answer.log_prob(answer.mode())).mean()])
    same = CalibrationCurve.from_estimator(model, data.X[200:], truth, kind="sets", n_bins=1)
    np.testing.assert_array_equal(same.frequency, curve.frequency)
    labels = CalibrationCurve.from_estimator(model, data.X[200:], truth)
    np.testing.assert_array_equal(labels.count, calibration_curve(truth, model.predict_proba(data.X[200:])).count)
    assert labels.to_svg().startswith("<svg")
    mpl.use("Agg")
    drawn = labels.plot().lines[1].get_data()
    np.testing.assert_array_equal(drawn, [labels.mean, labels.frequency])
    mpl.pyplot.close("all")
    with pytest.raises(ParameterError, match="CalibrationCurve needs kind to be"):
        CalibrationCurve.from_estimator(model, data.X[200:], truth, kind="rows")


def test_a_planted_temperature_is_found():
    """Labels from a chain; a model whose log-odds are three times too large."""
    rng = np.random.default_rng(2)
    graph = LabelGraph(((), (0,), (0, 1)))
    coef, parents = rng.normal(size=(3, 5)), np.tril(rng.normal(size=(3, 3)), -1)
    X = rng.normal(size=(4000, 5))
    truth = GraphJoint(LinearConditionals(graph, coef, parents, np.zeros(3)))
    Y = truth.condition(X).sample(1, 0)[0][:, 0]
    model = recipes.pcc().fit(X[:50], Y[:50])
    model.joint_ = GraphJoint(LinearConditionals(graph, 3 * coef, 3 * parents, np.zeros(3)))
    found = TemperatureScaling(model).fit(X, Y)
    np.testing.assert_allclose(found.temperature_, 3.0, rtol=0.05)
    exact = truth.condition(X[:5])
    again = TemperedJoint(model.joint_, 3.0).condition(X[:5])
    np.testing.assert_allclose(again.log_prob(Y[:5]), exact.log_prob(Y[:5]), rtol=1e-9)
    before = model.joint(X[:20]).log_prob(Y[:20]).mean()
    assert found.joint(X[:20]).log_prob(Y[:20]).mean() > before
    np.testing.assert_allclose(found.predict_proba(X[:20]), found.joint(X[:20]).marginals(), rtol=1e-12)
    np.testing.assert_array_equal(found.predict(X[:20], loss="hamming"), found.predict_proba(X[:20]) > 0.5)


def trees(**settings):
    return recipes.pcc(learner=DecisionTreeClassifier(max_depth=3), **settings)


@pytest.mark.parametrize("recipe", [recipes.pcc, recipes.mc, trees])
def test_every_joint_of_conditionals_can_be_tempered(recipe):
    data = make_label_network(120, 4, 3, structure="tree", random_state=1).dataset
    model = recipe(random_state=0).fit(data.X, data.Y)
    sets = ((np.arange(8)[:, None] >> np.arange(3)) & 1).astype(np.uint8)
    entropies = []
    for temperature in (1.0, 4.0, 100.0):
        distribution = TemperedJoint(model.joint_, temperature).condition(data.X[:5])
        p = np.exp(distribution.log_prob(np.broadcast_to(sets, (5, 8, 3)).copy()))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-9)
        entropies.append(-(p * np.log(p)).sum(axis=1))
    assert (entropies[0] < entropies[1]).all()
    np.testing.assert_allclose(entropies[2], np.log(8), rtol=0.05)
    assert TemperatureScaling(recipe(random_state=0)).fit(data.X, data.Y).temperature_ > 0


def test_shapes_that_differ_are_refused():
    with pytest.raises(ParameterError, match="brier_score needs P to have the shape of Y"):
        brier_score([[0, 1]], [[0.1]])


@pytest.mark.parametrize("wrong", [np.nan, -0.1, 2.0])
def test_what_is_no_probability_is_refused(wrong):
    for score in (brier_score, calibration_curve):
        with pytest.raises(ParameterError, match=f"{score.__name__} needs P to hold numbers from 0 to 1, but it holds"):
            score([[0, 1]], [[0.1, wrong]])


@pytest.mark.parametrize("model", [TemperatureScaling(recipes.pcc(learner="logistic"))], ids=["temperature"])
class TestTemperatureScaling(EstimatorConformance):
    """scikit-learn's own checks, and plait's."""
