"""Names under which weights reach `fit`."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from plait.core.sentences import ParameterError
from plait.learners import SklearnLearner
from plait.learners.training.wrapped_estimators import (
    called_failure,
    estimator_name,
    fit_failure,
    routed_metadata,
    seeded_clones,
)

PIPE = make_pipeline("passthrough", LogisticRegression())


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (LogisticRegression(), "sample_weight"),
        (PIPE, "logisticregression__sample_weight"),
        (make_pipeline("passthrough", PIPE), "pipeline__logisticregression__sample_weight"),
        (GridSearchCV(PIPE, {}), "logisticregression__sample_weight"),
        (RandomizedSearchCV(LogisticRegression(), {}), "sample_weight"),
        (CalibratedClassifierCV(LogisticRegression()), "sample_weight"),
    ],
)
def test_names_without_routing(estimator, name):
    assert routed_metadata(SklearnLearner(estimator), {"sample_weight": 7}) == {name: 7}


def test_no_metadata_no_questions():
    assert routed_metadata(SklearnLearner(KNeighborsClassifier()), {}) == {}
    with sklearn.config_context(enable_metadata_routing=True):
        assert routed_metadata(SklearnLearner(LogisticRegression()), {}) == {}


@pytest.mark.parametrize("routing", [False, True])
def test_nobody_takes_them(routing):
    expected = r"^SklearnLearner needs an estimator whose fit takes sample_weight, but KNeighborsClassifier does not"
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(ParameterError, match=expected),
    ):
        routed_metadata(SklearnLearner(KNeighborsClassifier()), {"sample_weight": 7})


def test_requests():
    with sklearn.config_context(enable_metadata_routing=True):
        asked = LogisticRegression().set_fit_request(sample_weight=True)
        assert routed_metadata(SklearnLearner(asked), {"sample_weight": 7}) == {"sample_weight": 7}
        renamed = LogisticRegression().set_fit_request(sample_weight="mass")
        assert routed_metadata(SklearnLearner(renamed), {"mass": 7}) == {"sample_weight": 7}
        nested = make_pipeline("passthrough", renamed)
        assert routed_metadata(SklearnLearner(nested), {"mass": 7}) == {"mass": 7}


def test_names():
    assert estimator_name(LogisticRegression()) == "LogisticRegression"
    assert estimator_name(RandomForestClassifier()) == "RandomForestClassifier"
    pipe = make_pipeline(StandardScaler(), "passthrough", LogisticRegression())
    assert estimator_name(pipe) == "Pipeline(StandardScaler, LogisticRegression)"
    assert estimator_name(GridSearchCV(pipe, {})) == "GridSearchCV(Pipeline(StandardScaler, LogisticRegression))"


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (TypeError("Sparse data was passed"), "TypeError: Sparse data was passed. Pass X.toarray(), or"),
        (ValueError("Input X contains NaN.\nNo."), "ValueError: Input X contains NaN. No. Put an imputer"),
        (KeyError(), "KeyError: no message. Mend what its message says"),
        (ValueError("x" * 300), f"ValueError: {'x' * 300}. Mend what"),
        (ValueError("x" * 301), f"ValueError: {'x' * 297}... Mend what"),
    ],
)
def test_sentences(cause, words):
    for error in (fit_failure(LogisticRegression(), 3, cause), called_failure("LogisticRegression", 3, cause)):
        assert isinstance(error, ParameterError)
        assert "LogisticRegression failed on label 3 with " in str(error)
        assert words in str(error)
        assert "\n" not in str(error)
        assert len(str(error)) < 550


def fixed(seed=0):
    np.random.seed(seed)  # noqa: NPY002 - scikit-learn's None is this generator


def test_integers_stay_and_others_differ_by_clone_and_place():
    estimator = BaggingClassifier(DecisionTreeClassifier(), random_state=5)
    clones = seeded_clones(estimator, 20)
    assert {each.random_state for each in clones} == {5}
    inner = [each.estimator.random_state for each in clones]
    assert len(set(inner)) == 20
    assert all(isinstance(seed, int) and 0 <= seed < 2**31 for seed in inner)
    assert estimator.estimator.random_state is None
    both = seeded_clones(make_pipeline(DecisionTreeClassifier(), RandomForestClassifier()), 3)
    assert len({step.random_state for each in both for _, step in each.steps}) == 6


def test_none_follows_the_global_generator():
    found = []
    for seed in (0, 0, 1):
        fixed(seed)
        found.append([each.random_state for each in seeded_clones(DecisionTreeClassifier(), 3)])
    assert found[0] == found[1]
    assert set(found[0]).isdisjoint(found[2])


def test_the_first_seeds_do_not_depend_on_how_many_there_are():
    state = np.random.RandomState(0)
    few, many = (
        [each.random_state for each in seeded_clones(DecisionTreeClassifier(random_state=state), n)] for n in (2, 5)
    )
    assert many[:2] == few


def test_one_random_state_in_two_places_gives_different_seeds_each_time_the_same():
    state = np.random.RandomState(0)
    estimator = BaggingClassifier(DecisionTreeClassifier(random_state=state), random_state=state)
    before = state.get_state()[1].copy()
    first, again = (
        [(each.random_state, each.estimator.random_state) for each in seeded_clones(estimator, 2)] for _ in range(2)
    )
    assert first == again
    assert len({seed for pair in first for seed in pair}) == 4
    np.testing.assert_array_equal(state.get_state()[1], before)


@pytest.mark.parametrize("given", [None, 4])
def test_splitters(given):
    splitter = StratifiedKFold(2, shuffle=True, random_state=given)
    clones = seeded_clones(GridSearchCV(GaussianNB(), {}, cv=splitter), 3)
    seeds = [each.cv.random_state for each in clones]
    assert seeds == [4] * 3 if given == 4 else len(set(seeds)) == 3
    assert all(isinstance(seed, int) for seed in seeds)
    assert splitter.random_state == given


def test_nothing_is_drawn_where_nothing_is_random():
    fixed()
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - see above
    assert len(seeded_clones(GaussianNB(), 4)) == 4
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002 - see above
