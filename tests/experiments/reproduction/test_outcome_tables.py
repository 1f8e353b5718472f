import csv
import io

import pytest

from plait.experiments.reproduction import outcome_tables as tables
from plait.experiments.reproduction.compared_cells import compare_with_paper
from plait.experiments.reproduction.repeated_tests import repeated_outcomes, repeated_ranks
from plait.experiments.running.cells import CellResult


def cells():
    rows = [("emotions", "BR", 0.1), ("emotions", "ECC", 0.27), ("scene", "BR", 0.6), ("scene", "ECC", 0.65)]
    rows += [("langlog", "BR", 0.9), ("birds", "MDDM", 0.464)]
    made = [CellResult(d, m, 0, 0, metrics={"exact_match": value}) for d, m, value in rows]
    return compare_with_paper("occ", made)


def test_every_cell_has_a_line_with_its_verdict_and_its_notes():
    text = tables.cells_text(cells())
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


def test_the_sum_is_of_comparable_cells():
    assert tables.tally_line(cells()) == (
        "80.0% of 5 comparable cells are within two published standard deviations or better: "
        "3 within, 1 better, 1 worse. 1 cells that cannot be compared stand in brackets."
    )


def test_csv_has_full_digits_and_every_cell():
    rows = list(csv.DictReader(io.StringIO(tables.cells_csv(cells()))))
    assert len(rows) == 6
    first = next(row for row in rows if (row["dataset"], row["method"]) == ("emotions", "BR"))
    assert (float(first["plait_mean"]), float(first["published_std"]), first["plait_std"]) == (0.1, 0.019, "")
    assert float(first["deviations"]) == pytest.approx(-(0.133 - 0.0005) / 0.019, rel=1e-9)
    assert {row["comparable"] for row in rows if row["dataset"] == "langlog"} == {"no"}


def test_markdown_is_one_table_of_equal_rows():
    text = tables.cells_markdown(cells())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 6
    assert {line.count("|") for line in rows} == {8}
    assert "**worse" in text


def test_ranks_of_both_sides_are_shown():
    tests = repeated_ranks("occ", cells())
    for text in (tables.ranks_text(tests), tables.ranks_markdown(tests)):
        assert "emotions, scene" in text
        assert text.count("Friedman over 2 data sets") == 2


def test_outcomes_are_counted_by_method_and_measure():
    made = [
        CellResult(d, m, fold, 0, metrics={"exact_match": base + 0.001 * fold * fold})
        for d in ("emotions", "scene")
        for m, base in (("MC", 0.4), ("BR", 0.3))
        for fold in range(3)
    ]
    lines = tables.outcomes_text(repeated_outcomes(made)).splitlines()
    assert lines[1].split() == ["BR", "exact_match", "2/0/0", "2/0/0"]
    assert tables.outcomes_text([]) == ""
