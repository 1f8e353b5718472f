"""The forms of a table: terminal, CSV, LaTeX, HTML, Markdown, JSON."""

import csv
import io
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from plait.pictures import (
    Entry,
    Heading,
    Table,
    as_csv,
    as_html,
    as_latex,
    as_markdown,
    as_records,
    as_text,
    latex_text,
)

HOSTILE = "<script>alert('a & b')</script>"
COLUMNS = (Heading("method", is_text=True), Heading("a_b & c", 3), Heading("数据", 1, smaller_first=False))
ROWS = (
    (Entry(HOSTILE), Entry(0.123456, 0.01), Entry(math.nan)),
    (Entry("br,\n50% {x}"), Entry(0.5, math.nan, True, "1/3"), Entry(math.inf)),
)
TABLE = Table("scores", "Scores <all>", COLUMNS, ROWS, ("A note & more.",))


def test_csv_gives_all_digits_back():
    rows = list(csv.reader(io.StringIO(as_csv(TABLE))))
    assert rows[0] == ["method", "a_b_&_c", "a_b_&_c_std", "a_b_&_c_note", "数据"]
    assert rows[1] == [HOSTILE, "0.123456", "0.01", "", ""]
    assert rows[2] == ["br,\n50% {x}", "0.5", "", "1/3", "inf"]


def test_records_have_no_numbers_that_json_does_not_know():
    records = as_records(TABLE)
    assert records[0] == {"method": HOSTILE, "a_b_&_c": 0.123456, "a_b_&_c_std": 0.01, "数据": None}
    assert (records[1]["a_b_&_c_std"], records[1]["a_b_&_c_note"], records[1]["数据"]) == (None, "1/3", None)


def test_text_is_aligned_and_marks_the_best():
    lines = as_text(TABLE, width=200).splitlines()
    assert lines[0] == "Scores <all>"
    # Wide letters take two places of a terminal.
    ends = [len(line) + sum(letter in "数据" for letter in line) for line in lines[1:4]]
    assert len(set(ends)) == 1
    assert lines[3].startswith("br, 50% {x}")
    assert "0.500 (1/3)*" in lines[3]
    assert "0.123±0.010 " in lines[2]
    assert lines[-1] == "A note & more."


def test_text_breaks_into_blocks_that_fit():
    columns = (Heading("method", is_text=True), *(Heading(f"data set {d}") for d in range(20)))
    rows = tuple((Entry(name), *(Entry(d / 20) for d in range(20))) for name in ("br", "cc"))
    text = as_text(Table("t", "Scores", columns, rows), width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert len(re.findall("^br ", text, re.MULTILINE)) == text.count("method")
    assert re.findall(r"data set (\d+)", text) == [str(d) for d in range(20)]


def test_latex_escapes_and_marks():
    text = as_latex(TABLE)
    assert r"\begin{tabular}{lrr}" in text
    assert r"method & a\_b \& c & 数据 \\" in text
    assert r"\textless{}script\textgreater{}alert('a \& b')\textless{}/script\textgreater{}" in text
    assert r"br, 50\% \{x\} & \textbf{0.500} {\scriptsize (1/3)} & $\infty$ \\" in text
    assert r"0.123 {\scriptsize $\pm$ 0.010} & -- \\" in text
    body = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body] == [2, 2]
    assert latex_text("a\\b^~") == r"a\textbackslash{}b\textasciicircum{}\textasciitilde{}"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(tmp_path):
    table = Table("t", "Scores", (COLUMNS[0], Heading("a_b & c")), tuple(row[:2] for row in ROWS))
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{as_latex(table)}\end{{document}}"
    (tmp_path / "page.tex").write_text(page, encoding="utf8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60, check=False).returncode == 0


class Cells(HTMLParser):
    """Collects texts of rows, and classes and sort keys of cells."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.found, self.tags = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.found.append(dict(attributes))

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_html_escapes_marks_and_carries_sort_keys():
    page = Cells(as_html(TABLE))
    assert "script" not in page.tags
    assert page.rows[1][0] == HOSTILE
    assert page.rows[1][1] == "0.123±0.010"
    keys = [attributes.get("data-value") for attributes in page.found if "scope" not in attributes]
    assert keys == ["0.123456", None, "0.5", "Infinity"]
    assert [attributes.get("class") for attributes in page.found][3:] == ["text", None, None, "text", "best", None]
    heads = [attributes["data-first"] for attributes in page.found[:3]]
    assert heads == ["ascending", "ascending", "descending"]


def test_paper_gets_a_table_of_many_columns_in_blocks():
    columns = (Heading("method", is_text=True), *(Heading(f"set {d}") for d in range(20)))
    table = Table("t", "Scores", columns, ((Entry("br"), *(Entry(d / 20) for d in range(20))),))
    rows = [[words.strip() for words in row] for row in Cells(as_html(table)).rows]
    assert [row[0] for row in rows] == ["method", "br"] * 4
    assert rows[0][1:] == rows[2][1:] + rows[4][1:] + rows[6][1:]
    assert rows[1][1:] == rows[3][1:] + rows[5][1:] + rows[7][1:]
    assert as_html(table).count("id='table-t'") == 1


def test_markdown_escapes_and_marks():
    lines = as_markdown(TABLE).splitlines()
    assert lines[0] == "| method | a_b & c | 数据 |"
    assert lines[1] == "| --- | --- | --- |"
    assert lines[2] == f"| {HOSTILE} | 0.123 ±0.010 | – |"
    assert lines[3] == "| br, 50% {x} | **0.500** (1/3) | ∞ |"
    assert len(lines) == 4
