"""A pipeline that ends in a joint model answers its questions, and stays scikit-learn's pipeline in all else."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import plait
from plait import AutoJoint, JointPipeline, make_joint_pipeline, recipes
from plait.baselines import MLkNN
from plait.core.sentences import ParameterError
from plait.data import Dataset, TableEncoder
from plait.learners import LinearSVMLearner, LogisticLearner

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [1.0, 10.0, 100.0]
Y = (X[:, :2] / [1.0, 10.0] + RNG.normal(size=(60, 2)) > 0).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return make_joint_pipeline(StandardScaler(), "passthrough", recipes.pcc()).fit(X, Y)


def test_questions_are_those_of_the_last_step_for_transformed_rows(fitted):
    alone = recipes.pcc().fit(StandardScaler().fit_transform(X), Y)
    rows = StandardScaler().fit_transform(X)
    assert np.array_equal(fitted.joint(X).marginals(), alone.joint(rows).marginals())
    assert np.array_equal(fitted.predict(X, loss="hamming"), alone.predict(rows, loss="hamming"))
    assert list(fitted.label_names_) == ["y0", "y1"]
    assert fitted.n_labels_ == 2
    assert fitted.graph_.parents == alone.graph_.parents


def test_it_answers_for_texts_and_sets_of_names():
    texts, tags = ["waves sand", "sand", "cloud"] * 5, [{"sea", "sun"}, {"sun"}, set()] * 5
    model = make_joint_pipeline(TfidfVectorizer(), recipes.pcc()).fit(texts, tags)
    assert model.joint(["waves"]).label_names == ("sea", "sun")
    assert model.joint(["waves"]).given({"sun": 0}).marginals()[0, 1] == 0.0


def test_reasons_go_by_the_names_of_the_steps_before(fitted):
    texts, tags = ["waves sand", "sand", "cloud"] * 5, [{"sea", "sun"}, {"sun"}, set()] * 5
    model = make_joint_pipeline(TfidfVectorizer(), recipes.pcc()).fit(texts, tags)
    assert {"waves", "sand"} <= set(model.joint(["waves sand"]).why("sea", k=9).name)
    songs = pd.DataFrame({"key": ["C", "G", "D"] * 20, "tempo": X[:, 0]})
    table = make_joint_pipeline(TableEncoder(), recipes.br()).fit(songs, Y)
    found = table.joint(songs[1:2]).why("y0", k=9)
    assert set(found.name[found.kind == "feature"]) == {"key=G", "tempo"}
    # Names of a step that gives none are not those of the step before it.
    silent = make_joint_pipeline(StandardScaler(), FunctionTransformer(np.negative), recipes.br()).fit(X, Y)
    assert [silent.joint(X[:1]).features.name(j) for j in range(3)] == ["x0", "x1", "x2"]


def test_gaps_that_the_model_marks_itself_keep_the_names_of_the_steps_before():
    # Numbers below zero: an indicator of gaps that is 0 is no name for them.
    songs = pd.DataFrame({"tempo": X[:, 0] - 9, "loud": X[:, 1], "key": ["C", "G", "D"] * 20})
    songs.loc[::5, "tempo"] = np.nan
    encoder, last = TableEncoder(fill=None), AutoJoint(learners=["logistic"], random_state=0)
    for inside in (encoder, clone(encoder).set_output(transform="pandas")):
        answer = make_joint_pipeline(inside, clone(last)).fit(songs, Y).joint(songs[:2])
        for row, own in ((0, {"tempo=(gap)": 1.0, "key=C": 1.0}), (1, {"tempo": songs["tempo"][1], "key=G": 1.0})):
            found = answer[row].why("y0", k=9)
            values = dict(zip(found.name, found.value, strict=True))
            del values["y1"]
            assert values == pytest.approx({**own, "loud": songs["loud"][row]}, rel=1e-12)
    numbers = songs[["tempo", "loud"]].to_numpy()
    alone = last.fit(numbers, Y).joint(numbers[:1])
    assert set(alone.why("y0", k=9).name) == {"x0=(gap)", "x1", "y1"}


def test_a_single_step_and_a_pipeline_inside(fitted):
    single = make_joint_pipeline(recipes.br()).fit(X, Y)
    assert np.array_equal(single.joint(X).mode(), single.predict(X))
    nested = make_joint_pipeline(StandardScaler(), make_joint_pipeline("passthrough", recipes.pcc())).fit(X, Y)
    assert np.array_equal(nested.joint(X).marginals(), fitted.joint(X).marginals())


def test_clone_pickle_slices_and_grids(fitted):
    model = JointPipeline([("scale", StandardScaler()), ("labels", recipes.pcc(learner=LogisticLearner()))])
    search = GridSearchCV(clone(model), {"labels__learner__C": [1e-4, 1.0]}, cv=2).fit(X, Y)
    assert isinstance(search.best_estimator_, JointPipeline)
    assert search.best_params_ == {"labels__learner__C": 1.0}
    assert search.best_estimator_.joint(X).n_rows == 60
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.joint(X).marginals(), fitted.joint(X).marginals())
    assert isinstance(fitted[:1], JointPipeline)
    assert not hasattr(fitted[:1], "joint")


def test_set_output_frames_reach_the_model():
    model = make_joint_pipeline(StandardScaler(), recipes.pcc()).set_output(transform="pandas").fit(X, Y)
    assert list(model[-1].feature_names_in_) == ["x0", "x1", "x2"]
    assert model.joint(X).n_rows == 60


def test_a_question_is_there_only_where_the_last_step_has_it():
    model = make_joint_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y[:, 0])
    assert model.predict(X).shape == (60,)
    for question in ("joint", "predict_sets", "top_labels", "label_names_", "n_labels_", "graph_"):
        assert not hasattr(model, question)
    with pytest.raises(AttributeError, match="no attribute 'joint'"):
        _ = model.joint
    margins = make_joint_pipeline(StandardScaler(), recipes.pcc(learner=LinearSVMLearner()))
    assert not hasattr(margins, "joint")


def test_an_unfitted_pipeline_says_so():
    with pytest.raises(Exception, match="not fitted"):
        make_joint_pipeline(StandardScaler(), recipes.pcc()).joint(X)


def test_plain_pipelines_still_predict(fitted):
    plain = make_pipeline(StandardScaler(), recipes.pcc()).fit(X, Y)
    assert np.array_equal(plain.predict_proba(X), fitted.predict_proba(X))
    assert {"JointPipeline", "make_joint_pipeline"} <= set(plait.__all__)


def test_every_step_may_use_labels_that_came_as_names():
    texts, tags = ["waves sand", "sand", "cloud"] * 5, [{"sun", "sea"}, {"sun"}, {"rain"}] * 5
    model = make_joint_pipeline(TfidfVectorizer(), SelectKBest(chi2, k=2), recipes.br()).fit(texts, tags)
    assert list(model.label_names_) == ["rain", "sea", "sun"]
    assert model.predict_sets(["cloud"]) == [("rain",)]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_data_set_brings_its_labels(form):
    data = Dataset(X, form(Y), label_names=["sea", "sun"])
    auto = AutoJoint(learners=["logistic"], random_state=0)
    for model in (recipes.pcc(), make_joint_pipeline(StandardScaler(), recipes.pcc()), MLkNN(), recipes.ebcc(), auto):
        assert list(model.fit(data).label_names_) == ["sea", "sun"]
        assert np.array_equal(model.predict(data), model.predict(X))
        assert np.array_equal(model.predict_proba(data), model.predict_proba(X))
        assert model.predict_sets(data) == model.predict_sets(X)
        assert model.score(data) == model.score(X, Y)
    assert np.array_equal(auto.joint(data).marginals(), auto.joint(X).marginals())


def test_rooms_are_there_after_import():
    code = "import plait; plait.metrics.micro_f1([[1]], [[1]]); plait.baselines.MLkNN; plait.losses.F1"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rows_without_labels_are_refused():
    with pytest.raises(ParameterError):
        make_joint_pipeline(StandardScaler(), recipes.br()).fit(np.eye(4))
