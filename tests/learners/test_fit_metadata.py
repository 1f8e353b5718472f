"""Names under which weights reach `fit`."""

import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from plait.core.sentences import ParameterError
from plait.learners import SklearnLearner
from plait.learners.fit_metadata import routed_metadata

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
