import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from plait import recipes
from plait.cli import main
from plait.commands.answer_tables import answers_text, parsed_evidence, write_answers
from plait.commands.predict import answer_rows, matching_features
from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset, DataWarning, save_dataset
from plait.estimators import ModelFile

NAMES = ("sea", "sun", "sand")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = (X[:, :3] + rng.normal(size=(80, 3)) > 0).astype(np.uint8)
    data = Dataset(X, Y, list("abcd"), NAMES)
    return ModelFile(recipes.pcc(random_state=0).fit(X, Y), tuple("abcd"), NAMES, "pcc"), data


def test_labels_and_losses(fitted):
    file, data = fitted
    answers = answer_rows(file, data)
    assert answers.columns == NAMES
    np.testing.assert_array_equal(answers.lines, file.model.predict(data.X))
    np.testing.assert_array_equal(answer_rows(file, data, loss="f1").lines, file.model.predict(data.X, loss="f1"))


def test_probabilities_given_evidence(fitted):
    file, data = fitted
    known = answer_rows(file, data, form="proba", evidence={"sun": 1})
    expected = file.model.joint(data.X).given({1: 1}).marginals()
    np.testing.assert_allclose(known.lines, expected, atol=1e-6)
    assert "exact" in known.note
    labels = answer_rows(file, data, evidence={"sun": 1})
    assert all(line[1] == 1 for line in labels.lines)


def test_joint_and_top(fitted):
    file, data = fitted
    joint = answer_rows(file, data, form="joint")
    assert joint.columns == (*NAMES, "probability", "entropy", "proved")
    posterior = file.model.joint(data.X)
    np.testing.assert_allclose([line[4] for line in joint.lines], posterior.entropy(), atol=1e-6)
    np.testing.assert_array_equal([line[:3] for line in joint.lines], posterior.mode())
    top = answer_rows(file, data, form="top", k=2)
    assert top.columns == ("row", "rank", "probability", *NAMES)
    assert len(top.lines) == 160
    assert [line[1] for line in top.lines[:2]] == [1, 2]
    assert top.lines[0][2] >= top.lines[1][2]


def test_a_model_without_probabilities_says_so(fitted):
    _, data = fitted
    file = ModelFile(recipes.occ(n_features=2).fit(data.X, data.Y), tuple("abcd"), NAMES, "occ")
    assert len(answer_rows(file, data).lines) == 80
    with pytest.raises(ParameterError, match="needs a model with probabilities for this, but 'occ' gives decisions"):
        answer_rows(file, data, form="proba")


