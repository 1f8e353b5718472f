"""Model files: what is written is read, what is not a model is refused in one sentence, and nothing in a file runs."""

import builtins
import io
import json
import os
import pickle
import zipfile
from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
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
from plait.data import DataError, Dataset
from plait.estimators import UntrustedModelError, model_file, model_types, read_model_file
from plait.estimators.model_file import answers_of
from plait.inference import Auto
from plait.joint import MixtureJoint
from plait.learners import LogisticLearner, SklearnLearner, linear_conditionals

skops = pytest.importorskip("skops.io")
FIXTURES = Path(__file__).parent / "models"
NAMES = ["sea", "sun", "sand"]


class Stranger:
    """A type that nobody trusts."""

    def __init__(self):
        self.secret = 1


def problem(n=60, d=4, q=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, :q] + rng.normal(size=(n, q)) > 0).astype(np.int64)


@pytest.fixture(scope="module")
def fitted():
    X, Y = problem()
    return recipes.pcc().fit(pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(Y, columns=NAMES))


@pytest.fixture
def small_limits(monkeypatch):
    """Let small bombs do."""
    monkeypatch.setattr(model_types, "_GROWTH", (model_types._GROWTH[0], 1 << 23))
    monkeypatch.setattr(model_types, "_SCHEMA_GROWTH", (model_types._SCHEMA_GROWTH[0], 1 << 21))


# What is written is read.


def test_a_model_comes_back_with_all_that_is_known_of_it(tmp_path, fitted):
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


def test_names_and_rows_of_the_data_are_kept_and_given_to_the_model(tmp_path):
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


def test_pipelines_and_texts(tmp_path):
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


