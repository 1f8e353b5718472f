"""The kernels against Python's own `float` and `bytes.count`."""

import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from plait.data.readers._pair_kernels import count_marks, scan_number

NEWLINE, HASH = 10, 35

decimals = st.from_regex(r"[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})([eE][+-]?\d{1,3})?", fullmatch=True).filter(
    str.isascii
)


def scan(word: bytes, stop: int = HASH, after: bytes = b"\n"):
    return scan_number(np.frombuffer(word + after, dtype=np.uint8), 0, stop)


@given(st.one_of(decimals, st.floats(allow_nan=False, allow_infinity=False).map(repr), st.integers().map(str)))
@example("9007199254740993")
@example("9007199254740992")
@example("-0")
@example("1e22")
@example("1e23")
@example("123456789012345678901234567890")
def test_a_number_called_exact_is_the_double_nearest_to_its_word(word):
    value, end, exact = scan(word.encode())
    assert end == len(word)
    if exact:
        assert math.copysign(1.0, value) == math.copysign(1.0, float(word))
        assert value == float(word)


@given(st.integers(-(10**6), 10**6), st.integers(0, 9))
def test_short_numbers_are_all_read_by_the_kernel(whole, places):
    word = f"{whole / 10**places:.{places}f}"
    assert scan(word.encode())[2]


@given(st.text(alphabet="0123456789+-.eE:_naif,x", max_size=12))
def test_what_is_no_number_is_never_called_exact(word):
    try:
        expected = float(word)
    except ValueError:
        expected = None
    value, end, exact = scan(word.encode())
    assert end == len(word)
    assert not exact or value == expected


def test_a_word_ends_at_blanks_line_ends_and_comments():
    for after in (b" 2:1\n", b"\t\n", b"\r\n", b"#\n", b"\n"):
        assert scan(b"1.5", after=after) == (1.5, 3, True)
    assert not scan(b"1.5", stop=NEWLINE, after=b"#\n")[2]


@given(st.binary())
def test_marks_are_counted(text):
    counts = count_marks(np.frombuffer(text, dtype=np.uint8))
    assert counts == (text.count(b"\n"), text.count(b":"), text.count(b","))
