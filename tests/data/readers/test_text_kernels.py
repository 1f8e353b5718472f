"""The kernels against Python's own `float` and `bytes.count`."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plait.core.randomness import generator
from plait.data.readers._text_kernels import count_marks, number, scan_number

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


def read(text):
    """Return what the kernel makes of a text: the value, or None where it leaves it to Python."""
    block = np.frombuffer(text.encode() + b"\n", dtype=np.uint8)
    end, value = number(block, 0)
    return value if end == len(text) else None


def bits(value):
    return struct.pack("<d", value)


digits = st.text("0123456789", max_size=22)
exponents = st.one_of(st.just(""), st.integers(-400, 400).map(lambda e: f"e{e}"), st.integers(0, 40).map("E+{}".format))
texts = st.builds("{}{}{}{}".format, st.sampled_from(["", "-", "+"]), digits, digits.map(lambda d: "." + d), exponents)


@given(texts)
@example("0.30000000000000004")
@example("9007199254740993")
@example("9007199254740992.5")
@example("1e22")
@example("1e23")
@example("8.5e-320")
@example("1.7976931348623157e308")
@example("2.2250738585072011e-308")
@example("-0")
@example("-0e999")
def test_a_number_is_that_of_python_or_left_to_it(text):
    value = read(text)
    if value is not None:
        assert bits(value) == bits(float(text))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_shortest_text_of_any_double_reads_back(value):
    found = read(repr(value))
    # Only what is below the smallest normal number, or may be at the largest, is left to Python.
    if found is None:
        assert abs(value) < 2.3e-308 or abs(value) > 8.9e307
    else:
        assert bits(found) == bits(value)


def test_random_doubles_of_all_sizes_read_back():
    random = generator(0)
    values = random.integers(0, 2**64, size=20_000, dtype=np.uint64).view(np.float64)
    values = values[np.isfinite(values) & (abs(values) > 1e-307) & (abs(values) < 8e307)]
    assert len(values) > 19_000
    assert [read(repr(value)) for value in values.tolist()] == values.tolist()
    # With 19 digits most texts lie between two doubles, some near their middle.
    assert all(read(f"{value:.18e}") in (value, None) for value in values[:5000].tolist())


@pytest.mark.parametrize("power", [-300, -60, -22, 0, 3, 23, 60, 290])
def test_half_way_between_two_doubles(power):
    random = generator(power + 1000)
    for value in (random.random(200) * 10.0**power).tolist():
        middle = (Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2
        exponent = math.floor(math.log10(value)) - 18
        below = int(middle / Fraction(10) ** exponent)
        for w in (below - 1, below, below + 1):
            text = f"{w}e{exponent}"
            assert len(str(w)) <= 20
            assert read(text) in (float(text), None)


@pytest.mark.parametrize("text", ["", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+", "1e-", "--1", "+-1", "1e99999"])
def test_what_is_no_number_is_left(text):
    assert read(text) is None


@pytest.mark.parametrize("text", ["1.2.3", "1x", "1e5.5", "0x10", "1_000", "nan", "inf", "1e5e5"])
def test_a_number_ends_where_it_is_none_any_more(text):
    assert read(text) is None


@pytest.mark.parametrize("text", ["1e999", "1" * 400, "9" * 20, "1e-999"])
def test_what_needs_more_care_is_left(text):
    assert read(text) is None


def test_leading_zeros_do_not_count():
    text = "0." + "0" * 30 + "1234567890123456789"
    assert read(text) == float(text)


def test_missing():
    assert math.isnan(read("?"))
