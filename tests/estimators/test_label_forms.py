"""Wherever labels are taken, they may have any form, and mean the same."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plait import AutoJoint, make_joint_pipeline, metrics, recipes
from plait.core.sentences import ParameterError
from plait.data import Dataset, statistics
from plait.data.errors import DataError
from plait.data.folds import MultilabelStratifiedKFold
from plait.features import MDDM, SCLS
from plait.learners import LogisticLearner
from plait.structure import KDependence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, :2] + 0.5 * RNG.normal(size=(60, 2)) > 0).astype(int)
NAMES = ["sea", "sun"]
SETS = [{name for name, one in zip(NAMES, row, strict=True) if one} for row in Y]
FORMS = {
    "sets": SETS,
    "a Series of lists": pd.Series([sorted(row) for row in SETS]),
    "a polars Series": pl.Series([sorted(row) for row in SETS]),
    "yes and no": pd.DataFrame(np.where(Y == 1, "yes", "no"), columns=NAMES),
    "another order": pd.DataFrame(Y, columns=NAMES)[NAMES[::-1]],
}
MODEL = recipes.pcc().fit(X, SETS)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_question_takes_every_form(form):
    answer = MODEL.joint(X)
    assert MODEL.score(X, form) == MODEL.score(X, Y)
    assert np.array_equal(answer.log_prob(form), answer.log_prob(Y))
    assert np.array_equal(answer.doubts(form), answer.doubts(Y))
    assert np.array_equal(answer.expected_loss(form, "hamming"), answer.expected_loss(Y, "hamming"))
    for scorer in ("micro_f1", "hamming_loss", "ranking_loss", "cll_loss"):
        assert metrics.scorers[scorer](MODEL, X, form) == metrics.scorers[scorer](MODEL, X, Y)
    assert metrics.micro_f1(form, MODEL.predict_sets(X)) == metrics.micro_f1(Y, MODEL.predict(X))


@pytest.mark.parametrize("form", [FORMS[word] for word in ("sets", "a Series of lists", "yes and no")])
def test_everything_that_is_fitted_takes_every_form(form):
    assert recipes.br().fit(X, form).predict_sets(X) == recipes.br().fit(X, SETS).predict_sets(X)
    assert np.array_equal(SCLS(n_features=2).fit(X, form).ranking_, SCLS(n_features=2).fit(X, Y).ranking_)
    assert np.array_equal(MDDM().fit(X, form).components_, MDDM().fit(X, Y).components_)
    assert KDependence().build(X, form, random_state=0).label_names == ("sea", "sun")
    assert np.array_equal(LogisticLearner().fit(X, form).coef_, LogisticLearner().fit(X, Y).coef_)
    parts = [test.tolist() for _, test in MultilabelStratifiedKFold(3, random_state=0).split(X, form)]
    assert parts == [test.tolist() for _, test in MultilabelStratifiedKFold(3, random_state=0).split(X, Y)]
    assert Dataset(X, form) == Dataset(X, Y, label_names=NAMES)
    assert statistics(form).positives.tolist() == Y.sum(axis=0).tolist()
    assert statistics(form).label_names == ("sea", "sun")


def test_searches_and_cross_validation_take_sets():
    folds = MultilabelStratifiedKFold(2, random_state=0)
    scoring = {word: metrics.scorers[word] for word in ("exact_match", "ranking_loss")}
    by_name = cross_validate(make_pipeline("passthrough", recipes.br()), X, SETS, cv=folds, scoring=scoring)
    by_column = cross_validate(recipes.br(), X, Y, cv=folds, scoring=scoring)
    for word in ("test_exact_match", "test_ranking_loss"):
        assert np.array_equal(by_name[word], by_column[word])
    search = GridSearchCV(recipes.br(), {"loss": ["subset", "hamming"]}, cv=folds).fit(X, SETS)
    assert metrics.scorers["exact_match"](search, X, SETS) == search.best_estimator_.score(X, Y)


def test_a_name_never_seen_is_a_label_that_is_missed():
    rows = [SETS[0] | {"moon"}, *SETS[1:]]
    expected = ((MODEL.predict(X) == Y).all(axis=1) & (np.arange(60) > 0)).mean()
    assert MODEL.score(X, rows) == expected
    assert metrics.scorers["exact_match"](MODEL, X, rows) == expected
    assert metrics.exact_match(rows, MODEL.predict_sets(X)) == expected
    frame = pd.DataFrame(MODEL.predict(X), columns=NAMES)
    assert metrics.exact_match(rows, frame) == metrics.exact_match(frame, rows) == expected
    with pytest.raises(ParameterError, match="log_prob needs Y to hold labels that are known, but 'moon' is none"):
        MODEL.joint(X).log_prob(rows)


def test_names_and_columns_without_names_do_not_mix():
    with pytest.raises(DataError, match="micro_f1 needs Y_true and Y_pred to be of one kind, but Y_true names labels"):
        metrics.micro_f1(SETS, MODEL.predict(X))
    with pytest.raises(DataError, match="but Y_pred names labels and Y_true has columns without names"):
        metrics.micro_f1(Y, SETS)
    with pytest.raises(DataError, match="ranking_loss needs Y_true and scores to be of one kind"):
        metrics.ranking_loss(SETS, MODEL.predict_proba(X))
    scores = pd.DataFrame(MODEL.predict_proba(X), columns=NAMES)
    assert metrics.ranking_loss(SETS, scores) == metrics.ranking_loss(Y, MODEL.predict_proba(X))


def test_a_score_needs_as_many_rows_and_labels():
    for wrong in (Y[:5], np.column_stack([Y, Y])):
        with pytest.raises(ParameterError, match=r"JointClassifier.score needs y to have shape \(60, 2\), but it has"):
            MODEL.score(X, wrong)
    weights = RNG.random(60)
    right = (MODEL.predict(X) == Y).all(axis=1)
    assert MODEL.score(X, Y, weights) == pytest.approx(weights[right].sum() / weights.sum(), rel=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        recipes.br(learner="logistic"),
        recipes.mc(learner="logistic", max_components=2, random_state=0),
        AutoJoint(learners=["logistic"], random_state=0),
        make_joint_pipeline(StandardScaler(), recipes.br(learner="logistic")),
    ],
    ids=lambda model: type(model).__name__,
)
def test_reasons_name_the_columns_of_the_data_set_of_fit(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    data = Dataset(X, (X + 0.5 * rng.normal(size=X.shape) > 0).astype(int), ["wind", "salt"], ["sea", "sun"])
    fitted = clone(model).fit(data)
    assert {"wind", "salt"} <= set(fitted.joint(X[:5]).why("sea").name) <= {"wind", "salt", "sun"}
    # Fitted again on an array, they have numbers only.
    assert {"x0", "x1"} <= set(fitted.fit(X, data.Y).joint(X[:5]).why(0).name)
