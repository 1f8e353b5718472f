import csv
import json

import numpy as np
import pytest

from plait.cli import main
from plait.data import Dataset, save_dataset


@pytest.fixture
def beach(tmp_path):
    """Return a small ARFF file in which feature b tells sea, and feature c tells sun."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(40, 4)).astype(float)
    path = tmp_path / "beach.arff"
    save_dataset(Dataset(X, X[:, [1, 2]], ["a", "b", "c", "d"], ["sea", "sun"], "beach"), path)
    return path


def test_table_of_one_ranking(beach, capsys):
    assert main(["select", str(beach), "--method", "scls", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "beach: 2 of 4 features for all labels, by scls"
    assert {line.split()[1] for line in lines[2:]} == {"b", "c"}


def test_table_by_label(beach, capsys):
    assert main(["select", str(beach), "--method", "mlig", "-n", "0.25", "--label-specific"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[3:]] == [["sea", "1", "b"], ["sun", "1", "c"]]


def test_json_and_mask(beach, tmp_path, capsys):
    out = tmp_path / "mask.csv"
    assert main(["select", str(beach), "--method", "gain_ratio", "-n", "1", "--json", "-o", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [label["features"][0]["name"] for label in found["labels"]] == ["b", "c"]
    with open(out, encoding="utf8", newline="") as stream:
        assert list(csv.reader(stream)) == [
            ["label", "a", "b", "c", "d"],
            ["sea", "0", "1", "0", "0"],
            ["sun", "0", "0", "1", "0"],
        ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "best"], "mlig"),
        (["--method", "scls", "-n", "many"], "needs a number, a share or 'sqrt', but it is 'many'"),
        (["--method", "scls", "-n", "0"], "SCLS needs n_features to be"),
        (["--method", "scls", "-n", "nan"], "SCLS needs n_features to be"),
        (["--method", "scls", "--label-specific"], "scls chooses for all labels together"),
        (["--method", "label_dependent_features", "-n", "3"], "Leave it out"),
        (["--method", "mlig", "-o", "no/such/folder/mask.csv"], "mask.csv"),
        ([], "--method"),
    ],
)
def test_bad_words_are_one_line_and_code_2(beach, words, said, capsys):
    try:
        code = main(["select", str(beach), *words])
    except SystemExit as stop:
        code = stop.code
    told = capsys.readouterr()
    assert code == 2
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert told.err.startswith("plait: ")
    assert said in told.err


def test_fewer_than_asked_is_a_note(tmp_path, capsys):
    path = tmp_path / "flat.arff"
    save_dataset(Dataset([[1.0, 0.0], [1.0, 1.0]], [[0], [1]], ["a", "b"], ["y"], "flat"), path)
    assert main(["select", str(path), "--method", "gain_ratio", "-n", "2"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("plait: note: GainRatio was asked for 2 features, but there are only 1")
    assert told.err.count("\n") == 1


def test_sqrt(beach, capsys):
    assert main(["select", str(beach), "--method", "gain_ratio", "-n", "sqrt"]) == 0
    assert "4 of 4 features" in capsys.readouterr().out


def test_describe_has_the_strongest_pairs(tmp_path, capsys):
    path = tmp_path / "two.arff"
    Y = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    save_dataset(Dataset(np.zeros((4, 1)), Y, label_names=["sea", "sun", "snow"]), path)
    assert main(["describe", str(path)]) == 0
    text = capsys.readouterr().out
    assert "Label pairs, by normalised mutual information\n  sea + sun  1.000  " in text
    assert main(["describe", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["strongest_pairs"] == [{"first": "sea", "second": "sun", "information": 1.0, "n_samples": 2}]
