"""Kernels that scan lines of `label,label index:value index:value ...`.

`text` is a block of bytes that ends with a line end; `stop` is the byte that ends a line early (`#` where comments are
allowed, else the line end itself). Scanning reads the common spelling only: where a line is spelt in another way
the kernel gives up the block, and the plain parser of `pair_lines` reads it or says what is wrong.
"""

import numpy as np

from plait.core.compilation import kernel
from plait.data.readers._number_kernels import number

__all__ = ["count_marks", "scan_number", "scan_rows"]

_NEWLINE, _SPACE, _COMMA, _COLON, _PLUS, _MINUS, _ZERO, _NINE, _QUESTION = 10, 32, 44, 58, 43, 45, 48, 57, 63
# Numbers of at most 18 digits fit a signed word of 64 bits.
_MOST_DIGITS = 18
_LARGEST_INDEX = 2**31 - 2


@kernel
def _blank(c: int) -> bool:
    return c == _SPACE or (9 <= c <= 13 and c != _NEWLINE)


@kernel
def _ends(c: int, stop: int) -> bool:
    return c in (_NEWLINE, stop) or _blank(c)


@kernel
def count_marks(text: np.ndarray) -> tuple[int, int, int]:
    """Return the numbers of line ends, colons and commas: how much room rows, pairs and labels can need."""
    newlines, colons, commas = 0, 0, 0
    for c in text:
        newlines += c == _NEWLINE
        colons += c == _COLON
        commas += c == _COMMA
    return newlines, colons, commas


@kernel
def _digits(text: np.ndarray, i: int, value: int) -> tuple[int, int]:
    """Return the number whose digits start at `i`, continued from `value`, and where they end."""
    while _ZERO <= text[i] <= _NINE:
        value = value * 10 + (int(text[i]) - _ZERO)
        i += 1
    return value, i


@kernel
def scan_number(text: np.ndarray, i: int, stop: int) -> tuple[float, int, bool]:
    """Return the number that starts at `i`, where its word ends, and whether the kernel could read it.

    Other words, and the few numbers that a double is not enough to round, are left to the caller.
    """
    end, value = number(text, i)
    if end > i and text[i] != _QUESTION and _ends(text[end], stop):
        return value, end, True
    while not _ends(text[i], stop):
        i += 1
    return 0.0, i, False


@kernel
def _scan_labels(text: np.ndarray, i: int, stop: int, labels: np.ndarray, n: int) -> tuple[int, int]:
    """Fill in the labels of the word at `i`; return its end (-1 if it is no list of labels) and the count.

    A word `12:...` is the first pair of a line without labels: then nothing is taken.
    """
    start, before = i, n
    while True:
        negative = text[i] == _MINUS
        if negative or text[i] == _PLUS:
            i += 1
        value, end = _digits(text, i, 0)
        if end == i or end - i > _MOST_DIGITS:
            return -1, before
        if text[end] == _COLON:
            return start, before
        labels[n] = -value if negative else value
        n += 1
        if _ends(text[end], stop):
            return end, n
        if text[end] != _COMMA:
            return -1, before
        i = end + 1


@kernel
def _scan_pairs(
    text: np.ndarray, i: int, stop: int, indices: np.ndarray, values: np.ndarray, n: int, hard: np.ndarray, n_hard: int
) -> tuple[int, int, int, bool]:
    """Fill in the pairs up to the line's end; return its position (-1 if broken), both counts and whether in order."""
    last, ordered = -1, True
    while True:
        while _blank(text[i]):
            i += 1
        if text[i] == _NEWLINE or text[i] == stop:
            return i, n, n_hard, ordered
        index, end = _digits(text, i, 0)
        if end == i or end - i > _MOST_DIGITS or text[end] != _COLON or index > _LARGEST_INDEX:
            return -1, n, n_hard, ordered
        value, i, exact = scan_number(text, end + 1, stop)
        if not exact:
            hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = n, end + 1, i
            n_hard += 1
        indices[n], values[n] = index, value
        ordered = ordered and index > last
        last = index
        n += 1


@kernel
def scan_rows(
    text: np.ndarray,
    stop: int,
    blank_rows: bool,
    labels: np.ndarray,
    label_ends: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    pair_ends: np.ndarray,
    lines: np.ndarray,
    hard: np.ndarray,
) -> tuple[int, int, bool]:
    """Scan a block; return the rows and the hard words found, and whether all indices were in order.

    Row r gets `labels[label_ends[r - 1]:label_ends[r]]`, likewise its pairs, and `lines[r]`, its line counted from 0.
    `hard` lists pairs whose number the caller must read: (pair, start, end). A block that is spelt otherwise gives
    -1 rows. A line of blanks is a row without labels and pairs if `blank_rows`, else it is passed over.
    """
    i, line, rows, n_labels, n_pairs, n_hard, ordered = 0, 0, 0, 0, 0, 0, True
    while i < text.size:
        while _blank(text[i]):
            i += 1
        empty = text[i] == _NEWLINE or text[i] == stop
        if not empty:
            i, n_labels = _scan_labels(text, i, stop, labels, n_labels)
            if i < 0:
                return -1, 0, False
            i, n_pairs, n_hard, in_order = _scan_pairs(text, i, stop, indices, values, n_pairs, hard, n_hard)
            if i < 0:
                return -1, 0, False
            ordered = ordered and in_order
        if not empty or blank_rows:
            label_ends[rows], pair_ends[rows], lines[rows] = n_labels, n_pairs, line
            rows += 1
        while text[i] != _NEWLINE:
            i += 1
        i += 1
        line += 1
    return rows, n_hard, ordered
