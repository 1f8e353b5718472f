"""The cells of a page made before, as far as it prints them: for methods that are not run again.

A page has eight measures of every cell to three digits, and medians of times only; so cells that are taken from it are
kept apart by `FROM_PAGE`, comparisons with them are made at three digits, and times are all taken as they stand.
"""

from pathlib import Path
from typing import Any

from benchmarks.compared.cells import MEASURES

__all__ = ["FROM_PAGE", "cells_of_page", "folds_of_page", "times_of_page"]

FROM_PAGE = "from page"
_STOPPED = ": stopped or failed on "


def cells_of_page(page: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the cells by method and problem; those that were stopped have `failed`."""
    text = page.read_text()
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for measure in MEASURES:
        head, *rows = _rows(text, f"### {measure}")
        for name, *values in rows:
            for method, value in zip(head[1:], values, strict=True):
                if value:
                    cell = found.setdefault((method, name), {"method": method, "problem": name, FROM_PAGE: True})
                    cell[measure] = float(value.strip("*"))
    for line in text.partition("## What is missing")[2].splitlines():
        method, stopped, names = line.removeprefix("- ").partition(_STOPPED)
        for name in names.partition(";")[0].split(", ") if stopped else ():
            found[method, name] = {"method": method, "problem": name, "failed": "stopped", FROM_PAGE: True}
    return found


def times_of_page(page: Path) -> dict[str, list[str]]:
    """Return the row of times of every method."""
    return {row[0]: row for row in _rows(page.read_text(), "## CPU time")[1:]}


def folds_of_page(page: Path) -> dict[str, list[str]]:
    """Return exact match and micro-F1 over ten folds of every problem that has them, as they are printed."""
    return {row[0]: row[5:7] for row in _rows(page.read_text(), "## AutoJoint on the splits")[1:]}


def _rows(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table behind a heading, its head first, without the line below the head."""
    lines = text.partition(f"\n{heading}")[2].split("\n")
    start = next(place for place, line in enumerate(lines) if line.startswith("|"))
    stop = next(place for place, line in enumerate(lines[start:], start) if not line.startswith("|"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:stop]]
    return [rows[0], *rows[2:]]
