import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from plait.baselines import HOMER, LabelPowerset
from plait.baselines.foundations.meta_classifier import seeded_members, weight_keywords
from plait.core.sentences import ParameterError
from plait.learners import SklearnLearner


def test_weights_reach_the_last_step_of_a_pipeline_and_what_a_search_fits():
    weights = np.ones(3)
    assert weight_keywords("A", GaussianNB(), None) == {}
    assert list(weight_keywords("A", GaussianNB(), weights)) == ["sample_weight"]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    assert list(weight_keywords("A", pipeline, weights)) == ["logisticregression__sample_weight"]
    assert list(weight_keywords("A", GridSearchCV(GaussianNB(), {}), weights)) == ["sample_weight"]
    with pytest.raises(ParameterError, match=r"^A needs an estimator whose fit takes sample_weight, but KNeighbors"):
        weight_keywords("A", KNeighborsClassifier(), weights)


def test_members_have_seeds_of_their_own_drawn_from_the_owners():
    def drawn(estimator, random_state):
        return [each.get_params()[name] for each in seeded_members(estimator, 3, random_state)]

    name = "random_state"
    assert drawn(DecisionTreeClassifier(), 1) == drawn(DecisionTreeClassifier(), 1)
    assert drawn(DecisionTreeClassifier(), 1) != drawn(DecisionTreeClassifier(), 2)
    assert drawn(DecisionTreeClassifier(random_state=4), 1) == [4, 4, 4]
    name = "estimator__random_state"
    inside = drawn(SklearnLearner(DecisionTreeClassifier()), 1)
    assert len(set(inside)) == 3
    name = "decisiontreeclassifier__random_state"
    assert len(set(drawn(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 1))) == 3


def test_rows_that_weigh_nothing_are_absent():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    Y = np.array([[0, 1], [1, 0], [1, 1], [0, 1]])
    weights = np.array([1.0, 1.0, 0.0, 2.0])
    model = LabelPowerset(GaussianNB()).fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(model.label_sets_, [[0, 1], [1, 0]])


def test_missing_values_are_for_the_estimator_to_take():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    X[::5, 2] = np.nan
    boosting = HistGradientBoostingClassifier(max_iter=3)
    for estimator in (boosting, SklearnLearner(boosting)):
        assert HOMER(estimator).fit(X, Y).predict(X).shape == Y.shape
    with pytest.raises(ValueError, match="NaN"):
        HOMER().fit(X, Y)
