"""Kernels that check the structure of separated text, spell it in one way, and read its columns of numbers.

Libraries differ in what they make of odd quotes, of rows that are too short and of blank lines. After this pass
nothing odd is left: every record has the same number of fields, quotes stand only around whole fields (doubled
inside), lines end with a line feed, and there are no blank lines.
"""

import numpy as np

from plait.core.compilation import kernel
from plait.data.readers._number_kernels import number

__all__ = ["GOOD", "OPEN_QUOTE", "RAGGED", "STRAY_QUOTE", "read_numbers", "tidy_records"]

GOOD, RAGGED, STRAY_QUOTE, OPEN_QUOTE = 0, 1, 2, 3

_NEWLINE, _RETURN, _SPACE, _QUOTE = 10, 13, 32, 34
_IN_NUMBERS = np.zeros(256, dtype=np.bool_)
_IN_NUMBERS[np.frombuffer(b"0123456789+-.eE", dtype=np.uint8)] = True


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
def _cell(text: np.ndarray, i: int, separator: int) -> tuple[int, int, int]:
    """Return where the content of the tidy field at `i` starts and ends, without blanks, and where the field ends."""
    if text[i] == _QUOTE:
        start, end = i + 1, i + 1
        while text[end] != _QUOTE or text[end + 1] == _QUOTE:
            end += 2 if text[end] == _QUOTE else 1
        after = end + 1
    else:
        start, end = i, i
        while text[end] != separator and text[end] != _NEWLINE:
            end += 1
        after = end
    while start < end and text[start] == _SPACE:
        start += 1
    while start < end and text[end - 1] == _SPACE:
        end -= 1
    return start, end, after


@kernel
def _is_missing(text: np.ndarray, start: int, end: int, missing: np.ndarray) -> bool:
    """Say whether the content is one of the words in `missing`, which are filled up with zeros."""
    if end - start > missing.shape[1]:
        return False
    for word in missing:
        same = True
        for k in range(missing.shape[1]):
            same = same and word[k] == (text[start + k] if start + k < end else 0)
        if same:
            return True
    return False


@kernel
def _looks_like_a_number(text: np.ndarray, start: int, end: int) -> bool:
    k = start
    while k < end and _IN_NUMBERS[text[k]]:
        k += 1
    return k == end


@kernel
def read_numbers(
    text: np.ndarray, separator: int, missing: np.ndarray, numbers: np.ndarray, is_words: np.ndarray, hard: np.ndarray
) -> int:
    """Read the fields of tidy records as numbers, column by column as long as all of a column are.

    Parameters
    ----------
    text : ndarray of uint8
        What `tidy_records` wrote.
    separator : int
        What stands between fields.
    missing : ndarray of uint8 of shape (n_words, longest)
        The words that stand for a missing value, filled up with zeros.
    numbers : ndarray of shape (n_records, n_columns)
        Takes the numbers, NaN where one is missing.
    is_words : ndarray of bool of shape (n_columns,)
        Becomes true for a column with something that is neither a number nor missing.
    hard : ndarray of shape (most, 4)
        Takes what the caller must read: record, column, start and end. Where there is no room, the column is words.

    Returns
    -------
    n_hard : int
        How many are hard.
    """
    i, record, column, n_hard = 0, 0, 0, 0
    while i < text.size:
        start, end, i = _cell(text, i, separator)
        if not is_words[column]:
            stop, value = number(text, start)
            if stop == end and end > start:
                numbers[record, column] = value
            elif _is_missing(text, start, end, missing):
                numbers[record, column] = np.nan
            elif n_hard < hard.shape[0] and _looks_like_a_number(text, start, end):
                hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2], hard[n_hard, 3] = record, column, start, end
                n_hard += 1
            else:
                is_words[column] = True
        column += 1
        if text[i] == _NEWLINE:
            record, column = record + 1, 0
        i += 1
    return n_hard
