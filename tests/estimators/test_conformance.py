"""What every classifier of the room must do, for every recipe."""

import inspect
from functools import partial

import pytest
from joblib import parallel_config

from plait import EnsembleClassifier, JointClassifier, TreeMixtureClassifier
from plait.estimators import recipes
from plait.learners import LinearSVMLearner, LogisticLearner
from plait.testing import EstimatorConformance

RECIPES = {name: getattr(recipes, name) for name in recipes.__all__ if name != "auto"}  # see auto_joint
RECIPES["mc"] = partial(recipes.mc, max_components=2)  # twenty trees take minutes over all checks
RECIPES["plt"] = partial(recipes.plt, max_leaves=1, arity=2)  # else a few labels make no groups
for name, recipe in RECIPES.items():
    if "n_estimators" in inspect.signature(recipe).parameters:
        RECIPES[name] = partial(recipe, n_estimators=3)  # what three members do, ten do
every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)


# Some checks hold for a setting other than the default only, and run with it:
# - that predictions are marginals above one half is true of the decision for the Hamming loss, not of the most probable
#   label set, and of an odd number of votes, which cannot tie (check_classifier_multioutput);
# - that probabilities lie strictly between 0 and 1 is true of mean marginals, not of shares of votes;
# - that a weight is a number of copies is true of members that see all rows, and of penalties that are not chosen by
#   rows held out, as copies of a row fall on both sides of a split.
FIXED = {"learner": LogisticLearner(), "estimator__learner": LogisticLearner()}
ALL_ROWS = {"max_samples": 1.0, "max_features": 1.0, **FIXED}
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


@pytest.mark.parametrize("model", [recipe() for recipe in RECIPES.values()], ids=RECIPES)
class TestRecipes(EstimatorConformance):
    def as_checked(self, model, check):
        if isinstance(model, TreeMixtureClassifier) and check in HELD_OUT:
            return None
        if check == VOTES and isinstance(getattr(getattr(model, "estimator", None), "learner", None), LinearSVMLearner):
            return None
        wanted, known = SETTINGS.get(check, {}), model.get_params()
        if isinstance(known.get("learner", known.get("estimator__learner")), LinearSVMLearner):
            # Margins decide for the most probable set only, and no marginals are there to be compared with.
            wanted = {name: value for name, value in wanted.items() if name not in ("loss", *FIXED)}
        return model.set_params(**{name: value for name, value in wanted.items() if name in known})

    def test_the_same_bits_twice_and_for_any_number_of_jobs(self, model):
        with parallel_config("threading"):  # processes take seconds to start: `test_ensemble_classifier` has them
            super().test_the_same_bits_twice_and_for_any_number_of_jobs(model)

    # The rules are those of the class, tested below once for each of them.
    test_wrong_parameters_are_refused = None


@pytest.mark.parametrize("kind", [JointClassifier, EnsembleClassifier, TreeMixtureClassifier])
def test_wrong_parameters_are_refused(kind):
    EstimatorConformance().test_wrong_parameters_are_refused(kind())


@every_recipe
def test_parts_can_be_replaced(recipe):
    learner = LogisticLearner(C=0.3)
    changed = recipe(learner=learner, loss="f1", inference="exhaustive", random_state=1, n_jobs=2)
    assert (changed.loss, changed.random_state, changed.n_jobs) == ("f1", 1, 2)
    member = getattr(changed, "estimator", changed)
    assert member.learner is learner
    assert member.inference == "exhaustive"
