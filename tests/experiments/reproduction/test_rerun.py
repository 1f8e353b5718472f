from dataclasses import replace

import numpy as np
import pytest

from plait.data import DataError, save_dataset
from plait.data.synthetic import make_label_network
from plait.experiments.reproduction import made_pages, outcome_tables, rerun
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
    text = outcome_tables.reproduction_text([found])
    assert "as the paper says" in text
    assert "standard errors over the test rows" in text


def test_results_of_other_settings_and_unfinished_parts_do_not_count(folder, monkeypatch):
    store = folder / "s.sqlite"
    rerun.run_paper("pcc", store, datasets=["emotions"], methods=["BR"])
    plan = paper_plan("pcc")
    other = tuple(
        replace(m, setup=replace(m.setup, definition={**m.setup.definition, "loss": "f1"})) for m in plan.methods
    )
    monkeypatch.setattr(rerun, "paper_plan", lambda paper, name="clean": replace(plan, methods=other))
    assert rerun.read_reproduction("pcc", store).cells == []
    monkeypatch.setattr(rerun, "paper_plan", lambda paper, name="clean": replace(plan, seeds=(0, 1)))
    assert rerun.read_reproduction("pcc", store).cells == []


def test_another_paper_in_the_same_store_is_left_alone(folder):
    store = folder / "s.sqlite"
    rerun.run_paper("pcc", store, datasets=["emotions"], methods=["BR"])
    assert rerun.read_reproduction("occ", store).cells == []
    assert rerun.read_reproduction("pcc", store, "as_run").cells == []
    rerun.run_paper("pcc", store, plan="as_run", datasets=["emotions"], methods=["BR"])
    assert len(rerun.read_reproduction("pcc", store, "as_run").cells) == 2


def test_without_data_it_says_where_they_are(folder):
    with pytest.raises(DataError, match=r"none of scene is there. Get them from .*mulan"):
        rerun.run_paper("pcc", folder / "s.sqlite", datasets=["scene"])


def test_parts_of_pages_are_written(folder):
    store = folder / "s.sqlite"
    rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"])
    place = folder / "a" / "b"
    paths = made_pages.write_paper("occ", store, place)
    assert {"occ-counts.md", "occ-cells.md", "occ.csv"} <= {path.name for path in paths}
    assert (place / "occ.csv").read_text(encoding="utf8").count("\n") == 1 + 4
    assert [c.n_parts for c in rerun.read_reproduction("occ", store).cells] == [5] * 4
    rows = made_pages.write_index(place).read_text(encoding="utf8").splitlines()[2:]
    assert [line.split("|")[1:3] for line in rows] == [
        [" [OCC](occ.md) ", " as the paper says "],
        [" [OCC](occ.md) ", " as its program ran "],
    ]
    assert rows[0].split("|")[6:9] == [" 4 ", " 364 ", " 1% "]


def test_failures_are_told_once_a_method_and_can_be_run_again(folder, monkeypatch):
    store, plan = folder / "s.sqlite", paper_plan("occ")
    broken = {"use": "sklearn.dummy.DummyClassifier", "strategy": "constant"}  # without the constant, `fit` fails
    methods = tuple(replace(m, setup=replace(m.setup, definition=broken, tuning=None)) for m in plan.methods)
    monkeypatch.setattr(rerun, "paper_plan", lambda paper, name="clean": replace(plan, methods=methods))
    assert rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"]).failed == 5
    assert rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"]).done == 0
    again = rerun.run_paper("occ", store, datasets=["emotions"], methods=["BR"], retry_failed=True)
    assert (again.done, again.failed) == (5, 5)
    found = rerun.read_reproduction("occ", store)
    assert found.cells == []
    assert "failed 5 times: emotions, BR: " in outcome_tables.reproduction_text([found])
