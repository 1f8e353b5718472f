"""What every classifier of the room must do, for every recipe."""

import contextlib
import warnings
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait import JointClassifier
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.estimators import recipes
from plait.features import SelectionWarning

RECIPES = {name: getattr(recipes, name) for name in recipes.__all__}
every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)


def problem(n=80, d=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0).astype(np.uint8)
    return X, Y


@every_recipe
def test_scikit_learns_own_checks(recipe):
    for model, check in estimator_checks_generator(recipe()):
        # A check that skips itself (for want of an optional package) must not skip those behind it.
        with warnings.catch_warnings(), contextlib.suppress(SkipTest):
            warnings.simplefilter("ignore", SelectionWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            check(model)


@every_recipe
def test_the_same_bits_twice_and_for_any_number_of_jobs(recipe):
    X, Y = problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        one = recipe(random_state=3).fit(X, Y)
        two = clone(recipe(random_state=3, n_jobs=2)).fit(X, Y)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    if hasattr(one, "predict_proba"):
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
        np.testing.assert_array_equal(one.joint(X).sample(3), two.joint(X).sample(3))
    assert one.graph_ == two.graph_


@every_recipe
def test_parts_can_be_replaced(recipe):
    changed = recipe(loss="f1", inference="exhaustive", random_state=1, n_jobs=2)
    assert isinstance(changed, JointClassifier)
    assert changed.get_params(deep=False) | {"structure": 0, "selector": 0, "learner": 0} == {
        "structure": 0,
        "selector": 0,
        "learner": 0,
        "inference": "exhaustive",
        "loss": "f1",
        "random_state": 1,
        "n_jobs": 2,
    }


def test_wrong_parameters_are_refused():
    X, Y = problem()
    for name, rules in JointClassifier.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^JointClassifier needs {name} to be"):
                JointClassifier(**{name: value}).fit(X, Y)
