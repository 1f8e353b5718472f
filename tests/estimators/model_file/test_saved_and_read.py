"""Model files: what is written is read, and what is no fitted model is not written."""

import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import plait
from plait import load_model, make_joint_pipeline, recipes, save_model
from plait.core.sentences import ParameterError
from plait.data import Dataset
from plait.estimators import model_file, read_model_file
from plait.learners import SklearnLearner, linear_conditionals

skops = pytest.importorskip("skops.io")
FIXTURES = Path(__file__).parents[1] / "models"
NAMES = ["sea", "sun", "sand"]


def test_a_model_comes_back_with_all_that_is_known_of_it(tmp_path, fitted, problem):
    X, _ = problem()
    save_model(fitted, tmp_path / "m.plait")
    again = load_model(tmp_path / "m.plait")
    frame = pd.DataFrame(X, columns=list("abcd"))
    np.testing.assert_array_equal(again.predict_proba(frame), fitted.predict_proba(frame))
    assert again.label_names_.tolist() == NAMES
    file = read_model_file(tmp_path / "m.plait")
    assert (file.label_names, file.feature_names, file.method) == (tuple(NAMES), tuple("abcd"), "JointClassifier")
    assert (file.versions["plait"], file.n_rows) == (plait.__version__, None)
    assert [path.name for path in tmp_path.iterdir()] == ["m.plait"]


def test_names_and_rows_of_the_data_are_kept_and_given_to_the_model(tmp_path, problem):
    X, Y = problem()
    data = Dataset(X, Y, list("abcd"), NAMES, "beach")
    model = recipes.br().fit(data.X, data.Y)
    save_model(model, tmp_path / "m.plait", data=data, method="br")
    file = read_model_file(tmp_path / "m.plait")
    assert (file.data, file.n_rows, file.method, file.feature_names) == ("beach", 60, "br", tuple("abcd"))
    assert file.model.label_names_.tolist() == NAMES
    assert file.model.joint(X[:1]).given({"sun": 1}).mode()[0, 1] == 1
    with pytest.raises(ParameterError, match="2 names of labels and the model has 3"):
        save_model(model, tmp_path / "m.plait", data=Dataset(X, Y[:, :2], list("abcd"), NAMES[:2]))


def test_pipelines_and_texts(tmp_path, problem):
    texts = ["waves and sand", "sand", "clouds", "waves", "clouds and waves", "sand and waves"] * 5
    tags = [{"sea", "sun"}, {"sun"}, set(), {"sea"}, {"sea"}, {"sea", "sun"}] * 5
    model = make_joint_pipeline(TfidfVectorizer(), recipes.pcc()).fit(texts, tags)
    save_model(model, tmp_path / "m.plait")
    again = load_model(tmp_path / "m.plait")
    np.testing.assert_array_equal(again.joint(texts).marginals(), model.joint(texts).marginals())
    assert again.label_names_.tolist() == ["sea", "sun"]
    plain = make_pipeline(StandardScaler(), recipes.br()).fit(*problem())
    save_model(plain, tmp_path / "p.plait")
    np.testing.assert_array_equal(load_model(tmp_path / "p.plait").predict(problem()[0]), plain.predict(problem()[0]))


def test_the_default_model_of_a_table_with_words_and_gaps(tmp_path, problem):
    if "AutoJoint" not in plait.__all__:
        pytest.skip("this version has no AutoJoint")
    X, Y = problem(80)
    table = pd.DataFrame({"size": X[:, 0], "sky": np.where(X[:, 1] > 0, "blue", "grey")})
    table.loc[3, "size"] = np.nan
    model = plait.AutoJoint(random_state=0).fit(table, Y)
    save_model(model, tmp_path / "m.plait")
    np.testing.assert_array_equal(load_model(tmp_path / "m.plait").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_plain_skops_file_is_read(tmp_path, fitted, compression, problem):
    frame = pd.DataFrame(problem()[0], columns=list("abcd"))
    skops.dump(fitted, tmp_path / "m.skops", compression=compression)
    file = read_model_file(tmp_path / "m.skops")
    np.testing.assert_array_equal(file.model.predict(frame), fitted.predict(frame))
    assert (file.label_names, file.feature_names, file.versions) == (tuple(NAMES), tuple("abcd"), {})
    forest = RandomForestClassifier(3, random_state=0).fit(*problem())
    skops.dump(forest, tmp_path / "f.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "f.skops").predict(problem()[0]), forest.predict(problem()[0]))


@pytest.mark.parametrize(
    "classifier",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        RandomForestClassifier(3, random_state=0),
        ExtraTreesClassifier(3, random_state=0),
        GradientBoostingClassifier(n_estimators=3, random_state=0),
        HistGradientBoostingClassifier(max_iter=3, random_state=0),
        KNeighborsClassifier(algorithm="kd_tree", leaf_size=5),
        KNeighborsClassifier(algorithm="ball_tree", metric="manhattan", leaf_size=5),
        MLPClassifier(3, max_iter=400, tol=0.1, random_state=0),
        SGDClassifier(loss="log_loss", random_state=0),
        SVC(),
        GaussianNB(),
        CalibratedClassifierCV(GaussianNB(), cv=2),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda each: type(each).__name__,
)
def test_learners_of_scikit_learn_work_by_the_rule(tmp_path, classifier, problem):
    X, Y = problem()
    model = recipes.cc(learner=SklearnLearner(classifier)).fit(X, Y)
    save_model(model, tmp_path / "m.plait")
    np.testing.assert_array_equal(load_model(tmp_path / "m.plait").predict(X), model.predict(X))


def test_categories_of_a_frame_reach_a_classifier_that_was_saved(tmp_path, problem):
    X, Y = problem()
    frame = pd.DataFrame({"size": X[:, 0], "sky": pd.Categorical(np.where(X[:, 1] > 0, "blue", "grey"))})
    boosted = HistGradientBoostingClassifier(max_iter=3, random_state=0, categorical_features="from_dtype")
    model = recipes.cc(learner=boosted).fit(frame, Y)
    save_model(model, tmp_path / "m.plait")
    np.testing.assert_array_equal(load_model(tmp_path / "m.plait").predict(frame), model.predict(frame))


def test_a_chain_of_many_labels_is_as_large_as_its_coefficients(tmp_path):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 5)), rng.integers(0, 2, (40, 120))
    model = recipes.pcc().fit(X, Y)
    save_model(model, tmp_path / "m.plait")
    weights = model.conditionals_
    assert (tmp_path / "m.plait").stat().st_size < 1.1 * (weights.coef_.nbytes + weights.parent_coef_.nbytes) + 30_000
    assert load_model(tmp_path / "m.plait").graph_ == model.graph_


