"""Kernels that read decimal numbers, and lines of `label,label index:value index:value ...`.

A number is read exactly as Python's float does, or left to Python: it is w 10^q with the integer w of its digits. If
w <= 2^53 and |q| <= 22, both w and 10^|q| are doubles and one multiplication or division rounds correctly
[Clinger1990]. Else, with at most 19 digits, the product of w and the top 128 bits of 5^q gives the nearest double
unless it lies too close to a half-way point [Lemire2021]; then, and for subnormal and infinite results, the kernel
gives up.

For lines, `text` is a block of bytes that ends with a line end; `stop` is the byte that ends a line early (`#` where
comments are allowed, else the line end itself). Scanning reads the common spelling only: where a line is spelt in
another way the kernel gives up the block, and the plain parser of `pair_rows` reads it or says what is wrong.
"""

from math import ldexp
from typing import Any

import numpy as np

from plait.core.compilation import kernel

__all__ = ["EXACT_POWERS", "MOST_EXACT", "count_marks", "number", "scan_number", "scan_rows"]

_LEAST_POWER, _MOST_POWER = -342, 308
_MOST_DIGITS = 19
_MOST_EXPONENT_DIGITS = 4
MOST_EXACT = 2**53
EXACT_POWERS = np.array([10.0**k for k in range(23)])

_PLUS, _MINUS, _DOT, _ZERO, _NINE, _SMALL_E, _LARGE_E, _QUESTION = (ord(c) for c in "+-.09eE?")

_U0, _U1, _U32, _LOW_HALF = np.uint64(0), np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
_ALMOST_ALL_ONES = np.uint64(2**64 - 2)
# Of the product 55 bits are needed (53, one for rounding, one that may be 0 at the top): these are the 9 below.
_BELOW = np.uint64(0x1FF)


def _power_of_five(q: int) -> int:
    """Return the 128 leading bits of 5^q, cut for q >= 0 and rounded up for q < 0 [Lemire2021]."""
    if q >= 0:
        power = 5**q
        shift = 128 - power.bit_length()
        return power << shift if shift >= 0 else power >> -shift
    power = 5**-q
    return (1 << (power.bit_length() + 127)) // power + 1


_POWERS = [_power_of_five(q) for q in range(_LEAST_POWER, _MOST_POWER + 1)]
_HIGH = np.array([power >> 64 for power in _POWERS], dtype=np.uint64)
_LOW = np.array([power & (2**64 - 1) for power in _POWERS], dtype=np.uint64)


@kernel
def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the high and the low half of the product of two 64-bit numbers."""
    a1, a0, b1, b0 = a >> _U32, a & _LOW_HALF, b >> _U32, b & _LOW_HALF
    middle = a1 * b0 + ((a0 * b0) >> _U32)
    other = a0 * b1 + (middle & _LOW_HALF)
    return a1 * b1 + (middle >> _U32) + (other >> _U32), a * b


@kernel
def _normalised(w: Any) -> tuple[Any, int]:
    """Return w shifted until its top bit is set, and by how much."""
    shift = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == _U0:
            w <<= np.uint64(step)
            shift += step
    return w, shift


@kernel
def _nearest(w: Any, q: int) -> float:
    """Return the double nearest to w 10^q for w > 0, or -1 where that cannot be told [Lemire2021, Algorithm 1]."""
    if q < _LEAST_POWER or q > _MOST_POWER:
        return -1.0
    w, shift = _normalised(w)
    high, low = _product(w, _HIGH[q - _LEAST_POWER])
    if high & _BELOW == _BELOW:
        second, _ = _product(w, _LOW[q - _LEAST_POWER])
        low += second
        if low < second:
            high += _U1
    top = high >> np.uint64(63)
    mantissa = high >> (top + np.uint64(9))
    # What was cut off is less than 2 here, what was rounded up less than 1: it could carry, or hide a half-way point.
    half_way = low <= _U1 and mantissa & _U1 == _U1 and mantissa << (top + np.uint64(9)) == high
    if low >= _ALMOST_ALL_ONES or half_way:
        return -1.0
    mantissa = (mantissa + (mantissa & _U1)) >> _U1
    # 5^q has floor(q log2 5) + 1 bits, so the product's top bit stands for 2^(floor(q log2 10) + 63 - shift + top).
    exponent = ((217706 * q) >> 16) + 63 - shift + int(top)
    if exponent <= -1022 or exponent >= 1023:
        return -1.0
    return ldexp(np.float64(mantissa), exponent - 52)


@kernel
def _exponent(block: Any, at: int) -> tuple[int, int]:
    """Return where an exponent such as e-5 ends (-1: broken or too long), and its value."""
    at += 1
    negative = block[at] == _MINUS
    if negative or block[at] == _PLUS:
        at += 1
    start = at
    q = 0
    while _ZERO <= block[at] <= _NINE:
        q = 10 * q + (block[at] - _ZERO)
        at += 1
        if at - start > _MOST_EXPONENT_DIGITS:
            return -1, 0
    if at == start:
        return -1, 0
    return at, -q if negative else q


@kernel
def _scaled(w: Any, q: int) -> float:
    if w == _U0:
        return 0.0
    if w <= np.uint64(MOST_EXACT) and -22 <= q <= 22:
        return np.int64(w) / EXACT_POWERS[-q] if q < 0 else np.int64(w) * EXACT_POWERS[q]
    return _nearest(w, q)


@kernel
def number(block: Any, at: int) -> tuple[int, float]:
    """Read a number or `?` (NaN); return where it ends and its value, or -1 where it has to be left to Python.

    The block must end with a byte that belongs to no number.
    """
    if block[at] == _QUESTION:
        return at + 1, np.nan
    negative = block[at] == _MINUS
    if negative or block[at] == _PLUS:
        at += 1
    w: Any = _U0
    n_significant, n_digits, scale = 0, 0, 0
    while _ZERO <= block[at] <= _NINE or (block[at] == _DOT and scale == 0):
        if block[at] == _DOT:
            scale = at + 1
        else:
            w = w * np.uint64(10) + np.uint64(block[at] - _ZERO)
            n_significant += w > _U0
            n_digits += 1
        if n_significant > _MOST_DIGITS:
            return -1, 0.0
        at += 1
    q = scale - at if scale > 0 else 0
    if n_digits > 0 and (block[at] == _SMALL_E or block[at] == _LARGE_E):
        at, power = _exponent(block, at)
        q += power
    value = _scaled(w, q) if n_digits > 0 and at >= 0 else -1.0
    if value < 0:
        return -1, 0.0
    return at, -value if negative else value


_NEWLINE, _SPACE, _COMMA, _COLON = 10, 32, 44, 58
# Numbers of at most 18 digits fit a signed word of 64 bits.
_MOST_INDEX_DIGITS = 18
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
        if end == i or end - i > _MOST_INDEX_DIGITS:
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
        if end == i or end - i > _MOST_INDEX_DIGITS or text[end] != _COLON or index > _LARGEST_INDEX:
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
