"""`plait audit`: names and ids out, a page, a table, JSON, and errors in one line."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from plait.cli import main


@pytest.fixture
def songs(tmp_path):
    """A table with an id, a word and two labels; song s7 has a wrong record."""
    rng = np.random.default_rng(0)
    loud = rng.normal(size=120)
    frame = pd.DataFrame(
        {"song": [f"s{row}" for row in range(120)], "loud": loud, "key": rng.choice(["minor", "major"], 120)}
    )
    frame["calm"] = (loud < 0).astype(int)
    frame["sad"] = ((frame["key"] == "minor") & (loud < 0.5)).astype(int)
    frame.loc[7, "calm"] = 1 - frame.loc[7, "calm"]
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False)
    return path


def audited(songs, *words):
    return main(["audit", str(songs), "--labels", "calm,sad", "--id", "song", "--method", "pcc", *words])


def test_a_table_with_ids(songs, tmp_path, capsys):
    assert audited(songs, "-o", str(tmp_path / "found.csv"), "--most", "10") == 0
    with open(tmp_path / "found.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 10
    assert lines[0]["song"] == "s7"
    assert (lines[0]["row"], lines[0]["label"]) == ("7", "calm")
    probabilities = [float(line["probability"]) for line in lines]
    assert probabilities == sorted(probabilities, reverse=True)
    assert "found.csv: Audit(120 rows, 2 labels" in capsys.readouterr().out


def test_text_json_and_a_page(songs, tmp_path, capsys):
    assert audited(songs) == 0
    text = capsys.readouterr().out
    assert "s7" in text.splitlines()[2]
    assert audited(songs, "--json", "--most", "3") == 0
    found = json.loads(capsys.readouterr().out)
    assert [sorted(line) for line in found] == [
        sorted(["song", "row", "label", "recorded", "probability", "suggestion"])
    ] * 3
    assert audited(songs, "-o", str(tmp_path / "page.html")) == 0
    assert '"s7"' in (tmp_path / "page.html").read_text()


def test_whole_rows_and_labels(songs, capsys):
    assert audited(songs, "--list", "rows", "--json", "--most", "4") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [sorted(line) for line in rows] == [sorted(["song", "row", "surprise", "recorded", "suggestion"])] * 4
    assert [line["surprise"] for line in rows] == sorted(line["surprise"] for line in rows)
    assert rows[0]["song"] == "s7"
    assert rows[0]["recorded"] != rows[0]["suggestion"]
    assert audited(songs, "--list", "labels", "--json") == 0
    labels = json.loads(capsys.readouterr().out)
    assert [line["label"] for line in labels] == ["calm", "sad"]
    assert all(line["missed_at_most"] >= 0 and line["false_at_most"] >= 0 for line in labels)
    assert audited(songs, "--list", "labels") == 0
    assert "may be wrong at most" in capsys.readouterr().out


def test_what_cannot_be_written_or_judged_is_one_line(songs, tmp_path, capsys):
    assert audited(songs, "-o", str(tmp_path / "found.png")) == 2
    assert main(["audit", str(songs), "--labels", "calm,sad", "--method", "MLkNN"]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 2
    assert "needs -o to end in one of .html, .csv" in lines[0]
    assert "needs a method that learns P(Y | X)" in lines[1]
