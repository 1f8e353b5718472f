"""Files that are no models are refused in one sentence, and nothing that a file names is called."""

import builtins
import json
import os
import pickle
import zipfile
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from plait import load_model, recipes, save_model
from plait.data import DataError
from plait.estimators import UntrustedModelError, model_file
from plait.estimators.model_file import answers_of
from plait.inference import Auto

skops = pytest.importorskip("skops.io")
NAMES = ["sea", "sun", "sand"]


class Stranger:
    """A type that nobody trusts."""

    def __init__(self):
        self.secret = 1


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
def test_valid_skops_files_that_are_no_models(tmp_path, name, refused):
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
def test_wrong_descriptions(tmp_path, fitted, changes, words, refused):
    skops.dump(content_of(fitted, **changes), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", words)


def test_an_unknown_entry_of_the_description_is_left_aside(tmp_path, fitted):
    skops.dump(content_of(fitted, mood="good"), tmp_path / "m.plait")
    assert load_model(tmp_path / "m.plait").n_labels_ == 3


def test_a_parameter_that_the_writer_did_not_have_gets_its_default(tmp_path, fitted, problem):
    model, file = deepcopy(fitted), tmp_path / "m.plait"
    del vars(model.learner)["scale_parents"], vars(model)["n_jobs"]
    skops.dump(content_of(model), file)
    found = load_model(file)
    assert found.learner.scale_parents is False
    assert found.n_jobs is None
    rows = pd.DataFrame(problem()[0], columns=list("abcd"))
    np.testing.assert_array_equal(found.predict_proba(rows), fitted.predict_proba(rows))


def test_strange_types_are_refused_by_name_until_they_are_trusted(tmp_path, fitted, refused):
    fitted.extra_ = Stranger()
    save_model(fitted, tmp_path / "m.plait")
    name = f"{Stranger.__module__}.Stranger"
    del fitted.extra_
    with pytest.raises(UntrustedModelError, match=r"but found .*Stranger. Name them as trusted"):
        load_model(tmp_path / "m.plait")
    assert name in str(refused(tmp_path / "m.plait"))


def test_a_pickle_is_never_read(tmp_path, monkeypatch, refused):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        (tmp_path / "m.plait").write_bytes(pickle.dumps(Trap(), protocol))
        refused(tmp_path / "m.plait", "a pickle")
    (tmp_path / "m.plait").write_bytes(pickle.dumps(Trap(), 0))
    refused(tmp_path / "m.plait")
    assert not (tmp_path / "made").exists()


def test_paths_that_are_no_files(tmp_path, refused):
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
def test_nothing_that_a_file_names_is_called(tmp_path, written, monkeypatch, module, name, refused):
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
def test_what_is_lost_is_told_when_a_model_is_read_or_asked(tmp_path, fitted, part, lost, problem, refused):
    model, file = deepcopy(fitted), tmp_path / "m.plait"
    del vars(getattr(model, part) if part else model)[lost]
    skops.dump(content_of(model), file)
    if lost != "feature_means_":
        refused(file, f"{lost} is not there. The file is damaged")
        return
    rows = pd.DataFrame(problem()[0], columns=list("abcd"))
    with pytest.raises(DataError, match=r"cannot answer \(AttributeError.*Fit the model again."), answers_of(file):
        load_model(file).predict_proba(rows)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("inference", Auto(n_samples=-3), "n_samples"),
        ("n_features_in_", "four", "the number of its features is 'four'"),
        ("n_features_in_", None, "the number of its features is None"),
        ("n_labels_", 3.0, "the number of its labels is 3.0"),
    ],
)
def test_numbers_that_cannot_be(tmp_path, fitted, name, value, words, refused):
    model = deepcopy(fitted)
    setattr(model, name, value)
    skops.dump(content_of(model), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", words)


def test_damaged_bytes(tmp_path, written, refused):
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


@pytest.mark.parametrize("problem", [AttributeError("a"), KeyError("a"), TypeError("a"), UnboundLocalError("a")])
def test_whatever_a_damaged_part_raises_is_said_of_the_file(tmp_path, problem):
    named = rf"m.plait: .*cannot answer \({type(problem).__name__}.*Fit the model again"
    with pytest.raises(DataError, match=named), answers_of(tmp_path / "m.plait"):
        raise problem
