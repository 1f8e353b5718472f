"""Tables of numbers with their spread, the best marked: for the terminal, CSV and JSON.

`table_markup` writes the same table as HTML, LaTeX and Markdown.
"""

import csv
import io
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plait.pictures.text_bars import LONGEST_NAME, shortened

__all__ = [
    "Entry",
    "Heading",
    "Table",
    "as_csv",
    "as_records",
    "as_text",
    "decimals_for",
    "machine_name",
    "number_text",
]


@dataclass(frozen=True)
class Entry:
    """What stands in one place of a table.

    Parameters
    ----------
    value : float or str
        A number, NaN where there is none, or words.
    spread : float, default=nan
        Standard deviation of the number.
    best : bool, default=False
        Whether it is the best of its column.
    note : str, default=""
        A short remark, such as "3/5" where two parts are missing.
    decimals : int, optional
        Digits after the point, where they are not those of its column.

    Examples
    --------
    >>> Entry(0.5, 0.125, best=True).value
    0.5
    """

    value: float | str
    spread: float = math.nan
    best: bool = False
    note: str = ""
    decimals: int | None = None

    def written(self, column: "Heading") -> tuple[str, str]:
        """Return the number as text, and its spread, empty where there is none.

        Parameters
        ----------
        column : Heading
            What stands above it.
        """
        decimals = column.decimals if self.decimals is None else self.decimals
        return number_text(self.value, decimals), "" if math.isnan(self.spread) else number_text(self.spread, decimals)


@dataclass(frozen=True)
class Heading:
    """What stands above a column, and how the column is written.

    Parameters
    ----------
    name : str
        What it shows.
    decimals : int, default=3
        Digits after the point of its numbers.
    is_text : bool, default=False
        Whether it holds words: aligned to the left.
    smaller_first : bool, default=True
        Whether the first click sorts upward.
    longest : int, default=32
        Characters of the longest words on a terminal.

    Examples
    --------
    >>> Heading("seconds", decimals=1).name
    'seconds'
    """

    name: str
    decimals: int = 3
    is_text: bool = False
    smaller_first: bool = True
    longest: int = LONGEST_NAME


@dataclass(frozen=True)
class Table:
    """A table with a name for files, a title and notes.

    Parameters
    ----------
    name : str
        For files and links: letters, digits, hyphens.
    title : str
        What it shows.
    columns : tuple of Heading
        Heads of the columns.
    rows : tuple of tuples of Entry
        As many in each as there are columns.
    notes : tuple of str
        Sentences below it.

    Examples
    --------
    >>> table = Table("t", "Scores", (Heading("method", is_text=True), Heading("sea")), ((Entry("br"), Entry(0.5)),))
    >>> table.has_spreads
    (False, False)
    """

    name: str
    title: str
    columns: tuple[Heading, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def has_spreads(self) -> tuple[bool, ...]:
        """Which columns have a standard deviation anywhere."""
        return tuple(any(not math.isnan(row[c].spread) for row in self.rows) for c in range(len(self.columns)))


def number_text(value: float | str, decimals: int) -> str:
    """Return a number with so many digits after the point; a dash where there is none.

    Parameters
    ----------
    value : float or str
        The number; words stay as they are.
    decimals : int
        Digits after the point.

    Returns
    -------
    str

    Examples
    --------
    >>> number_text(0.12345, 3), number_text(float("nan"), 3), number_text(float("-inf"), 1), number_text("br", 3)
    ('0.123', '–', '−∞', 'br')
    """
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{decimals}f}"