def test_written_as_csv_and_json(fitted, tmp_path):
    file, data = fitted
    answers = answer_rows(file, data)
    assert answers_text(answers).startswith("sea,sun,sand\n")
    write_answers(answers, tmp_path / "labels.csv")
    assert (tmp_path / "labels.csv").read_text() == answers_text(answers)
    write_answers(answers, tmp_path / "labels.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    assert lines[0] == dict(zip(NAMES, answers.lines[0], strict=True))
    assert len(lines) == 80


def test_evidence_words():
    assert parsed_evidence(["a=b=1"]) == {"a=b": 1}
    for wrong in ("sea", "sea=2", "=1"):
        with pytest.raises(ParameterError, match="plait predict needs --given to be LABEL=0 or LABEL=1"):
            parsed_evidence([wrong])


def test_columns_are_found_by_name_and_labels_left_aside(fitted):
    file, data = fitted
    X = data.X
    data = Dataset(X[:, [3, 0, 1, 2]], np.zeros((80, 0)), ["d", "a", "b", "c"])
    np.testing.assert_array_equal(matching_features(file, data), X)
    wider = Dataset(np.column_stack([X, X[:, 0] > 0]), np.zeros((80, 0)), ["a", "b", "c", "d", "sun"])
    np.testing.assert_array_equal(matching_features(file, wider), X)


def test_a_difference_is_named(fitted):
    file, data = fitted
    data = Dataset(data.X, np.zeros((80, 0)), ["a", "b", "c", "e"], name="beach")
    with pytest.raises(DataError, match=r"needs the 4 features.*but beach lacks 'd'"):
        matching_features(file, data)
    more = Dataset(np.column_stack([data.X, data.X[:, 0]]), np.zeros((80, 0)), ["d", "c", "b", "a", "e"], name="beach")
    with pytest.warns(DataWarning, match="beach: ignored 'e', not known to the model"):
        np.testing.assert_array_equal(matching_features(file, more), data.X[:, ::-1])


def test_numbered_columns_that_a_sparse_file_does_not_mention_are_zero(fitted):
    X, file = fitted[1].X, replace(fitted[0], feature_names=("x0", "x1", "x2", "x3"))
    data = Dataset(sparse.csr_matrix(X[:, :2]), np.zeros((80, 0)))
    found = matching_features(file, data)
    np.testing.assert_array_equal(found.toarray(), np.column_stack([X[:, :2], np.zeros((80, 2))]))


def test_reasons_of_predicted_labels_and_of_others(fitted, tmp_path, capsys):
    _, data = fitted
    frame = pd.DataFrame(data.X, columns=list("abcd")).assign(**dict(zip(NAMES, data.Y.T, strict=True)))
    frame["name"] = [f"photo {row}" for row in range(80)]
    frame.to_csv(tmp_path / "photos.csv", index=False)
    words = [str(tmp_path / "photos.csv"), "--labels", ",".join(NAMES), "--id", "name"]
    model = str(tmp_path / "model.plait")
    assert main(["fit", *words, "--method", "pcc", "-o", model]) == 0
    ask = ["predict", model, str(tmp_path / "photos.csv")]
    capsys.readouterr()
    assert main([*ask, "--why", "--top", "2"]) == 0
    found = pd.read_csv(StringIO(capsys.readouterr().out))
    assert list(found.columns) == ["name", "row", "label", "rank", "reason", "kind", "value", "contribution", "effect"]
    assert main(ask) == 0
    predicted = pd.read_csv(StringIO(capsys.readouterr().out))
    said = {(row, label) for row, label in zip(found["row"], found["label"], strict=True)}
    assert said == {(row, name) for name in NAMES for row in np.flatnonzero(predicted[name])}
    assert set(found["rank"]) == {1, 2}
    assert set(found["reason"]) <= {*"abcd", *NAMES}
    features = found[found["kind"] == "feature"]
    rows, names = features["row"], features["reason"]
    values = [data.X[row, "abcd".index(name)] for row, name in zip(rows, names, strict=True)]
    np.testing.assert_allclose(features["value"], values, rtol=0, atol=1e-6)
    assert main([*ask, "--why-of", "sun", "--given", "sea=1", "-o", str(tmp_path / "why.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "why.jsonl").read_text().splitlines()]
    assert {line["label"] for line in lines} == {"sun"}
    assert "sea" in {line["reason"] for line in lines}
    assert main([*ask, "--why-of", "sea", "--given", "sea=1"]) == 2
    assert "--why-of to be a label that is not known" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["csv", "arff"])
def test_reasons_have_the_names_of_columns_with_gaps(fitted, tmp_path, capsys, suffix):
    _, data = fitted
    X = data.X.copy()
    X[::6, 1] = np.nan
    save_dataset(Dataset(X, data.Y, list("abcd"), NAMES, "photos"), tmp_path / f"photos.{suffix}")
    path, model = str(tmp_path / f"photos.{suffix}"), str(tmp_path / "model.plait")
    labels = ["--labels", ",".join(NAMES)] if suffix == "csv" else []
    assert main(["fit", path, *labels, "--set", "effort=fast", "-o", model]) == 0
    capsys.readouterr()
    assert main(["predict", model, path, "--why-of", "sun", "--top", "9"]) == 0
    found = pd.read_csv(StringIO(capsys.readouterr().out))
    gap = found["row"] % 6 == 0
    features = found["kind"] == "feature"
    assert set(found["reason"][gap & features]) == {*"acd", "b=(gap)"}
    assert set(found["reason"][~gap & features]) == set("abcd")
    assert set(found["reason"][~features]) <= {"sea", "sand"}


def test_a_table_of_tags_is_answered_in_its_own_words(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    tags = [";".join(name for name, there in zip(NAMES, row, strict=False) if there) for row in X + 0.5 > 0]
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "tags": tags})
    frame.to_csv(tmp_path / "t.csv", index=False)
    data, model = str(tmp_path / "t.csv"), str(tmp_path / "m.plait")
    assert main(["fit", data, "--tags", "tags", "--method", "pcc", "-o", model]) == 0
    assert "column 'tags': tags are split at ';'" in capsys.readouterr().err
    assert main(["predict", model, data, "--form", "tags"]) == 0
    shown = capsys.readouterr()
    assert set(shown.out.splitlines()[1:]) == {"sea", "sun", "sea;sun", '""'}
    assert "tags" not in shown.err  # the labels of the training table are no column that the model does not know
