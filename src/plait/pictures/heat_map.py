"""Heat maps: a table of shares from 0 to 1 in colour, the stronger the larger, with or without numbers."""

from collections.abc import Sequence

import numpy as np

from plait.core.arrays import Floats
from plait.pictures.svg import BLUE, cut_to, picture, rectangle, text, text_width

__all__ = ["draw_heat_map", "draw_number_map"]

_CELL, _ROW_NAMES, _COLUMN_NAMES = 15.0, 170.0, 150.0
_WIDE, _HIGH = 74.0, 34.0


def draw_heat_map(
    shares: Floats, row_names: Sequence[str], column_names: Sequence[str], *, title: str, after: str = ""
) -> str:
    """Return a map of small cells; zero has no colour.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_columns)
        From 0 to 1.
    row_names, column_names : sequence of str
        Long ones are cut, and whole when the pointer rests on them.
    title : str
        For readers who cannot see the picture.
    after : str, default=""
        Follows the share where the pointer rests on it.

    Returns
    -------
    str

    Examples
    --------
    >>> draw_heat_map(np.eye(2), ["sea", "sun"], ["sea", "sun"], title="Together").count("<rect")
    4
    """
    rows = [cut_to(name, _ROW_NAMES) for name in row_names]
    columns = [cut_to(name, _COLUMN_NAMES) for name in column_names]
    left, top = max(map(text_width, rows)) + 14, max(map(text_width, columns)) + 12
    parts = []
    for c, name in enumerate(columns):
        parts.append(text(left + _CELL * (c + 0.5) + 4, top - 6, name, turn=-90, title=column_names[c]))
    for r, name in enumerate(rows):
        y = top + _CELL * r
        parts.append(text(left - 8, y + 12, name, anchor="end", title=row_names[r]))
        # A faint ground, by which the row can be followed.
        parts.append(rectangle(left, y, _CELL * len(columns) - 1.5, _CELL - 1.5, fill="currentColor", opacity=0.05))
        for c in np.flatnonzero(shares[r]).tolist():
            words = f"{row_names[r]}, {column_names[c]}: {shares[r, c]:.0%}{after}"
            depth, x = 0.15 + 0.85 * float(shares[r, c]), left + _CELL * float(c)
            parts.append(rectangle(x, y, _CELL - 1.5, _CELL - 1.5, fill=BLUE, opacity=depth, title=words))
    return picture(left + _CELL * len(columns) + 6, top + _CELL * len(rows) + 6, parts, title)


def draw_number_map(
    shares: Floats,
    numbers: Sequence[Sequence[str]],
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    note: str,
    title: str,
    ink: str = BLUE,
) -> str:
    """Return a map of cells large enough for the numbers written in them.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_columns)
        From 0 to 1: how strong the colour is.
    numbers : sequence of sequences of str
        What is written in the cells.
    row_names, column_names : sequence of str
        Names.
    note : str
        Stands below the map.
    title : str
        For readers who cannot see the picture.
    ink : str, default=BLUE
        The colour.

    Returns
    -------
    str

    Examples
    --------
    >>> draw_number_map(np.eye(1), [["0.5"]], ["sea"], ["sun"], note="", title="A loss")[:4]
    '<svg'
    """
    left, top = max(map(text_width, row_names)) + 12, 20.0
    parts = []
    for c, name in enumerate(column_names):
        parts.append(text(left + _WIDE * (c + 0.5), top - 8, name, anchor="middle", opacity=0.75))
    for r, name in enumerate(row_names):
        y = top + _HIGH * r
        parts.append(text(left - 8, y + _HIGH / 2 + 4, name, anchor="end", opacity=0.75))
        for c, words in enumerate(numbers[r]):
            x, depth = left + _WIDE * c, 0.06 + 0.64 * float(shares[r, c])
            parts.append(rectangle(x, y, _WIDE - 2, _HIGH - 2, fill=ink, opacity=depth, radius=3))
            parts.append(text(x + _WIDE / 2 - 1, y + _HIGH / 2 + 4, words, anchor="middle"))
    bottom = top + _HIGH * len(row_names)
    parts.append(text(left, bottom + 16, note, opacity=0.75))
    width = left + max(_WIDE * len(column_names), text_width(note))
    return picture(width, bottom + 24, parts, title)
