"""Kernels that read plain ARFF rows: a block of bytes in, numbers in the caller's arrays out.

They know only what plain rows have: numbers, declared values, `?`, blanks, whole-line comments. At anything else
(quotes, escapes, weights, tabs between values, other bytes than ASCII, errors) they stop at the start of that line and
leave it to `RowParser`, whose results they equal bit for bit.

`read_rows` turns lines into pairs of an attribute's index and its value; `place_entries` puts those of sparse files in
their places. The parts of a row are inlined by Numba itself, since passing arrays to a function for every value costs
more than reading the value.

Notation
--------
block : bytes of whole lines, each ended by LF
places[j] : for attribute j (column of X, or -1 - column of Y; default)
domains[j] : which set of declared values attribute j has, or NUMBER or STRING
table, words : hash table over (domain, bytes of a declared value); a used place is (domain, start, length, code), where
    the value is words[start:start + length], a free one has FREE everywhere
attribute[k], value[k] : the pairs of all rows, one after the other
ends[r] : where the pairs of row r end
"""

from typing import Any

import numpy as np

from plait.core.compilation import kernel
from plait.data.readers._text_kernels import EXACT_POWERS, MOST_EXACT, number

__all__ = ["FREE", "NUMBER", "STRING", "fill_table", "place_entries", "read_rows"]

NUMBER, STRING = -1, -2
FREE = -1

_TAB, _LF, _BLANK, _PERCENT, _COMMA, _QUESTION, _OPEN, _CLOSE = (ord(c) for c in "\t\n %,?{}")
_MINUS, _DOT, _ZERO, _NINE, _SMALL_E, _LARGE_E = (ord(c) for c in "-.09eE")
_U1 = np.uint64(1)
_MOST_INDEX_DIGITS = 9
# So many, sign and point included, are surely less than 2^63.
_FEW_DIGITS = 18
_LONGEST_PROBE = 256
# The FNV-1a hash, started from the domain.
_SEED, _PRIME, _FOLD = np.uint64(14695981039346656037), np.uint64(1099511628211), np.uint64(29)

# The bytes of plain words.
_WORD = np.zeros(256, dtype=np.bool_)
_WORD[33:127] = True
_WORD[[ord(c) for c in "{}'\"\\%,"]] = False


@kernel
def fill_table(table: Any, words: Any, entries: Any) -> bool:
    """Enter all entries in the hash table; False if so many collide that looking up would be slow."""
    mask = np.uint64(len(table) - 1)
    for e in range(len(entries)):
        hashed = _SEED ^ np.uint64(entries[e, 0])
        for i in range(entries[e, 1], entries[e, 1] + entries[e, 2]):
            hashed = (hashed ^ np.uint64(words[i])) * _PRIME
        place = (hashed ^ (hashed >> _FOLD)) & mask
        probes = 0
        while table[place, 0] != FREE:
            place = (place + _U1) & mask
            probes += 1
            if probes > _LONGEST_PROBE:
                return False
        # Copying the row at once would take seconds to compile.
        for k in range(4):
            table[place, k] = entries[e, k]
    return True


@kernel(inline="always")
def _index(block: Any, at: int) -> tuple[int, int]:
    """Return where the index of a sparse value ends (-1: unusual), and the index."""
    start, j, c = at, 0, block[at]
    while _ZERO <= c <= _NINE:
        j = 10 * j + (c - _ZERO)
        at += 1
        c = block[at]
    return (at if 0 < at - start <= _MOST_INDEX_DIGITS and c == _BLANK else -1), j


@kernel(inline="always")
def _number(block: Any, at: int) -> tuple[int, float]:
    """Return where a number ends (-1: unusual), and its value; the usual one is read here, any other in a function."""
    first, w, scale, c = at, 0, 0, block[at]
    if c == _MINUS:
        at += 1
        c = block[at]
    while _ZERO <= c <= _NINE:
        w = 10 * w + (c - _ZERO)
        at += 1
        c = block[at]
    if c == _DOT:
        scale = at + 1
        while True:
            at += 1
            c = block[at]
            if not _ZERO <= c <= _NINE:
                break
            w = 10 * w + (c - _ZERO)
        scale = at - scale
    after_digit = _ZERO <= block[at - 1] <= _NINE and c != _SMALL_E and c != _LARGE_E
    if after_digit and at - first <= _FEW_DIGITS and w <= MOST_EXACT:
        return at, (-1.0 if block[first] == _MINUS else 1.0) * w / EXACT_POWERS[scale]
    return number(block, first)


