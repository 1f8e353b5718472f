import json

import numpy as np
import pytest

from plait.cli import main
from plait.data import save_dataset
from plait.data.synthetic import make_label_network


def run(*words):
    return main(["reproduce", *map(str, words)])


@pytest.fixture
def store(tmp_path, monkeypatch):
    place = tmp_path / "data"
    place.mkdir()
    data = make_label_network(100, 4, 3, random_state=0).dataset
    save_dataset(data, place / "emotions.arff")
    save_dataset(data.rows(np.arange(60)), place / "emotions-train.arff")
    save_dataset(data.rows(np.arange(60, 100)), place / "emotions-test.arff")
    monkeypatch.setenv("PLAIT_DATA", str(place))
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "results.sqlite"


def test_it_runs_shows_and_writes(store, capsys):
    code = run("pcc", "--datasets", "emotions, scene", "--methods", "br", "--store", store, "--out", store.parent)
    shown = capsys.readouterr()
    assert code == 0
    assert "data set scene is not in the folder PLAIT_DATA" in shown.err
    assert shown.err.count("scene") == 1
    assert "as the paper says" in shown.out
    assert "as its program ran" in shown.out
    assert (store.parent / "pcc-cells.md").exists()
    assert run("pcc", "--store", store, "--show", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    for column in ("clean", "as_run"):
        counts = record[column]
        assert (counts["compared"], counts["printed"]) == (2, 92)
        assert counts["within"] + counts["better"] + counts["worse"] == 2


def test_as_run_runs_one_plan_and_shows_both_columns(store, capsys, monkeypatch):
    monkeypatch.chdir(store.parent)
    assert run("pcc", "--datasets", "emotions", "--methods", "br", "--as-run", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["clean"]["compared"], record["as_run"]["compared"]) == (0, 2)
    assert (store.parent / "pcc.sqlite").exists()


def test_without_data_the_code_is_2_and_says_where_to_get_them(store, capsys, monkeypatch):
    monkeypatch.setenv("PLAIT_DATA", str(store.parent / "none"))
    assert run("pcc", "--store", store, "--quick") == 2
    shown = capsys.readouterr()
    assert "mulan.sourceforge.net" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("words", [("--jobs", "0"), ("--datasets", "nowhere"), ("--methods", "nobody")])
def test_bad_words_are_refused_before_anything_runs(store, words, capsys):
    assert run("pcc", "--store", store, *words) == 2
    assert capsys.readouterr().err.startswith("plait: plait reproduce needs --")
    assert not store.exists()
