from dataclasses import replace

import numpy as np
import pytest

from plait.data import save_dataset
from plait.data.synthetic import make_label_network
from plait.experiments.reproduction import outcome_tables, rerun
from plait.experiments.reproduction.paper_plans import paper_plan


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with data that only have the name of emotions, with its parts."""
    data = make_label_network(120, 4, 3, random_state=0).dataset
    place = tmp_path / "data"
    place.mkdir()
    for part, rows in (("", slice(None)), ("-train", np.arange(80)), ("-test", np.arange(80, 120))):
        part_data = data if part == "" else data.rows(rows)
        save_dataset(replace(part_data, name=f"emotions{part}"), place / f"emotions{part}.arff")
    monkeypatch.setenv("PLAIT_DATA", str(place))
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_parts_add_up_in_one_store_and_are_not_run_twice(folder):
    store, missing = folder / "s.sqlite", []
    first = rerun.run_paper("pcc", store, datasets=["emotions", "scene"], methods=["BR"], on_missing=missing.append)
    assert (first.total, first.done, missing) == (1, 1, ["scene"])
    second = rerun.run_paper("pcc", store, methods=["BR", "PCC eps=0.25"], quick=True)
    assert (second.total, second.before, second.done) == (2, 1, 1)
    found = rerun.read_reproduction("pcc", store)
    assert {c.published.method for c in found.cells} == {"BR", "PCC eps=0.25"}
    assert {c.published.metric for c in found.cells} == {"subset_loss", "hamming_loss"}
    assert found.failures == []
    text = outcome_tables.reproduction_text(found)
    assert "comparable cells" in text
    assert "standard errors over the test rows" in text


def test_results_of_other_settings_and_unfinished_parts_do_not_count(folder, monkeypatch):
    store = folder / "s.sqlite"
    rerun.run_paper("pcc", store, datasets=["emotions"], methods=["BR"])
    plan = paper_plan("pcc")
    other = tuple(
        replace(m, setup=replace(m.setup, definition={**m.setup.definition, "loss": "f1"})) for m in plan.methods
    )
    monkeypatch.setattr(rerun, "paper_plan", lambda paper: replace(plan, methods=other))
    assert rerun.read_reproduction("pcc", store).cells == []
    monkeypatch.setattr(rerun, "paper_plan", lambda paper: replace(plan, seeds=(0, 1)))
    assert rerun.read_reproduction("pcc", store).cells == []


def test_another_paper_in_the_same_store_is_left_alone(folder):
    store = folder / "s.sqlite"
    rerun.run_paper("pcc", store, datasets=["emotions"], methods=["BR"])
    assert rerun.read_reproduction("occ", store).cells == []
    assert outcome_tables.reproduction_text(rerun.read_reproduction("occ", store)) == "No comparable cells yet."


def test_files_are_written(folder):
    store = folder / "s.sqlite"
    rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"])
    found = rerun.read_reproduction("occ", store)
    paths = outcome_tables.write_reproduction(found, folder / "a" / "b")
    assert [path.name for path in paths] == ["occ.md", "occ.csv"]
    assert paths[0].read_text(encoding="utf8").startswith("# Reproduction of OCC\n")
    assert paths[1].read_text(encoding="utf8").count("\n") == 1 + 4
    assert [c.n_parts for c in found.cells] == [5] * 4


def test_failures_are_told_once_a_method_and_can_be_run_again(folder, monkeypatch):
    store, plan = folder / "s.sqlite", paper_plan("occ")
    broken = {"use": "sklearn.dummy.DummyClassifier", "strategy": "constant"}  # without the constant, `fit` fails
    methods = tuple(replace(m, setup=replace(m.setup, definition=broken, tuning=None)) for m in plan.methods)
    monkeypatch.setattr(rerun, "paper_plan", lambda paper: replace(plan, methods=methods))
    assert rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"]).failed == 5
    assert rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"]).done == 0
    again = rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"], retry_failed=True)
    assert (again.done, again.failed) == (5, 5)
    found = rerun.read_reproduction("occ", store)
    assert found.cells == []
    assert "failed 5 times: emotions, BR: " in outcome_tables.reproduction_text(found)
