"""A table for the terminal: aligned, the best marked with *, broken into blocks where the terminal is narrow."""

import math
import unicodedata

from plait.core.text_bars import shortened
from plait.experiments.report.tables import Entry, Table, number_text

__all__ = ["as_text"]


def as_text(table: Table, width: int = 100) -> str:
    """Return the table as lines of at most `width` characters; the first column stands before each block.

    Examples
    --------
    >>> from plait.experiments.report.tables import Column, Entry
    >>> head = (Column("method", is_text=True), Column("sea", 2))
    >>> print(as_text(Table("t", "Scores", head, ((Entry("br"), Entry(0.5, 0.125, True)),))))
    Scores
    method         sea
    br      0.50±0.12*
    """
    columns = [_column_texts(table, c) for c in range(len(table.columns))]
    widths = [max(map(_columns_of, column)) for column in columns]
    lines = [table.title]
    for block in _blocks(widths, width):
        for row in range(len(table.rows) + 1):
            words = [_padded(columns[c][row], widths[c], table.columns[c].is_text) for c in (0, *block)]
            lines.append("  ".join(words).rstrip())
        lines.append("")
    return "\n".join([*lines[:-1], *table.notes])


def _column_texts(table: Table, c: int) -> list[str]:
    head = table.columns[c]
    entries = [row[c] for row in table.rows]
    marked = any(entry.best for entry in entries)
    return [shortened(head.name), *(_entry_text(entry, head.decimals, marked) for entry in entries)]


def _entry_text(entry: Entry, decimals: int, marked: bool) -> str:
    if isinstance(entry.value, str):
        return shortened(entry.value)
    spread = "" if math.isnan(entry.spread) else f"±{number_text(entry.spread, decimals)}"
    note = f" ({entry.note})" if entry.note else ""
    return f"{number_text(entry.value, decimals)}{spread}{note}" + ("*" if entry.best else " " if marked else "")


def _blocks(widths: list[int], width: int) -> list[list[int]]:
    """Return the columns of each block; a column that is too wide has a block of its own."""
    blocks: list[list[int]] = [[]]
    used = widths[0]
    for c in range(1, len(widths)):
        if blocks[-1] and used + 2 + widths[c] > width:
            blocks.append([])
            used = widths[0]
        blocks[-1].append(c)
        used += 2 + widths[c]
    return blocks


def _columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide letters take two, marks above letters none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def _padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - _columns_of(text))
    return text + space if left else space + text
