"""A table before it is written: numbers with their spread, the best marked, for HTML, LaTeX, CSV and the terminal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Column", "Entry", "Table", "decimals_for", "number_text"]


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
    """

    value: float | str
    spread: float = math.nan
    best: bool = False
    note: str = ""


@dataclass(frozen=True)
class Column:
    """Head of a column.

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
    """

    name: str
    decimals: int = 3
    is_text: bool = False
    smaller_first: bool = True


@dataclass(frozen=True)
class Table:
    """A table with a name for files, a title and notes.

    Parameters
    ----------
    name : str
        For files and links: letters, digits, hyphens.
    title : str
        What it shows.
    columns : tuple of Column
        Heads.
    rows : tuple of tuples of Entry
        As many in each as there are columns.
    notes : tuple of str
        Sentences below it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def has_spreads(self) -> tuple[bool, ...]:
        """Which columns have a standard deviation anywhere."""
        return tuple(any(not math.isnan(row[c].spread) for row in self.rows) for c in range(len(self.columns)))


def number_text(value: float | str, decimals: int) -> str:
    """Return a number with so many digits after the point; a dash where there is none.

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

    Examples
    --------
    >>> decimals_for([0.5, 0.25]), decimals_for([128.84, 7.0]), decimals_for([float("nan")])
    (3, 1, 3)
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    before = len(str(int(max(finite, default=0.0))))
    return max(0, min(3, significant - before))
