import csv
import json
from dataclasses import replace

import pytest

from plait.cli import main
from plait.experiments.planning.plan import DatasetPlan, MethodPlan, MethodSetup, Plan, Protocol
from plait.experiments.running.cells import CellResult, plan_cells
from plait.experiments.running.claims import this_owner
from plait.experiments.running.store import open_store


@pytest.fixture
def store(tmp_path):
    """A store of two data sets, two methods and two folds; one cell is missing and one failed."""
    plan = Plan(
        "small",
        tuple(DatasetPlan(name, f"{name}.csv") for name in ("sea", "sun", "sand")),
        tuple(MethodPlan(name, MethodSetup({"use": name})) for name in ("br", "cc")),
        Protocol("kfold", 2),
        ("exact_match", "hamming_loss"),
        text="name = 'small'",
    )
    cells = list(plan_cells(plan, {name: name * 20 for name in ("sea", "sun", "sand")}))
    path = tmp_path / "results.sqlite"
    with open_store(path, create=True) as opened:
        opened.begin(plan, cells)
        for number, cell in enumerate(cells[:-1]):
            score = 0.5 + 0.1 * (cell.method == "cc") + 0.01 * number
            result = CellResult(
                cell.dataset,
                cell.method,
                cell.fold,
                cell.seed,
                metrics={"exact_match": score, "hamming_loss": 1 - score},
                digest=cell.digest,
            )
            failed = replace(result, metrics={}, error="ValueError: too cold")
            opened.record(failed if number == len(cells) - 2 else result, this_owner())
    return path


def test_it_prints_and_writes_page_latex_and_csv(store, tmp_path, capsys):
    words = ["report", str(store), "-o", str(tmp_path / "report.html"), "--control", "br"]
    assert main([*words, "--latex", str(tmp_path / "tex"), "--csv", str(tmp_path / "csv")]) == 0
    said = capsys.readouterr().out
    assert "Average ranks, 1 is best" in said
    assert "Bonferroni-Dunn" in said
    assert "11 of 12 cells finished, 1 failed." in said
    assert "not sand" in said
    page = (tmp_path / "report.html").read_text(encoding="utf8")
    assert "ValueError: too cold" in page
    assert "name = &#x27;small&#x27;" in page
    assert r"\toprule" in (tmp_path / "tex" / "exact-match.tex").read_text(encoding="utf8")
    with (tmp_path / "csv" / "cells.csv").open(encoding="utf8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 11


def test_json_holds_the_same_numbers(store, capsys):
    assert main(["report", str(store), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["plan"], found["planned"], found["finished"], found["failed"]) == ("small", 12, 11, 1)
    assert found["tests"]["exact_match"].startswith("Friedman over 2 data sets")
    with open_store(store) as opened:
        scores = [r.metrics["exact_match"] for r in opened.results() if (r.dataset, r.method) == ("sea", "br")]
    row = found["tables"]["exact-match"][0]
    assert row["sea"] == pytest.approx(sum(scores) / 2, rel=1e-12)
    assert row["sand_note"] == "1/2"
    assert found["tables"]["failures"][0]["error"] == "ValueError: too cold"


def test_without_files_it_only_prints(store, tmp_path, capsys):
    before = set(tmp_path.iterdir())
    assert main(["report", str(store)]) == 0
    assert "Nemenyi" in capsys.readouterr().out
    assert {path.name for path in set(tmp_path.iterdir()) - before} <= {"results.sqlite-shm", "results.sqlite-wal"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--control", "pcc"], "needs --control to be one of its methods, but it is 'pcc'. There: br, cc."),
        (["--plan", "large"], "needs --plan to be a plan of the store, but it is 'large'. There: small."),
        (["-o", "no/such/folder/report.html"], "a folder that can be written to"),
    ],
)
def test_what_is_wrong_is_one_line(store, capsys, words, complaint):
    assert main(["report", str(store), *words]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_a_file_that_is_no_store(tmp_path, capsys):
    assert main(["report", str(tmp_path / "none.sqlite")]) == 2
    assert "there is no such store" in capsys.readouterr().err


def test_an_empty_store(tmp_path, capsys):
    open_store(tmp_path / "empty.sqlite", create=True).close()
    assert main(["report", str(tmp_path / "empty.sqlite"), "-o", str(tmp_path / "report.html")]) == 0
    assert "holds no cells yet" in capsys.readouterr().out
    assert (tmp_path / "report.html").exists()
