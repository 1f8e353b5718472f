import csv
from dataclasses import replace

import numpy as np
import pytest

from plait.experiments import open_store
from plait.experiments.reproduction import made_pages, rerun, run_ledger
from plait.experiments.reproduction.paper_plans import paper_plan
from plait.experiments.reproduction.rerun import read_reproduction
from plait.experiments.running.cells import CellResult


def results(method, values, dataset="emotions", metric="subset_loss"):
    versions = {"plait": "7.1"}
    return [
        CellResult(dataset, method, fold, 0, metrics={metric: value}, versions=versions, finished=86400.0 * 365)
        for fold, value in enumerate(values)
    ]


def written(paper, plan, folder, ran, state=""):
    """Write what ran as an earlier run would have left it."""
    folder.mkdir(exist_ok=True)
    means = run_ledger.measured_means(ran, state)
    rerun.ledger_file(paper, folder).write_text(run_ledger.ledger_text(paper, {plan: means}), encoding="utf8")
    return means


def test_means_are_over_the_parts_in_their_order_and_say_when_they_ran():
    ran = results("BR", [0.4, 0.1, 0.2])
    found = run_ledger.measured_means(ran[::-1], "bb13f24")["emotions", "BR"]["subset_loss"]
    np.testing.assert_allclose([found.mean, found.std], [0.7 / 3, np.std([0.4, 0.1, 0.2], ddof=1)], rtol=1e-12)
    assert (found.parts, found.n_parts, found.run) == ((0.4, 0.1, 0.2), 3, "1971-01-01, plait 7.1, bb13f24")
    assert run_ledger.measured_means([*ran, CellResult("emotions", "BR", 3, 0, error="ValueError: no")]) == {}


def test_what_is_written_is_read_again_to_the_last_digit(tmp_path):
    means = written("pcc", "clean", tmp_path, results("BR", [1 / 3, 1e-17]))
    found = run_ledger.read_ledger("pcc", rerun.ledger_file("pcc", tmp_path))["clean"]
    assert found["emotions", "BR"]["subset_loss"] == means["emotions", "BR"]["subset_loss"]
    assert run_ledger.read_ledger("pcc", tmp_path / "none.csv") == {}


def test_rows_of_other_settings_are_dropped(tmp_path, monkeypatch):
    written("pcc", "clean", tmp_path, results("BR", [0.4]) + results("PCC MC", [0.3], "scene"))
    plan = paper_plan("pcc")
    methods = tuple(
        replace(m, setup=replace(m.setup, definition={"use": "br"})) if m.name == "BR" else m for m in plan.methods
    )
    monkeypatch.setattr(run_ledger, "paper_plan", lambda paper, name="clean": replace(plan, methods=methods))
    file = rerun.ledger_file("pcc", tmp_path)
    assert list(run_ledger.read_ledger("pcc", file)["clean"]) == [("scene", "PCC MC")]
    data = tuple(replace(d, top_labels=3) for d in plan.datasets)
    monkeypatch.setattr(run_ledger, "paper_plan", lambda paper, name="clean": replace(plan, datasets=data))
    assert run_ledger.read_ledger("pcc", file) == {}


@pytest.fixture
def store(tmp_path):
    place = tmp_path / "empty.sqlite"
    open_store(place, create=True).close()
    return place


def test_pages_keep_the_cells_of_earlier_runs_and_say_whose_they_are(tmp_path, store, monkeypatch):
    made = tmp_path / "made"
    written("pcc", "clean", made, results("BR", [0.8]) + results("PCC eps=0.25", [0.7]), "old")
    newer = run_ledger.measured_means(results("BR", [0.75]), "new")
    assert read_reproduction("pcc", store).cells == []
    monkeypatch.setattr(rerun, "measured_means", lambda found, state="": {} if state == "" else newer)
    cells = {c.published.method: c for c in read_reproduction("pcc", store, kept=made, state="new").cells}
    assert {name: (c.mean, c.run.split(", ")[-1]) for name, c in cells.items()} == {
        "BR": (0.75, "new"),
        "PCC eps=0.25": (0.7, "old"),
    }
    for _ in range(2):  # the second time the new run is an earlier one
        names = {path.name for path in made_pages.write_paper("pcc", store, made, state="new")}
        assert {"pcc-runs.csv", "pcc-runs.md", "pcc-cells.md"} <= names
        with (made / "pcc.csv").open(encoding="utf8", newline="") as file:
            rows = list(csv.DictReader(file))
        clean = {row["method"]: row["run"].split(", ")[-1] for row in rows if row["column"] == "clean"}
        assert clean == {"BR": "new", "PCC eps=0.25": "old"}
        monkeypatch.setattr(rerun, "measured_means", lambda found, state="": {})
    lines = (made / "pcc-runs.md").read_text(encoding="utf8").splitlines()
    assert lines[2].startswith("| 1971-01-01, plait 7.1, new | 1 |")
    assert lines[3].startswith("| 1971-01-01, plait 7.1, old | 1 |")


def test_tables_of_other_plans_are_completed_too(tmp_path, store):
    made = tmp_path / "made"
    ran = results("BR, lambda = 1", [0.5], metric="hamming_loss")
    written("pcc", "penalty", made, ran)
    made_pages.write_paper("pcc", store, made)
    assert "| emotions | BR, lambda = 1 | 0.500 |  | 1971-01-01" in (made / "pcc-penalty.md").read_text(encoding="utf8")