def test_what_packs_too_well_is_written_unpacked_and_read(tmp_path, small_limits, problem):
    X, Y = problem()
    model = recipes.br().fit(X, Y)
    model.spare_ = np.zeros(2 * 10**6)
    save_model(model, tmp_path / "m.plait")
    assert (tmp_path / "m.plait").stat().st_size > 10**7
    assert load_model(tmp_path / "m.plait").spare_.shape == (2 * 10**6,)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.plait")), ids=lambda path: path.stem)
def test_files_of_earlier_versions_are_read(path):
    """A file for every format that a release wrote; its name says which. A released one never changes, add the next.

    A format that no release wrote yet may change: run this file as a program to write its file again.
    """
    file = read_model_file(path)
    expected = json.loads(path.with_suffix(".json").read_text())
    assert list(file.label_names) == expected["label_names"]
    X = np.array(expected["X"])
    np.testing.assert_allclose(file.model.predict_proba(X), expected["predict_proba"], rtol=1e-6)
    assert file.model.predict(X).tolist() == expected["predict"]


def test_there_is_a_file_of_the_present_format():
    assert (FIXTURES / f"format-{model_file.FORMAT}.plait").exists()


@pytest.mark.parametrize("packed_by_itself", [False, True], ids=["arrays", "as files had it before"])
def test_sparse_coefficients_come_back(tmp_path, monkeypatch, packed_by_itself, problem, thin_model):
    model = thin_model
    if packed_by_itself:
        monkeypatch.setattr(linear_conditionals, "_parts", lambda value: value)
    save_model(model, tmp_path / "m.plait")
    again = load_model(tmp_path / "m.plait")
    assert (again.conditionals_.coef_ != model.conditionals_.coef_).nnz == 0
    X, _ = problem()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


# What cannot be saved.


@pytest.mark.parametrize(
    ("model", "words"),
    [(recipes.br(), "not fitted"), (5, "no model"), (recipes.br, "no model"), ([], "no model")],
)
def test_what_is_no_fitted_model_is_not_saved(tmp_path, model, words):
    with pytest.raises(ParameterError, match=words):
        save_model(model, tmp_path / "m.plait")
    assert not list(tmp_path.iterdir())


def test_what_is_no_data_is_not_saved(tmp_path, problem):
    model = recipes.br().fit(*problem())
    model.opened_ = open(os.devnull, "rb")  # noqa: SIM115
    with pytest.raises(ParameterError, match="can be written as data"):
        save_model(model, tmp_path / "m.plait")
    model.opened_.close()
    assert not list(tmp_path.iterdir())


def write_fixture():
    """Write the file of the present format, and what its model answers."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    Y = (X[:, :2] > 0).astype(np.int64)
    model = recipes.pcc().fit(X, Y)
    path = FIXTURES / f"format-{model_file.FORMAT}.plait"
    save_model(model, path, data=Dataset(X, Y, list("abc"), NAMES[:2], "beach"), method="pcc")
    answers = {"predict_proba": model.predict_proba(X[:4]).tolist(), "predict": model.predict(X[:4]).tolist()}
    known = {"label_names": NAMES[:2], "X": X[:4].tolist(), **answers}
    path.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    write_fixture()


def test_the_method_of_a_pipeline_is_its_last_step(tmp_path, problem):
    for name, model in (("one", recipes.br()), ("two", make_pipeline(StandardScaler(), recipes.br()))):
        save_model(make_pipeline(StandardScaler(), model).fit(*problem()), tmp_path / name)
        assert read_model_file(tmp_path / name).method == "JointClassifier"
