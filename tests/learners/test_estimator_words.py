"""Names of estimators and sentences about their failures."""

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plait.core.sentences import ParameterError
from plait.learners.estimator_words import called_failure, estimator_name, fit_failure


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
        (ValueError("x" * 1000), "x... Mend what"),
    ],
)
def test_sentences(cause, words):
    for error in (fit_failure(LogisticRegression(), 3, cause), called_failure("LogisticRegression", 3, cause)):
        assert isinstance(error, ParameterError)
        assert "LogisticRegression failed on label 3 with " in str(error)
        assert words in str(error)
        assert "\n" not in str(error)
        assert len(str(error)) < 550
