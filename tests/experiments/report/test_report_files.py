import csv
from xml.etree import ElementTree

import pytest

from plait.core.sentences import ParameterError
from plait.experiments.report import (
    outcomes_of,
    report_contents,
    report_html,
    report_text,
    write_figures,
    write_report,
    write_tables,
)


def test_every_table_becomes_a_file(made_up, tmp_path):
    contents = report_contents(outcomes_of(made_up()))
    tex = write_tables(contents, tmp_path / "new" / "tex", ".tex")
    files = write_tables(contents, tmp_path / "csv", ".csv")
    assert {file.name for file in (tmp_path / "csv").iterdir()} == {f"{table.name}.csv" for table in contents.tables}
    assert len(tex) == len(files) - 1
    assert all(r"\bottomrule" in file.read_text(encoding="utf8") for file in tex)
    with (tmp_path / "csv" / "exact-match.csv").open(encoding="utf8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    ranking = contents.rankings[0]
    assert [row["method"] for row in rows] == list(ranking.methods)
    assert float(rows[1]["sun"]) == ranking.means[1, 1]
    assert float(rows[1]["sun_std"]) == ranking.spreads[1, 1]


def test_every_picture_becomes_a_file_and_critical_differences_are_tikz_too(made_up, tmp_path):
    contents = report_contents(outcomes_of(made_up()))
    files = write_figures(contents, tmp_path)
    page = report_html(contents)
    assert sorted(files) == sorted(tmp_path.iterdir())
    pictures = [file for file in files if file.suffix == ".svg"]
    twice = page.count("</svg><svg")  # drawn for phones too
    assert len(pictures) == page.count("<figure") == page.count("</svg>") - twice
    for file in pictures:
        assert ElementTree.fromstring(file.read_text()).tag.endswith("svg")
    drawings = [file for file in files if file.suffix == ".tex"]
    assert [file.stem for file in drawings] == [f"critical-difference-{metric}" for metric in contents.outcomes.metrics]
    assert all(file.with_suffix(".svg").exists() for file in drawings)


def test_the_page_is_the_same_every_time(made_up, tmp_path):
    for name in ("a.html", "b.html"):
        write_report(report_contents(outcomes_of(made_up())), tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_the_terminal_shows_table_and_diagram(made_up):
    text = report_text(report_contents(outcomes_of(made_up())), width=80)
    assert text.startswith("pcc is best in exact match, with a mean rank of 1.00 of 3")
    assert "\n\nAverage ranks, 1 is best\nmethod" in text
    assert "exact match: average rank, 1 is best" in text
    assert "Friedman over 3 data sets" in text
    assert "27 of 27 cells finished, 0 failed." in text
    assert max(map(len, text.splitlines())) <= 130
    with_control = report_text(report_contents(outcomes_of(made_up()), "cc"), width=80)
    assert "(control)" in with_control


def test_a_narrow_terminal_gets_the_statement_without_the_diagram(made_up):
    contents = report_contents(outcomes_of(made_up(methods=tuple(f"method {'x' * 60} {k}" for k in range(30)))))
    text = report_text(contents, width=80)
    assert "Friedman over 3 data sets" in text
    assert "too narrow for it" in text
    assert max(len(line) for line in text.splitlines() if "Friedman" not in line) <= 80


def test_the_terminal_says_why_there_is_no_diagram(made_up):
    assert "No rank test" in report_text(report_contents(outcomes_of(made_up(("sea",)))))
    assert report_text(report_contents(outcomes_of([]))) == "The store holds no cells yet. Run 'plait bench' first."


def test_a_control_that_is_not_there(made_up):
    with pytest.raises(
        ParameterError, match=r"needs --control to be one of its methods, but it is 'dd'\. There: br, cc, pcc"
    ):
        report_contents(outcomes_of(made_up()), "dd")