def decimals_for(values: Sequence[float], significant: int = 4) -> int:
    """Return how many digits after the point give the largest value so many in all, at most three.

    Parameters
    ----------
    values : sequence of float
        Numbers of a column.
    significant : int, default=4
        Digits of the largest.

    Returns
    -------
    int

    Examples
    --------
    >>> decimals_for([0.5, 0.25]), decimals_for([128.84, 7.0]), decimals_for([float("nan")])
    (3, 1, 3)
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    before = len(str(int(max(finite, default=0.0))))
    return max(0, min(3, significant - before))


def as_text(table: Table, width: int = 100, indent: str = "") -> str:
    """Return the table as lines of at most `width` characters; the first column stands before each block.

    All lines but the title and the notes begin with `indent`.

    Parameters
    ----------
    table : Table
        What is shown.
    width : int, default=100
        Characters of the longest line.
    indent : str, default=""
        Stands before every line of the table.

    Returns
    -------
    str

    Examples
    --------
    >>> head = (Heading("method", is_text=True), Heading("sea", 2))
    >>> print(as_text(Table("t", "Scores", head, ((Entry("br"), Entry(0.5, 0.125, True)),))))
    Scores
    method         sea
    br      0.50±0.12*
    """
    columns = [_column_texts(table, c) for c in range(len(table.columns))]
    widths = [max(map(_columns_of, column)) for column in columns]
    lines = [table.title] if table.title else []
    for block in _blocks(widths, width - len(indent)):
        for row in range(len(table.rows) + 1):
            words = [_padded(columns[c][row], widths[c], table.columns[c].is_text) for c in (0, *block)]
            lines.append((indent + "  ".join(words)).rstrip())
        lines.append("")
    return "\n".join([*lines[:-1], *table.notes])


def _column_texts(table: Table, c: int) -> list[str]:
    head = table.columns[c]
    entries = [row[c] for row in table.rows]
    marked = any(entry.best for entry in entries)
    return [shortened(head.name), *(_entry_text(entry, head, marked) for entry in entries)]


def _entry_text(entry: Entry, head: Heading, marked: bool) -> str:
    if isinstance(entry.value, str):
        return shortened(entry.value, head.longest) if entry.value else ""
    value, spread = entry.written(head)
    note = f" ({entry.note})" if entry.note else ""
    return f"{value}{spread and f'±{spread}'}{note}" + ("*" if entry.best else " " if marked else "")


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


def machine_name(name: str) -> str:
    r"""Return the head of a column as programs want it: without arrows, and with _ for blanks of any kind.

    Examples
    --------
    >>> machine_name("exact match\u00a0↑"), machine_name("MLkNN")
    ('exact_match', 'MLkNN')
    """
    return "_".join(name.replace("↑", " ").replace("↓", " ").split())


def as_csv(table: Table) -> str:
    r"""Return the table as CSV text; a number that is missing is an empty field.

    Parameters
    ----------
    table : Table
        What is shown.

    Returns
    -------
    str

    Examples
    --------
    >>> head = (Heading("method", is_text=True), Heading("sea", 2))
    >>> as_csv(Table("t", "Scores", head, ((Entry("br"), Entry(0.5, 0.125, True)),)))
    'method,sea,sea_std\nbr,0.5,0.125\n'
    """
    spreads = table.has_spreads
    remarks = [any(row[c].note for row in table.rows) for c in range(len(table.columns))]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    head: list[str] = []
    for column, spread, remark in zip(table.columns, spreads, remarks, strict=True):
        name = machine_name(column.name)
        head += [name, *([f"{name}_std"] if spread else []), *([f"{name}_note"] if remark else [])]
    writer.writerow(head)
    for row in table.rows:
        fields: list[str] = []
        for entry, spread, remark in zip(row, spreads, remarks, strict=True):
            fields += [
                _digits(entry.value),
                *([_digits(entry.spread)] if spread else []),
                *([entry.note] if remark else []),
            ]
        writer.writerow(fields)
    return stream.getvalue()


def _digits(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return ""
    return repr(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 2**53 else repr(value)


def as_records(table: Table) -> list[dict[str, Any]]:
    """Return the rows by the names of the columns; `None` stands for a number that is missing or not finite.

    Parameters
    ----------
    table : Table
        What is shown.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> head = (Heading("method", is_text=True), Heading("sea", 2))
    >>> as_records(Table("t", "Scores", head, ((Entry("br"), Entry(0.5, 0.125, True)),)))
    [{'method': 'br', 'sea': 0.5, 'sea_std': 0.125}]
    """
    spreads = table.has_spreads
    records = []
    for row in table.rows:
        record: dict[str, Any] = {}
        for entry, column, spread in zip(row, table.columns, spreads, strict=True):
            name = machine_name(column.name)
            record[name] = _json_value(entry.value)
            if spread:
                record[f"{name}_std"] = _json_value(entry.spread)
            if entry.note:
                record[f"{name}_note"] = entry.note
        records.append(record)
    return records


def _json_value(value: float | str) -> float | str | None:
    return value if isinstance(value, str) or math.isfinite(value) else None
