"""What every classifier of the room must do, for every recipe."""

import contextlib
import warnings
from functools import partial
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait import EnsembleClassifier, JointClassifier, TreeMixtureClassifier
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.estimators import recipes
from plait.features import SelectionWarning
from plait.learners import LogisticLearner

RECIPES = {name: getattr(recipes, name) for name in recipes.__all__}
RECIPES["mc"] = partial(recipes.mc, max_components=2)  # twenty trees take minutes over all checks
every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)


def problem(n=80, d=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0).astype(np.uint8)
    return X, Y


# Some checks hold for a setting other than the default only, and run with it:
# - that predictions are marginals above one half is true of the decision for the Hamming loss, not of the most probable
#   label set, and of an odd number of votes, which cannot tie (check_classifier_multioutput);
# - that probabilities lie strictly between 0 and 1 is true of mean marginals, not of shares of votes;
# - that a weight is a number of copies is true of members that see all rows.
ALL_ROWS = {"max_samples": 1.0, "max_features": 1.0}
SETTINGS = {
    "check_classifier_multioutput": {"loss": "hamming", "inference": None, "n_estimators": 9},
    "check_classifiers_multilabel_output_format_predict_proba": {"combine": "marginals"},
    "check_sample_weight_equivalence_on_dense_data": ALL_ROWS,
    "check_sample_weight_equivalence_on_sparse_data": ALL_ROWS,
}
# Two checks cannot hold. Members of eocc are SVMs, whose votes have no marginals behind them:
VOTES = "check_classifiers_multilabel_output_format_predict_proba"
# and the mixture decides by rows held out at random how many trees it has, and copies of a row fall
# on both sides of that split. scikit-learn lets its own cross-validated estimators choose their rows in this check.
HELD_OUT = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


def as_checked(model, check):
    """Return the model with the setting under which a check is meant to hold."""
    wanted = SETTINGS.get(getattr(check, "func", check).__name__, {})
    known = model.get_params()
    return model.set_params(**{name: value for name, value in wanted.items() if name in known})


@every_recipe
def test_scikit_learns_own_checks(recipe):
    for model, check in estimator_checks_generator(recipe()):
        name = getattr(check, "func", check).__name__
        if (isinstance(model, TreeMixtureClassifier) and name in HELD_OUT) or (
            recipe is recipes.eocc and name == VOTES
        ):
            continue
        # A check that skips itself (for want of an optional package) must not skip those behind it.
        with warnings.catch_warnings(), contextlib.suppress(SkipTest):
            warnings.simplefilter("ignore", SelectionWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            check(as_checked(model, check))


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
    if hasattr(one, "joint"):
        np.testing.assert_array_equal(one.joint(X).sample(3), two.joint(X).sample(3))


@every_recipe
def test_parts_can_be_replaced(recipe):
    learner = LogisticLearner(C=0.3)
    changed = recipe(learner=learner, loss="f1", inference="exhaustive", random_state=1, n_jobs=2)
    assert (changed.loss, changed.random_state, changed.n_jobs) == ("f1", 1, 2)
    member = getattr(changed, "estimator", changed)
    assert member.learner is learner
    assert member.inference == "exhaustive"


@pytest.mark.parametrize("kind", [JointClassifier, EnsembleClassifier, TreeMixtureClassifier])
def test_wrong_parameters_are_refused(kind):
    X, Y = problem()
    for name, rules in kind.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^{kind.__name__} needs {name} to be"):
                kind(**{name: value}).fit(X, Y)
