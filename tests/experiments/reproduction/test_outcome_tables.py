import csv
import io
from dataclasses import replace

import pytest

from plait.experiments.reproduction import outcome_tables as tables
from plait.experiments.reproduction.compared_cells import compare_with_paper
from plait.experiments.reproduction.repeated_tables import outcomes_text, ranks_markdown, ranks_text
from plait.experiments.reproduction.repeated_tests import repeated_outcomes, repeated_ranks
from plait.experiments.reproduction.rerun import Reproduction
from plait.experiments.running.cells import CellResult
from plait.pictures.tables import as_text


def cells():
    rows = [("emotions", "BR", 0.01), ("emotions", "ECC", 0.27), ("scene", "BR", 0.8), ("scene", "ECC", 0.65)]
    rows += [("langlog", "BR", 0.9), ("birds", "MDDM", 0.464)]
    made = [CellResult(d, m, 0, 0, metrics={"exact_match": value}) for d, m, value in rows]
    return compare_with_paper("occ", made)


def columns():
    empty = Reproduction("occ", "as_run", [], [], [], [], [])
    return [replace(empty, column="clean", cells=cells()), replace(empty, cells=cells()[:1])]


def test_every_cell_has_a_line_with_its_verdict_and_its_notes():
    text = tables.cells_text(columns())
    lines = text.splitlines()
    assert any(line.split()[:2] == ["emotions", "BR"] and "worse" in line for line in lines)
    assert any(line.split()[:2] == ["scene", "BR"] and "better" in line for line in lines)
    assert any(line.split()[:2] == ["langlog", "BR"] and "(better)" in line for line in lines)
    birds = next(line for line in lines if line.startswith("birds"))
    marks = birds[birds.index("[") + 1 : birds.index("]")].split(",")
    notes = {line.split("]")[0][1:]: line for line in lines if line.startswith("[")}
    assert any("rank 8 of 7" in notes[mark] for mark in marks)
    # What is said of a whole measure stands once below, not beside every cell.
    assert sum(line.startswith("- exact_match: The printed average ranks") for line in lines) == 1
    assert "[" not in next(line for line in lines if line.startswith("scene"))


def test_strict_counts_are_of_comparable_cells_with_their_coverage():
    assert {"within": 3, "better": 1, "worse": 1, "compared": 5, "printed": 364}.items() <= tables.reproduction_record(
        columns()
    )["clean"].items()
    lines = as_text(tables.tally_table(columns()), 200).splitlines()
    assert "3 (60.0%)" in lines[-2]
    assert "364 (1%)" in lines[-2]
    assert tables.reproduction_record(columns())["as_run"]["compared"] == 1


def test_csv_has_full_digits_and_every_cell():
    rows = list(csv.DictReader(io.StringIO(tables.cells_csv(columns()))))
    assert len(rows) == 6 + 1
    first = next(row for row in rows if (row["dataset"], row["method"]) == ("emotions", "BR"))
    assert (float(first["plait_mean"]), float(first["published_std"]), first["plait_std"]) == (0.01, 0.019, "")
    assert float(first["deviations"]) == pytest.approx(-(0.223 - 0.0005) / 0.019, rel=1e-9)
    assert {row["comparable"] for row in rows if row["dataset"] == "langlog"} == {"no"}


def test_markdown_is_one_table_of_equal_rows():
    text = tables.cells_markdown(columns())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 6
    assert {line.count("|") for line in rows} == {11}
    assert "**worse" in text


def test_ranks_of_both_sides_are_shown():
    tests = repeated_ranks("occ", cells())
    for text in (ranks_text(tests), ranks_markdown(tests)):
        assert "emotions, scene" in text
        assert text.count("Friedman over 2 data sets") == 2


def test_outcomes_are_counted_by_method_and_measure():
    made = [
        CellResult(d, m, fold, 0, metrics={"exact_match": base + 0.001 * fold * fold})
        for d in ("emotions", "scene")
        for m, base in (("MC", 0.4), ("BR", 0.3))
        for fold in range(3)
    ]
    lines = outcomes_text(repeated_outcomes(compare_with_paper("mc", made))).splitlines()
    assert lines[1].split() == ["BR", "exact_match", "2/0/0", "2/0/0"]
    assert outcomes_text([]) == ""
