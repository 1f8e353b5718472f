"""`plait fit`, `plait predict` and `plait evaluate`, from words to files."""

import csv
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plait import recipes
from plait.cli import main
from plait.data import Dataset, save_dataset

skops_io = pytest.importorskip("skops.io")
QUESTIONS = [[], ["--proba"], ["--form", "tags"], ["--top", "2"], ["--loss", "f1"], ["--given", "y0=1"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)).round(3)
    Y = (X[:, :2] + rng.normal(size=(90, 2)) > 0).astype(np.uint8)
    data = Dataset(X, Y, ["a", "b", "c"], ["sea", "sun"], "beach")
    save_dataset(data, path / "beach.csv")
    save_dataset(Dataset(X, np.zeros((90, 0)), ["a", "b", "c"], [], "beach"), path / "rows.csv")
    assert main(["fit", str(path / "beach.csv"), "--labels", "-2", "-o", str(path / "m.skops")]) == 0
    return path


def rows_of(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_fit_and_predict_labels(folder, capsys):
    out = folder / "labels.csv"
    assert main(["predict", str(folder / "m.skops"), str(folder / "rows.csv"), "-o", str(out)]) == 0
    assert "90 rows" in capsys.readouterr().out
    rows = rows_of(out)
    assert len(rows) == 90
    assert set(rows[0]) == {"sea", "sun"}
    with_labels = folder / "again.csv"
    assert main(["predict", str(folder / "m.skops"), str(folder / "beach.csv"), "-o", str(with_labels)]) == 0
    assert rows_of(with_labels) == rows


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (["--proba"], {"sea", "sun"}),
        (["--loss", "f1"], {"sea", "sun"}),
        (["--joint"], {"sea", "sun", "probability", "entropy", "proved"}),
        (["--top", "2"], {"row", "rank", "probability", "sea", "sun"}),
        (["--proba", "--given", "sea=1"], {"sea", "sun"}),
    ],
)
def test_every_form_of_answer(folder, capsys, words, columns):
    assert main(["predict", str(folder / "m.skops"), str(folder / "rows.csv"), *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert set(lines[0].split(",")) == columns
    assert len(lines) == (181 if "--top" in words else 91)
    if "--given" in words:
        assert {line.split(",")[0] for line in lines[1:]} == {"1.0"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["fit", "DATA", "--labels", "-2", "--method", "nope", "-o", "x"], "needs --method to be one of"),
        (["fit", "DATA", "--labels", "-2", "--set", "zz=1", "-o", "x"], "auto has no parameter 'zz'"),
        (["predict", "no.skops", "DATA"], "no such file"),
        (["predict", "MODEL", "ROWS", "--top", "0"], "needs --top to be at least 1"),
        (["predict", "MODEL", "ROWS", "--given", "moon=1"], "'moon' is not one of the 2 labels"),
        (["predict", "MODEL", "ROWS", "--loss", "none"], "needs loss to be"),
        (["evaluate", "DATA", "--labels", "-2", "--folds", "1"], "needs --folds to be at least 2"),
    ],
)
def test_bad_words_are_one_line_and_exit_code_two(folder, capsys, words, complaint):
    named = {"DATA": folder / "beach.csv", "ROWS": folder / "rows.csv", "MODEL": folder / "m.skops"}
    assert main([str(named.get(word, word)) for word in words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_a_file_that_does_not_match_is_refused(folder, capsys, tmp_path):
    (tmp_path / "other.csv").write_text("a,b,d\n1,2,3\n")
    assert main(["predict", str(folder / "m.skops"), str(tmp_path / "other.csv")]) == 2
    assert "lacks 'c'. Pass data with the same columns" in capsys.readouterr().err


def test_evaluate(folder, capsys):
    words = ["evaluate", str(folder / "beach.csv"), "--labels", "-2", "--methods", "br,cc", "--folds", "2"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("br")
    assert main([*words, "--json"]) == 0
    assert [row["method"] for row in json.loads(capsys.readouterr().out)["methods"]] == ["br", "cc"]


def test_a_model_is_read_by_a_process_that_has_loaded_nothing_else(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1.0,1\n2.0,0\n" * 5)
    fit = ["fit", "t.csv", "--labels", "y", "--method", "br", "-o", "m.skops"]
    for words in (fit, ["predict", "m.skops", "t.csv", "-o", "p.csv"]):
        command = [sys.executable, "-m", "plait", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "p.csv").read_text().startswith("y")


@pytest.mark.parametrize("words", QUESTIONS)
def test_plain_skops_files_are_answered_or_refused_in_one_line(folder, tmp_path, capsys, words):
    """Models of scikit-learn, pipelines and models of one target, with every question."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    Y = (X.to_numpy()[:, :2] > 0).astype(int)
    models = {
        "forest": RandomForestClassifier(3, random_state=0).fit(X, Y),
        "by number": RandomForestClassifier(3, random_state=0).fit(X.to_numpy(), Y),
        "each label": MultiOutputClassifier(LogisticRegression()).fit(X, Y),
        "pipeline": make_pipeline(StandardScaler(), recipes.pcc()).fit(X, Y),
        "one label": RandomForestClassifier(3, random_state=0).fit(X, Y[:, 0]),
        "classes": LogisticRegression().fit(X, np.arange(40) % 3),
    }
    X.to_csv(tmp_path / "rows.csv", index=False)
    codes = {}
    for name, model in models.items():
        skops_io.dump(model, tmp_path / "m.skops")
        codes[name] = main(["predict", str(tmp_path / "m.skops"), str(tmp_path / "rows.csv"), *words])
        output = capsys.readouterr()
        assert len([line for line in output.err.splitlines() if "note:" not in line]) == (codes[name] == 2)
        if codes[name] == 0 and words in ([], ["--proba"]):
            assert {line.count(",") for line in output.out.splitlines()} == {0 if name == "one label" else 1}
    assert set(codes.values()) <= {0, 2}
    assert codes["pipeline"] == 0
    assert codes["by number"] == 2
    if words in ([], ["--proba"], ["--form", "tags"]):
        assert [codes[name] for name in ("forest", "each label", "one label")] == [0, 0, 0]
        assert codes["classes"] == (2 if words != ["--proba"] else codes["classes"])
