"""What new users tried first with frames and models in Python: each by the number of its trial."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, validation_curve
from sklearn.pipeline import make_pipeline

import plait
from plait import recipes
from plait.data import DataError, Dataset, TableEncoder, from_frame, split_tags, statistics
from plait.data.folds import MultilabelStratifiedKFold
from plait.estimators import JointPipeline
from plait.features import SCLS

pytestmark = pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
LABELS = ["calm", "sad", "loud"]


def test_7_metrics_after_import_plait():
    assert plait.metrics.exact_match([[1, 0]], [[1, 0]]) == 1.0


def test_36_50_58_searches_over_defaults():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.integers(0, 2, size=(40, 2))
    for search in (
        GridSearchCV(recipes.br(), {"learner__C": [0.1, 1.0]}, cv=2),
        RandomizedSearchCV(recipes.br(), {"learner__C": [0.1, 1.0]}, n_iter=1, cv=2, random_state=0),
    ):
        assert "learner__C" in search.fit(X, Y).best_params_
    assert len(validation_curve(recipes.br(), X, Y, param_name="learner__C", param_range=[0.1, 1.0], cv=2)) == 2
    assert clone(recipes.br()).set_params(learner__C=3).get_params()["learner__C"] == 3


@pytest.mark.parametrize("learner", [LogisticRegression(), RandomForestClassifier(5, random_state=0), "logistic"])
def test_60_63_any_classifier_learns(learner):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.integers(0, 2, size=(40, 2))
    assert recipes.br(learner=learner).fit(X, Y).predict(X).shape == (40, 2)


SETS = [{"sea"}, {"sea", "sun"}, {"sun"}, set()] * 5


MATRIX = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 5)


NUMBERS = np.random.default_rng(0).normal(size=(20, 3)) + MATRIX @ [[1, 0, 0], [0, 2, 0]]


@pytest.mark.parametrize(
    "Y",
    [
        SETS,
        [sorted(row) for row in SETS],
        pd.Series([sorted(row) for row in SETS]),
        pl.Series([sorted(row) for row in SETS], dtype=pl.List(pl.String)),
        pd.DataFrame(np.where(MATRIX, "ja", "nein"), columns=["sea", "sun"]),
        split_tags(["|".join(sorted(row)) for row in SETS]),
    ],
    ids=["sets", "lists", "series", "polars", "yes/no", "tags"],
)
def test_10_21_28_48_70_73_labels_as_people_have_them(Y):
    model = recipes.br().fit(NUMBERS, Y)
    assert list(model.label_names_) == ["sea", "sun"]
    np.testing.assert_array_equal(model.predict(NUMBERS), recipes.br().fit(NUMBERS, MATRIX).predict(NUMBERS))
    assert model.score(NUMBERS, Y) == model.score(NUMBERS, MATRIX)
    assert len(list(MultilabelStratifiedKFold(2).split(NUMBERS, Y))) == 2
    assert SCLS(n_features=1).fit(NUMBERS, Y).mask_.support.shape == (2, 3)
    assert Dataset(NUMBERS, Y).label_names == ("sea", "sun")
    assert statistics(Dataset(NUMBERS, Y)).n_labels == 2


def test_23_25_26_names_out_of_a_pipeline_of_words(songs):
    table = songs()
    model = JointPipeline([("table", TableEncoder()), ("model", recipes.br())])
    model.fit(table[["tempo", "key", "live"]], table[LABELS])
    assert set(model.predict_sets(table[["tempo", "key", "live"]])[0]) <= set(LABELS)
    assert model.joint(table[["tempo", "key", "live"]][:2]).marginals().shape == (2, 3)


def test_80_81_92_words_and_gaps_in_frames(songs):
    table = songs()
    model = make_pipeline(TableEncoder(), recipes.br()).fit(table[["tempo", "key"]], table[LABELS])
    assert model.predict(table[["key", "tempo"]]).shape == (90, 3)


def test_117_a_frame_with_a_column_of_lists():
    with pytest.raises(DataError, match="numbers, words or dates in column 'tags'"):
        from_frame(pd.DataFrame({"tags": [["a"], ["b"]], "sea": [1, 0]}), ["sea"])
