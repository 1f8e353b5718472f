import json

import numpy as np
import pytest

from plait.cli import main
from plait.data import Dataset, save_dataset
from plait.experiments.running.store import open_store

PLAN = """\
datasets = ["beach.arff"]
seeds = [0]
metrics = ["exact_match", "micro_f1"]
protocol = {kind = "kfold", folds = 2}
[methods.br]
[methods.knn]
use = "MLkNN"
n_neighbors = 3
"""


@pytest.fixture
def plan(tmp_path):
    chance = np.random.default_rng(0)
    X = chance.normal(size=(20, 3))
    save_dataset(Dataset(X, (X[:, :2] > 0).astype(int)), tmp_path / "beach.arff")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN, encoding="utf8")
    return path


def test_bench_runs_a_plan_and_then_has_nothing_to_do(plan, tmp_path, capsys):
    store = tmp_path / "r.sqlite"
    words = ["bench", str(plan), "--store", str(store)]
    assert main([*words, "--dry-run"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[1] == "to do  beach, knn, fold 0, seed 0"
    assert len(listed) == 4
    assert not store.exists()
    assert main([*words, "--verbose"]) == 0
    out = capsys.readouterr().out
    assert "beach, br, fold 1, seed 0: " in out
    assert f"{store}: 4 of 4 cells done in " in out
    assert main(words) == 0
    assert "0 of 4 cells done" in (again := capsys.readouterr().out)
    assert "4 skipped, done before" in again
    assert main([*words, "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "done   beach, br, fold 0, seed 0"
    with open_store(store) as opened:
        assert opened.plan_text == PLAN
        assert len(opened.results()) == 4


def test_json_of_the_list_and_of_the_summary(plan, tmp_path, capsys):
    words = ["bench", str(plan), "--store", str(tmp_path / "r.sqlite"), "--json", "--verbose"]
    assert main([*words, "--dry-run"]) == 0
    cells = json.loads(capsys.readouterr().out)
    assert [(cell["state"], cell["method"], cell["fold"]) for cell in cells[:2]] == [
        ("to do", "br", 0),
        ("to do", "knn", 0),
    ]
    assert main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["total"], summary["done"], summary["failed"]) == (4, 4, 0)


def test_failures_are_said_and_make_the_exit_code_one(plan, tmp_path, capsys):
    plan.write_text(
        PLAN.replace("n_neighbors = 3", "n_neighbors = 300").replace("MLkNN", "sklearn.neighbors.KNeighborsClassifier"),
        encoding="utf8",
    )
    words = ["bench", str(plan), "--store", str(tmp_path / "r.sqlite")]
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert "4 of 4 cells done" in out
    assert "; 2 failed" in out
    assert err.count("plait: failed: beach, knn, fold ") == 2
    assert main(words) == 1
    assert "2 failed before (--retry-failed runs them again)" in capsys.readouterr().out
    assert main([*words, "--dry-run"]) == 0
    assert "failed beach, knn, fold 0, seed 0" in capsys.readouterr().out
    assert main([*words, "--retry-failed"]) == 1
    assert "2 of 4 cells done" in capsys.readouterr().out


def test_all_errors_of_a_plan_have_a_line_each_and_nothing_is_made(plan, tmp_path, capsys):
    plan.write_text(
        PLAN.replace("beach", "coast").replace("[methods.br]", "[methods.bx]") + "s = -1\n", encoding="utf8"
    )
    store = tmp_path / "r.sqlite"
    assert main(["bench", str(plan), "--store", str(store)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2].removeprefix(f"{plan}, line ").partition(":")[0] for line in lines] == [
        "1",
        "5",
        "9",
    ]
    assert "coast.arff" in lines[0]
    assert not store.exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["plan.toml", "--store", "r.sqlite", "--jobs", "0"], "--jobs to be an integer of at least 1, "),
        (["nothing.toml", "--store", "r.sqlite"], "nothing.toml: cannot be read as a plan"),
        (["plan.toml", "--store", "plan.toml"], "plan.toml: cannot be used as a store"),
        (["plan.toml", "--store", "no/folder/r.sqlite"], "cannot be opened as a store"),
    ],
)
def test_wrong_words_get_one_line(plan, tmp_path, capsys, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


def test_the_store_is_required(plan, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["bench", str(plan)])
    assert stop.value.code == 2
    assert "--store" in capsys.readouterr().err