def test_the_default_model_of_a_table_with_words_and_gaps(tmp_path):
    if "AutoJoint" not in plait.__all__:
        pytest.skip("this version has no AutoJoint")
    X, Y = problem(80)
    table = pd.DataFrame({"size": X[:, 0], "sky": np.where(X[:, 1] > 0, "blue", "grey")})
    table.loc[3, "size"] = np.nan
    model = plait.AutoJoint(random_state=0).fit(table, Y)
    save_model(model, tmp_path / "m.plait")
    np.testing.assert_array_equal(load_model(tmp_path / "m.plait").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_plain_skops_file_is_read(tmp_path, fitted, compression):
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
def test_learners_of_scikit_learn_work_by_the_rule(tmp_path, classifier):
    X, Y = problem()
    model = recipes.cc(learner=SklearnLearner(classifier)).fit(X, Y)
    save_model(model, tmp_path / "m.plait")
    np.testing.assert_array_equal(load_model(tmp_path / "m.plait").predict(X), model.predict(X))


def test_categories_of_a_frame_reach_a_classifier_that_was_saved(tmp_path):
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


def test_what_packs_too_well_is_written_unpacked_and_read(tmp_path, small_limits):
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


# What cannot be saved.


@pytest.mark.parametrize(
    ("model", "words"),
    [(recipes.br(), "not fitted"), (5, "no model"), (recipes.br, "no model"), ([], "no model")],
)
def test_what_is_no_fitted_model_is_not_saved(tmp_path, model, words):
    with pytest.raises(ParameterError, match=words):
        save_model(model, tmp_path / "m.plait")
    assert not list(tmp_path.iterdir())


def test_what_is_no_data_is_not_saved(tmp_path):
    model = recipes.br().fit(*problem())
    model.opened_ = open(os.devnull, "rb")  # noqa: SIM115
    with pytest.raises(ParameterError, match="can be written as data"):
        save_model(model, tmp_path / "m.plait")
    model.opened_.close()
    assert not list(tmp_path.iterdir())


# Attacks. Every file is refused by a `DataError` of one line.


def refused(path, words=""):
    with pytest.raises(DataError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    assert words in str(caught.value)
    return caught.value


def outcome(path):
    """Read a file in which something may matter or not, such as the number of an object."""
    try:
        load_model(path)
    except DataError:
        return "refused"
    return "read"


def content_of(model, **changes):
    known = {
        "format": model_file.FORMAT,
        "label_names": NAMES,
        "feature_names": list("abcd"),
        "versions": {"plait": "9.9"},
    }
    return {"plait": json.dumps(known | changes), "model": model}


NOT_MODELS = {
    "list": [1, 2],
    "none": None,
    "array": np.zeros(3),
    "word": "model",
    "number": 5,
    "table": {"a": 1},
    "empty table": {},
    "scaler": StandardScaler().fit([[1.0], [2.0]]),
    "class": DecisionTreeClassifier,
    "unfitted": recipes.pcc(),
    "unfitted pipeline": make_pipeline(StandardScaler(), recipes.br()),
    "old format": {"model": 5, "feature_names": ["a"], "label_names": ["b"], "method": "br", "version": "0.1.0"},
    "more keys": {"plait": "{}", "model": 5, "code": "print()"},
    "no model": {"plait": "{}"},
    "number for a model": content_of(5),
    "not JSON": {"plait": "{", "model": 5},
    "JSON list": {"plait": "[]", "model": 5},
    "JSON deep": {"plait": "[" * 10**5, "model": 5},
    "no text": {"plait": 3, "model": 5},
}


@pytest.mark.parametrize("name", NOT_MODELS)
def test_valid_skops_files_that_are_no_models(tmp_path, name):
    skops.dump(NOT_MODELS[name], tmp_path / "m.plait")
    refused(tmp_path / "m.plait")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 99}, "one of plait 9.9 (format 99"),
        ({"format": 99, "versions": 5}, "a newer one"),
        ({"format": 0}, "format 0"),
        ({"format": -1}, "format -1"),
        ({"format": True}, "format True"),
        ({"format": "1"}, "format '1'"),
        ({"format": None}, "format None"),
        ({"label_names": ["sea", "sun"]}, "2 names of labels and the model has 3"),
        ({"label_names": ["sea", "sun", "sun"]}, "stand twice"),
        ({"label_names": ["sea", "sun", 3]}, "label_names that are"),
        ({"label_names": "sea"}, "label_names that are"),
        ({"label_names": None}, "label_names that are"),
        ({"feature_names": ["a"]}, "1 names of features and the model has 4"),
        ({"feature_names": 5}, "feature_names that are 5"),
        ({"feature_names": {"a": 1}}, "feature_names that are"),
        ({"method": 5}, "method that is 5"),
        ({"versions": []}, "versions that is []"),
        ({"n_rows": "many"}, "n_rows that is 'many'"),
        ({"id_column": 5}, "id_column that is 5"),
    ],
)
def test_wrong_descriptions(tmp_path, fitted, changes, words):
    skops.dump(content_of(fitted, **changes), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", words)


def test_an_unknown_entry_of_the_description_is_left_aside(tmp_path, fitted):
    skops.dump(content_of(fitted, mood="good"), tmp_path / "m.plait")
    assert load_model(tmp_path / "m.plait").n_labels_ == 3


def test_strange_types_are_refused_by_name_until_they_are_trusted(tmp_path, fitted):
    fitted.extra_ = Stranger()
    save_model(fitted, tmp_path / "m.plait")
    name = f"{Stranger.__module__}.Stranger"
    del fitted.extra_
    with pytest.raises(UntrustedModelError, match=r"but found .*Stranger. Name them as trusted"):
        load_model(tmp_path / "m.plait")
    assert name in str(refused(tmp_path / "m.plait"))


def test_a_pickle_is_never_read(tmp_path, monkeypatch):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        (tmp_path / "m.plait").write_bytes(pickle.dumps(Trap(), protocol))
        refused(tmp_path / "m.plait", "a pickle")
    (tmp_path / "m.plait").write_bytes(pickle.dumps(Trap(), 0))
    refused(tmp_path / "m.plait")
    assert not (tmp_path / "made").exists()


def test_paths_that_are_no_files(tmp_path):
    refused(tmp_path / "nothing.plait", "no such file")
    refused(tmp_path, "no such file")
    os.mkfifo(tmp_path / "fifo")
    refused(tmp_path / "fifo", "no such file")
    refused("/dev/zero", "no such file")


def changed(path, out, change, compression=zipfile.ZIP_DEFLATED):
    """Write a model file again with another schema."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", compression) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                content = json.dumps(change(schema) or schema).encode()
            new.writestr(name, content)


@pytest.fixture(scope="module")
def written(tmp_path_factory, fitted):
    path = tmp_path_factory.mktemp("models") / "m.plait"
    save_model(fitted, path)
    return path


def nodes(schema):
    waiting, found = [schema], []
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            found.append(node)
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found


CALLS = [
    ("os", "system"),
    ("builtins", "eval"),
    ("builtins", "exec"),
    ("builtins", "map"),
    ("subprocess", "Popen"),
    ("operator", "methodcaller"),
    ("plait.cli", "main"),
    ("plait.commands.bench", "run_benchmark"),
    ("plait.experiments.running.store", "Store"),
    ("plait.core.extras", "optional"),
    ("plait.estimators.recipes", "pcc"),
    ("sklearn.datasets", "fetch_openml"),
    ("numpy", "load"),
    ("pickle", "loads"),
]
LOADERS = [
    "ObjectNode",
    "FunctionNode",
    "TypeNode",
    "ReduceNode",
    "ConstructorFromReduceNode",
    "PartialNode",
]


@pytest.mark.parametrize(("module", "name"), CALLS)
def test_nothing_that_a_file_names_is_called(tmp_path, written, monkeypatch, module, name):
    made = []
    monkeypatch.setattr(os, "system", made.append)
    monkeypatch.setattr(builtins, "eval", made.append)
    for loader in LOADERS:
        for place in range(0, 40, 6):

            def crafted(schema, place=place, loader=loader):
                found = [node for node in nodes(schema) if "__loader__" in node]
                for node in found:
                    node.pop("__id__", None)  # an object that was read before is not read again
                found[place % len(found)] |= {"__module__": module, "__class__": name, "__loader__": loader}

            changed(written, tmp_path / "m.plait", crafted)
            refused(tmp_path / "m.plait")
    assert made == []


def test_broken_schemas(tmp_path, written):
    rng = np.random.default_rng(0)
    values = [None, 5, -1, "x", [], {}, [[]], 1e300, True]
    outcomes = set()
    for _ in range(150):

        def crafted(schema):
            found = [node for node in nodes(schema) if node]
            node = found[rng.integers(len(found))]
            key = list(node)[rng.integers(len(node))]
            if rng.random() < 0.3:
                del node[key]
            else:
                node[key] = values[rng.integers(len(values))]

        changed(written, tmp_path / "m.plait", crafted)
        outcomes.add(outcome(tmp_path / "m.plait"))
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize(("part", "lost"), [("conditionals_", "intercept_"), ("", "feature_means_")])
def test_what_is_lost_is_told_when_a_model_is_read_or_asked(tmp_path, fitted, part, lost):
    model, file = deepcopy(fitted), tmp_path / "m.plait"
    del vars(getattr(model, part) if part else model)[lost]
    skops.dump(content_of(model), file)
    if lost != "feature_means_":
        refused(file, f"{lost} is not there. The file is damaged")
        return
    rows = pd.DataFrame(problem()[0], columns=list("abcd"))
    with pytest.raises(DataError, match=r"cannot answer \(AttributeError.*Fit the model again."), answers_of(file):
        load_model(file).predict_proba(rows)


def test_a_parameter_that_the_writer_did_not_have_gets_its_default(tmp_path, fitted):
    model, file = deepcopy(fitted), tmp_path / "m.plait"
    del vars(model.learner)["scale_parents"], vars(model)["n_jobs"]
    skops.dump(content_of(model), file)
    found = load_model(file)
    assert found.learner.scale_parents is False
    assert found.n_jobs is None
    rows = pd.DataFrame(problem()[0], columns=list("abcd"))
    np.testing.assert_array_equal(found.predict_proba(rows), fitted.predict_proba(rows))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("inference", Auto(n_samples=-3), "n_samples"),
        ("n_features_in_", "four", "the number of its features is 'four'"),
        ("n_features_in_", None, "the number of its features is None"),
        ("n_labels_", 3.0, "the number of its labels is 3.0"),
    ],
)
def test_numbers_that_cannot_be(tmp_path, fitted, name, value, words):
    model = deepcopy(fitted)
    setattr(model, name, value)
    skops.dump(content_of(model), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", words)


def test_damaged_bytes(tmp_path, written):
    rng = np.random.default_rng(0)
    whole = written.read_bytes()
    for size in np.linspace(0, len(whole) - 1, 25).astype(int):
        (tmp_path / "m.plait").write_bytes(whole[:size])
        refused(tmp_path / "m.plait")
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        (tmp_path / "m.plait").write_bytes(damaged)
        outcome(tmp_path / "m.plait")


# Bombs.


def zip_of(path, entries, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


ARRAY = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "type": "numpy", "file": "a.npy"}


def list_of(contents):
    return {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": contents, "protocol": 2}


def sparse_entry():
    stream = io.BytesIO()
    sparse.save_npz(stream, sparse.csr_matrix((np.zeros(2 * 10**6), np.zeros(2 * 10**6, int), [0, 2 * 10**6]), (1, 1)))
    return stream.getvalue()


BOMBS = {
    "zeros": lambda: {"schema.json": json.dumps(ARRAY | {"protocol": 2}), "a.npy": npy(np.zeros(2 * 10**6))},
    "schema": lambda: {"schema.json": b"[" + b"0," * (2 * 10**6) + b"0]"},
    "same entry many times": lambda: {
        "schema.json": json.dumps(list_of([ARRAY | {"__id__": k} for k in range(1, 30)])),
        "a.npy": npy(np.zeros(10**5)),
    },
    "same entry without number": lambda: {
        "schema.json": json.dumps(list_of([ARRAY for _ in range(30)])),
        "a.npy": npy(np.zeros(10**5)),
    },
    "sparse": lambda: {
        "schema.json": json.dumps(
            {"__class__": "csr_matrix", "__module__": "scipy.sparse._csr", "__loader__": "SparseMatrixNode"}
            | {"type": "scipy", "file": "a.npz", "protocol": 2}
        ),
        "a.npz": sparse_entry(),
    },
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, name, monkeypatch, small_limits):
    zip_of(tmp_path / "m.plait", BOMBS[name]())
    assert (tmp_path / "m.plait").stat().st_size < 10**6
    monkeypatch.setattr(skops, "get_untrusted_types", lambda **_: pytest.fail("unpacked"))
    refused(tmp_path / "m.plait", "that grows to")


def test_an_array_that_says_it_is_larger_than_it_is(tmp_path):
    head = npy(np.zeros(1)).replace(b"'shape': (1,), }", b"'shape': (99999999999,)}")
    assert b"99999999999" in head
    zip_of(tmp_path / "m.plait", {"schema.json": json.dumps(ARRAY | {"protocol": 2}), "a.npy": head})
    refused(tmp_path / "m.plait")


def test_deep_schemas(tmp_path):
    deep = '{"content": ' * 50_000 + "1" + "}" * 50_000
    zip_of(tmp_path / "m.plait", {"schema.json": deep})
    refused(tmp_path / "m.plait")
    zip_of(tmp_path / "m.plait", {"schema.json": '{"protocol": ' + "9" * 6000 + "}"})
    refused(tmp_path / "m.plait")


# Numbers that compiled code would follow out of its arrays.


def crafted_tree(model, **changes):
    """Change the nodes of a scikit-learn tree, which it does not check itself."""
    state = model.tree_.__getstate__()
    for field, value in changes.items():
        state["nodes"][field][0] = value
    model.tree_.__setstate__(state)
    return model


@pytest.mark.parametrize(
    "changes", [{"left_child": 10**9}, {"right_child": 0}, {"left_child": -7}, {"feature": 10**6}, {"feature": -9}]
)
def test_a_tree_that_leads_out_of_its_nodes(tmp_path, changes):
    X, Y = problem()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
    skops.dump(tree, tmp_path / "m.plait")
    load_model(tmp_path / "m.plait")
    skops.dump(crafted_tree(tree, **changes), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "Tree lead out")


@pytest.mark.parametrize("changes", [("left", 10**9), ("right", 0), ("feature_idx", 10**6), ("feature_idx", -1)])
def test_a_boosted_tree_that_leads_out_of_its_nodes(tmp_path, changes):
    X, Y = problem()
    model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5).fit(X, Y[:, 0])
    model._predictors[1][0].nodes[changes[0]][0] = changes[1]
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "TreePredictor lead out")


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_a_sparse_matrix_that_leads_out_of_its_columns(tmp_path, name):
    model = recipes.br().fit(*problem())
    model.spare_ = sparse.csr_matrix(problem()[0])
    skops.dump(model, tmp_path / "m.plait")
    load_model(tmp_path / "m.plait")
    getattr(model.spare_, name)[1] = 10**6
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "csr_matrix lead out")


def thin_model():
    """Return a model with sparse coefficients."""
    model = recipes.br(learner=LogisticLearner(sparsify=0.05)).fit(*problem())
    assert sparse.issparse(model.conditionals_.coef_)
    return model


@pytest.mark.parametrize("packed_by_itself", [False, True], ids=["arrays", "as files had it before"])
def test_sparse_coefficients_come_back(tmp_path, monkeypatch, packed_by_itself):
    model = thin_model()
    if packed_by_itself:
        monkeypatch.setattr(linear_conditionals, "_parts", lambda value: value)
    save_model(model, tmp_path / "m.plait")
    again = load_model(tmp_path / "m.plait")
    assert (again.conditionals_.coef_ != model.conditionals_.coef_).nnz == 0
    X, _ = problem()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_sparse_coefficients_that_lead_out_of_their_columns(tmp_path, name):
    model = thin_model()
    getattr(model.conditionals_.coef_, name)[1] = 10**6
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "csr_array lead out")


@pytest.mark.parametrize(
    "change", [{"coef_": np.zeros((2, 4))}, {"parent_coef_": np.zeros((3, 1))}, {"intercept_": 0.0}]
)
def test_coefficients_that_do_not_fit_their_graph(tmp_path, change):
    model = recipes.pcc().fit(*problem())
    for name, value in change.items():
        object.__setattr__(model.conditionals_, name, np.asarray(value))
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "LinearConditionals lead out")


@pytest.mark.parametrize("weights", [[1.0], [], [0.0, 0.0], [0.5, np.nan], [1.5, -0.5]])
def test_weights_of_a_mixture_that_cannot_be(tmp_path, weights):
    model = recipes.epcc(n_estimators=2, random_state=0).fit(*problem())
    model.joint_ = MixtureJoint(np.array(weights), model.joint_.joints if weights else ())
    skops.dump(content_of(model, feature_names=[]), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "MixtureJoint lead out")


def write_fixture():
    """Write the file of the present format, and what its model answers."""
    X, Y = problem(n=40, d=3, q=2)
    model = recipes.pcc().fit(X, Y)
    path = FIXTURES / f"format-{model_file.FORMAT}.plait"
    save_model(model, path, data=Dataset(X, Y, list("abc"), NAMES[:2], "beach"), method="pcc")
    answers = {"predict_proba": model.predict_proba(X[:4]).tolist(), "predict": model.predict(X[:4]).tolist()}
    known = {"label_names": NAMES[:2], "X": X[:4].tolist(), **answers}
    path.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    write_fixture()


@pytest.mark.parametrize("problem", [AttributeError("a"), KeyError("a"), TypeError("a"), UnboundLocalError("a")])
def test_whatever_a_damaged_part_raises_is_said_of_the_file(tmp_path, problem):
    named = rf"m.plait: .*cannot answer \({type(problem).__name__}.*Fit the model again"
    with pytest.raises(DataError, match=named), answers_of(tmp_path / "m.plait"):
        raise problem
