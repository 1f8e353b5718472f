"""Write a report: the page, every table as LaTeX and CSV, every picture; and what the terminal shows."""

import os
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from plait.data.conversion.files import replacing
from plait.experiments.report.figures import figures_of
from plait.experiments.report.report_page import report_html
from plait.experiments.report.score_tables import metric_words
from plait.experiments.report.tables import Contents
from plait.experiments.statistics import RankComparison, cd_text, cd_tikz, rank_statement
from plait.pictures.arrangements import saved
from plait.pictures.table_markup import as_latex
from plait.pictures.tables import Table, as_csv, as_records, as_text
from plait.pictures.text_bars import shortened

__all__ = ["report_dict", "report_text", "write_figures", "write_report", "write_tables"]

_FORMS: dict[str, Callable[[Table], str]] = {".tex": as_latex, ".csv": as_csv}


def write_report(contents: Contents, path: str | os.PathLike[str]) -> None:
    """Write the page; the file is replaced whole or not at all.

    Parameters
    ----------
    contents : Contents
        From `report_contents`.
    path : path
        The HTML file.

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.report import outcomes_of, report_contents
    >>> cells = [CellResult("sea", name, 0, 0, metrics={"exact_match": x}) for name, x in (("br", 0.4), ("cc", 0.5))]
    >>> contents = report_contents(outcomes_of(cells))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_report(contents, Path(folder, "report.html"))
    ...     [file.name for file in Path(folder).iterdir()]
    ['report.html']
    """
    with replacing(path) as draft:
        draft.write_text(report_html(contents), encoding="utf8")


def write_tables(contents: Contents, folder: str | os.PathLike[str], suffix: str) -> list[Path]:
    """Write every table into a folder, as ".tex" or ".csv", and return the files.

    Parameters
    ----------
    contents : Contents
        From `report_contents`.
    folder : path
        Where the files go; made where missing.
    suffix : {".tex", ".csv"}
        In which form.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.report import outcomes_of, report_contents
    >>> cells = [CellResult("sea", name, 0, 0, metrics={"exact_match": x}) for name, x in (("br", 0.4), ("cc", 0.5))]
    >>> contents = report_contents(outcomes_of(cells))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     [file.name for file in write_tables(contents, folder, ".csv")][:2]
    ['glance.csv', 'exact-match.csv']
    """
    goal = Path(folder)
    goal.mkdir(parents=True, exist_ok=True)
    # A LaTeX table of every cell would help nobody.
    tables = [table for table in contents.tables if suffix == ".csv" or table.name != "cells"]
    files = [goal / f"{table.name}{suffix}" for table in tables]
    for table, file in zip(tables, files, strict=True):
        with replacing(file) as draft:
            draft.write_text(_FORMS[suffix](table), encoding="utf8", newline="")
    return files


def write_figures(contents: Contents, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every picture of the page into a folder as SVG, and critical differences as TikZ too; return the files.

    Parameters
    ----------
    contents : Contents
        From `report_contents`.
    folder : path
        Where the files go; made where missing.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.report import outcomes_of, report_contents
    >>> cells = [CellResult("sea", name, 0, 0, metrics={"exact_match": x}) for name, x in (("br", 0.4), ("cc", 0.5))]
    >>> contents = report_contents(outcomes_of(cells))
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     sorted(file.name for file in write_figures(contents, folder))
    ['sea-exact_match.svg', 'time-exact_match.svg']
    """
    goal = Path(folder)
    goal.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.svg": saved(svg) for name, svg in figures_of(report_html(contents)).items()}
    for ranking in contents.rankings:
        if ranking.comparison is not None:
            texts[f"critical-difference-{ranking.metric}.tex"] = cd_tikz(ranking.comparison)
    for name, text in texts.items():
        with replacing(goal / name) as draft:
            draft.write_text(text, encoding="utf8")
    return [goal / name for name in texts]


def report_dict(contents: Contents) -> dict[str, Any]:
    """Return what the terminal shows, with all tables but that of every cell, as plain values for JSON.

    Parameters
    ----------
    contents : Contents
        From `report_contents`.

    Returns
    -------
    dict

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.report import outcomes_of, report_contents
    >>> cells = [CellResult("sea", name, 0, 0, metrics={"exact_match": x}) for name, x in (("br", 0.4), ("cc", 0.5))]
    >>> contents = report_contents(outcomes_of(cells))
    >>> report_dict(contents)["finished"]
    2
    """
    outcomes = contents.outcomes
    tests = {
        ranking.metric: ranking.no_test if ranking.comparison is None else rank_statement(ranking.comparison)
        for ranking in contents.rankings
    }
    return {
        "plan": outcomes.plan,
        "verdict": contents.verdict,
        "planned": outcomes.n_planned,
        "finished": len(outcomes.results),
        "failed": len(outcomes.failures),
        "tests": tests,
        "tables": {table.name: as_records(table) for table in contents.tables if table.name != "cells"},
    }


def _diagram(comparison: RankComparison, width: int) -> str:
    """Return the diagram, or what it says where the terminal is too narrow for it."""
    names = tuple(shortened(name, 24) for name in comparison.methods)
    room = min(61, width - max(map(len, names)) - 20)
    if room < 2 * len(names):
        return f"{rank_statement(comparison)} The diagram is on the page: the terminal is too narrow for it."
    return cd_text(replace(comparison, methods=names), room)


def report_text(contents: Contents, width: int = 100) -> str:
    """Return what the terminal shows: the main table, the first metric by data set, and its critical differences.

    Parameters
    ----------
    contents : Contents
        From `report_contents`.
    width : int, default=100
        Characters of the longest line.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.experiments import CellResult
    >>> from plait.experiments.report import outcomes_of, report_contents
    >>> cells = [CellResult("sea", name, 0, 0, metrics={"exact_match": x}) for name, x in (("br", 0.4), ("cc", 0.5))]
    >>> contents = report_contents(outcomes_of(cells))
    >>> print(report_text(contents).splitlines()[0])
    cc is best in exact match, 0.500 on sea; one data set allows no rank test.
    """
    outcomes = contents.outcomes
    if not contents.glance.rows:
        return "The store holds no cells yet. Run 'plait bench' first."
    lines = [textwrap.fill(" ".join(contents.verdict), width)] if contents.verdict else []
    lines.append(as_text(contents.glance, width))
    if len(outcomes.datasets) > 1 and contents.scores:
        lines.append(as_text(contents.scores[0], width))
    if contents.rankings:
        first = contents.rankings[0]
        found = first.comparison
        lines.append(first.no_test if found is None else f"{metric_words(first.metric)}: {_diagram(found, width)}")
    done = f"{len(outcomes.results)} of {outcomes.n_planned} cells finished, {len(outcomes.failures)} failed"
    return "\n\n".join([*lines, f"{done}."])