@kernel(inline="always")
def _word(block: Any, at: int, domain: int, table: Any, words: Any) -> tuple[int, float]:
    """Return where a word ends, and its code: NaN for `?`, -1 for a word that is not declared."""
    mask = np.uint64(len(table) - 1)
    first, hashed = at, _SEED ^ np.uint64(domain)
    while _WORD[block[at]]:
        hashed = (hashed ^ np.uint64(block[at])) * _PRIME
        at += 1
    place = (hashed ^ (hashed >> _FOLD)) & mask
    while table[place, 0] != FREE:
        i, shift = first, table[place, 1] - first
        if table[place, 0] == domain and table[place, 2] == at - first:
            while i < at and words[i + shift] == block[i]:
                i += 1
            if i == at:
                break
        place = (place + _U1) & mask
    code: Any = np.float64(table[place, 3])
    if code < 0:
        if at == first + 1 and block[first] == _QUESTION:
            code = np.nan
        elif at > first and domain == STRING:
            code = 0.0
    return at, code


@kernel(inline="always")
def _row(
    block: Any,
    at: int,
    sparse: bool,
    places: Any,
    domains: Any,
    table: Any,
    words: Any,
    attribute: Any,
    value: Any,
    n: int,
) -> tuple[int, int]:
    """Read one row; return where the next line starts (-1: unusual), and the pairs so far."""
    least, j, x = 0, 0, 0.0
    at += sparse
    while block[at] == _BLANK:
        at += 1
    at_end = sparse and block[at] == _CLOSE
    while not at_end:
        j = least
        if sparse:
            at, j = _index(block, at)
            if at < 0 or j < least:
                return -1, n
            while block[at] == _BLANK:
                at += 1
        if j >= len(domains):
            return -1, n
        if domains[j] == NUMBER:
            at, x = _number(block, at)
            if at < 0:
                return -1, n
        else:
            at, x = _word(block, at, domains[j], table, words)
            if x < 0:
                return -1, n
        attribute[n], value[n] = j, x
        n, least = n + 1, j + 1
        while block[at] == _BLANK:
            at += 1
        at_end = block[at] == _CLOSE if sparse else block[at] == _LF and least == len(domains)
        if not at_end:
            if block[at] != _COMMA:
                return -1, n
            at += 1
            while block[at] == _BLANK:
                at += 1
    at += sparse
    while block[at] == _BLANK:
        at += 1
    return (at + 1 if block[at] == _LF else -1), n


@kernel
def read_rows(
    block: Any, at: int, places: Any, domains: Any, table: Any, words: Any, attribute: Any, value: Any, ends: Any
) -> tuple[int, int, int, bool]:
    """Read rows from position `at` on, up to the end of the block or the first line that is not plain.

    Returns
    -------
    at, rows, lines : int
        Where it stopped, rows read and lines passed.
    sparse : bool
        Whether one of them is sparse.
    """
    n, rows, lines, any_sparse = 0, 0, 0, False
    while at < len(block):
        first = at
        while block[first] == _BLANK or block[first] == _TAB:
            first += 1
        if block[first] == _PERCENT:
            while block[first] != _LF:
                first += 1
        if block[first] == _LF:
            at = first + 1
        else:
            sparse = block[first] == _OPEN
            after, n = _row(block, first, sparse, places, domains, table, words, attribute, value, n)
            if after < 0:
                break
            at = after
            ends[rows] = n
            rows += 1
            any_sparse |= sparse
        lines += 1
    return at, rows, lines, any_sparse


@kernel
def place_entries(
    attribute: Any, value: Any, ends: Any, places: Any, columns: Any, data: Any, x_ends: Any, labels: Any, y_ends: Any
) -> None:
    """Append the pairs that differ from their attribute's default to two matrices in CSR form.

    An unknown label stands there as -1 - its column. The ends of rows have an entry more than there are rows: the first
    is that of the row before.
    """
    k, n, m = 0, x_ends[0], y_ends[0]
    for r in range(len(ends)):
        while k < ends[r]:
            j = attribute[k]
            column = places[j, 0]
            if value[k] != places[j, 1]:
                if column >= 0:
                    columns[n], data[n] = column, value[k]
                    n += 1
                else:
                    labels[m] = -1 - column if value[k] == value[k] else column
                    m += 1
            k += 1
        x_ends[r + 1], y_ends[r + 1] = n, m
