import bz2
import gzip
import lzma
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.readers.arff_text import as_number, decoded, is_comment, text_blocks, unquoted


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("'a b'", "a b"),
        ('"it\'s"', "it's"),
        (r"'it\'s'", "it's"),
        (r'"\"q\""', '"q"'),
        (r"'\\'", "\\"),
        (r"'a\nb\tc\rd'", "a\nb\tc\rd"),
        (r"'100\%'", "100%"),
        (r"'\u00e9\u001f'", "\u00e9\x1f"),
        (r"'\ud83d\ude00'", "\U0001f600"),
        (r"'\u12'", "u12"),
        (r"'\ud83d'", None),
        ("''", ""),
    ],
)
def test_unquoted(text, plain):
    assert unquoted(text) == plain


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escaped_text_comes_back(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    assert unquoted(f"'{escaped}'") == text


@given(st.from_regex(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?", fullmatch=True))
def test_numbers_are_those_of_python(text):
    assert as_number(text) == float(text)


@pytest.mark.parametrize(
    "text", ["", " 1", "1 ", "1_0", "nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "0x1", "1,5", "١", "1f"]
)
def test_what_is_no_finite_number(text):
    assert as_number(text) is None


def test_a_very_long_number_takes_no_time():
    start = time.process_time()
    assert as_number("0." + "3" * 10**6) == 1 / 3
    assert as_number("1" * 10**6) is None
    assert as_number("1" * 10**6 + "x") is None
    assert time.process_time() - start < 2


def test_lines_that_are_not_utf8_are_latin1():
    assert decoded("é".encode()) == "é"
    assert decoded("é".encode("latin-1")) == "é"


@pytest.mark.parametrize(("line", "comment"), [("", True), (" \t", True), ("% x", True), ("\t%", True), ("x %", False)])
def test_is_comment(line, comment):
    assert is_comment(line) == comment


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_have_one_kind_of_line_end_and_no_mark(tmp_path, suffix, end):
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
    path = tmp_path / f"a.arff{suffix}"
    path.write_bytes(pack("\ufeffä\nb\n\nc".replace("\n", end).encode()))
    assert b"".join(text_blocks(path)) == "ä\nb\n\nc\n".encode()
