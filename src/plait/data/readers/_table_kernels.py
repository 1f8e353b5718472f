"""A kernel that checks the structure of separated text and spells it in one way.

Libraries differ in what they make of odd quotes, of rows that are too short and of blank lines. After this pass
nothing odd is left: every record has the same number of fields, quotes stand only around whole fields (doubled
inside), lines end with a line feed, and there are no blank lines.
"""

import numpy as np
from numba import njit

__all__ = ["GOOD", "OPEN_QUOTE", "RAGGED", "STRAY_QUOTE", "tidy_records"]

GOOD, RAGGED, STRAY_QUOTE, OPEN_QUOTE = 0, 1, 2, 3

_NEWLINE, _RETURN, _SPACE, _QUOTE = 10, 13, 32, 34


@njit(cache=True)
def _copy_quoted(text: np.ndarray, i: int, out: np.ndarray, o: int) -> tuple[int, int, int]:
    """Copy a quoted field; return where it ends in both (-1 if its quote is never closed) and its line ends."""
    out[o] = _QUOTE
    i, o, lines = i + 1, o + 1, 0
    while i < text.size:
        c = text[i]
        out[o] = c
        i, o = i + 1, o + 1
        lines += c == _NEWLINE or (c == _RETURN and not (i < text.size and text[i] == _NEWLINE))
        if c == _QUOTE:
            if i == text.size or text[i] != _QUOTE:
                return i, o, lines
            out[o] = _QUOTE
            i, o = i + 1, o + 1
    return -1, o, lines


@njit(cache=True)
def _copy_plain(text: np.ndarray, i: int, separator: int, out: np.ndarray, o: int) -> tuple[int, int, bool]:
    """Copy a field without quotes; return where it ends in both, and whether it holds only blanks."""
    blank = True
    while i < text.size:
        c = text[i]
        if c in (separator, _NEWLINE, _RETURN, _QUOTE):
            break
        blank = blank and c == _SPACE
        out[o] = c
        i, o = i + 1, o + 1
    return i, o, blank


@njit(cache=True)
def _copy_record(text: np.ndarray, i: int, separator: int, out: np.ndarray, o: int) -> tuple[int, int, int, int, int]:
    """Copy a record without its line end.

    Returns where it ends in both, its fields (0 if blank), the line ends in it, and what is wrong.
    """
    fields, lines = 0, 0
    while True:
        quoted = i < text.size and text[i] == _QUOTE
        blank = False
        if quoted:
            i, o, more = _copy_quoted(text, i, out, o)
            if i < 0:
                return i, o, fields, lines, OPEN_QUOTE
            lines += more
        else:
            i, o, blank = _copy_plain(text, i, separator, out, o)
        fields += 1
        if i == text.size or text[i] == _NEWLINE or text[i] == _RETURN:
            return i, o, (0 if blank and fields == 1 else fields), lines, GOOD
        if text[i] != separator:
            return i, o, fields, lines, STRAY_QUOTE
        out[o] = separator
        i, o = i + 1, o + 1


@njit(cache=True)
def tidy_records(text: np.ndarray, separator: int, out: np.ndarray) -> tuple[int, int, int, int, int, int, int]:
    """Copy all records in the one spelling; `out` needs room for one byte more than `text`.

    Returns
    -------
    size : int
        Bytes written.
    head : int
        Bytes of the first record, with its line end.
    records, width : int
        The number of records, and of fields in each.
    fault, line, fields : int
        What is wrong (or `GOOD`), in which line the record starts, and its number of fields.
    """
    i, o, head, records, width, line = 0, 0, 0, 0, 0, 1
    while i < text.size:
        start = o
        i, o, fields, lines, fault = _copy_record(text, i, separator, out, o)
        if fault == GOOD and fields and records and fields != width:
            fault = RAGGED
        if fault != GOOD:
            return o, head, records, width, fault, line, fields
        if i < text.size:
            i += 2 if text[i] == _RETURN and i + 1 < text.size and text[i + 1] == _NEWLINE else 1
        line += 1 + lines
        if not fields:
            o = start
            continue
        out[o] = _NEWLINE
        o += 1
        records += 1
        if records == 1:
            head, width = o, fields
    return o, head, records, width, GOOD, line, 0
