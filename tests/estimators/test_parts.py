"""Parts by word: parameters of defaults can be read and set, searches work, any classifier is a learner."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, validation_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_parameters_default_constructible

from plait import EnsembleClassifier, JointClassifier, TreeMixtureClassifier, recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.inference import Auto
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.structure import FullChain

DATA = make_label_network(90, 5, 3, random_state=0).dataset
MODELS = {kind.__name__: kind for kind in (JointClassifier, EnsembleClassifier, TreeMixtureClassifier)}
RECIPES = {name: getattr(recipes, name) for name in recipes.__all__ if name != "auto"}  # which has no such parts


def path_of(model, name):
    """Return the parameter of a model, of an ensemble that of its members."""
    return f"estimator__{name}" if isinstance(model, EnsembleClassifier) else name


@pytest.mark.parametrize("make", [*RECIPES.values(), *MODELS.values()], ids=[*RECIPES, *MODELS])
def test_parameters_of_default_parts_can_be_set_and_no_other_model_sees_it(make):
    model, other = make(), make()
    before = str(other.get_params())
    changed = {path_of(model, "learner__C"): 3.0, "inference__n_samples": 7}
    changed = {key: value for key, value in changed.items() if key in model.get_params()}
    assert path_of(model, "learner__C") in changed
    copy = clone(model).set_params(**changed)
    assert {key: copy.get_params()[key] for key in changed} == changed
    assert str(other.get_params()) == str(make().get_params()) == before
    assert str(model.get_params()) == before


@pytest.mark.parametrize("kind", MODELS.values(), ids=MODELS)
def test_defaults_keep_the_rules_of_scikit_learn(kind):
    check_parameters_default_constructible(kind.__name__, kind())


def test_words_are_the_objects_they_name():
    by_word = JointClassifier("chain", None, "linear_svm", "auto")
    assert isinstance(by_word.part("structure"), FullChain)
    assert isinstance(by_word.part("learner"), LinearSVMLearner)
    assert isinstance(by_word.part("inference"), Auto)
    assert JointClassifier(learner=None).part("learner").get_params() == JointClassifier().part("learner").get_params()
    assert by_word.part("selector") is None


def test_a_word_and_a_parameter_of_its_part_may_be_set_together():
    model = JointClassifier().set_params(learner="linear_svm", learner__C=0.5, structure__order="random")
    assert isinstance(model.learner, LinearSVMLearner)
    assert (model.learner.C, model.structure.order) == (0.5, "random")


def test_a_wrong_word_is_told_by_fit_and_not_by_get_params():
    model = JointClassifier(learner="logistics")
    assert model.get_params()["learner"] == "logistics"
    with pytest.raises(ParameterError, match=r"Did you mean 'logistic'\?"):
        model.fit(DATA.X, DATA.Y)


def test_searches_and_curves_over_parts():
    grid = GridSearchCV(recipes.pcc(), {"learner__C": [1e-6, 1.0], "structure__order": ["random", None]}, cv=2)
    assert grid.fit(DATA.X, DATA.Y).best_params_["learner__C"] == 1.0
    drawn = RandomizedSearchCV(JointClassifier(), {"learner__C": [0.1, 1.0]}, n_iter=2, cv=2, random_state=0)
    assert hasattr(drawn.fit(DATA.X, DATA.Y), "best_score_")
    scores = validation_curve(recipes.br(), DATA.X, DATA.Y, param_name="learner__C", param_range=[1e-6, 1.0], cv=2)
    assert scores[1][0].mean() < scores[1][1].mean()


FORESTS = {
    "forest": RandomForestClassifier(5, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=5, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)),
}


@pytest.mark.parametrize("classifier", FORESTS.values(), ids=FORESTS)
def test_any_classifier_is_a_learner(classifier):
    wrapped = recipes.pcc(learner=SklearnLearner(classifier)).fit(DATA.X, DATA.Y)
    model = recipes.pcc(learner=classifier).fit(DATA.X, DATA.Y)
    np.testing.assert_array_equal(model.predict_proba(DATA.X), wrapped.predict_proba(DATA.X))
    assert model.learner is classifier


def test_parameters_of_a_classifier_that_is_a_learner_are_its_own():
    model = JointClassifier(learner=DecisionTreeClassifier(random_state=0)).set_params(learner__max_depth=1)
    model.fit(DATA.X, DATA.Y)
    assert {tree.get_depth() for tree in model.conditionals_.estimators_} == {1}
    assert not hasattr(JointClassifier(learner=LinearSVC()).fit(DATA.X, DATA.Y), "predict_proba")


def test_the_learners_of_papers():
    assert recipes.pcc(learner="published").learner.get_params()["C"] == "cv"
    assert recipes.pacc(learner="published").learner.C == 5.0
    assert isinstance(recipes.ecc(learner="published").estimator.learner, LinearSVMLearner)
    one, two = recipes.br(learner="published"), recipes.br(learner="published")
    assert isinstance(one.learner, LogisticLearner)
    assert one.learner is not two.learner
