"""The structure of separated text: what is tidied, what is refused, and Python's csv module as the oracle."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.readers._table_kernels import GOOD, OPEN_QUOTE, RAGGED, STRAY_QUOTE, read_numbers, tidy_records


def tidy(text: bytes, separator: str = ","):
    out = np.empty(len(text) + 1, dtype=np.uint8)
    size, *rest = tidy_records(np.frombuffer(text, dtype=np.uint8), ord(separator), out)
    return out[:size].tobytes(), *rest


@pytest.mark.parametrize(
    ("text", "tidied", "records", "width"),
    [
        (b"a,b\n1,2\n", b"a,b\n1,2\n", 2, 2),
        (b"a,b\r\n1,2", b"a,b\n1,2\n", 2, 2),
        (b"a,b\r1,2\r", b"a,b\n1,2\n", 2, 2),
        (b"\n\na,b\n  \n1,2\n\r\n\n", b"a,b\n1,2\n", 2, 2),
        (b'"a\nb",""\n,\n', b'"a\nb",""\n,\n', 2, 2),
        (b'"a""b"\n""\n', b'"a""b"\n""\n', 2, 1),
        (b"a\n \n1\n", b"a\n1\n", 2, 1),
        (b"", b"", 0, 0),
        (b"\n \n", b"", 0, 0),
    ],
)
def test_records_are_spelt_in_one_way(text, tidied, records, width):
    found, _, n, n_fields, fault, *_ = tidy(text)
    assert (found, n, n_fields, fault) == (tidied, records, width, GOOD)


@pytest.mark.parametrize(
    ("text", "fault", "line"),
    [
        (b"a,b\n1\n", RAGGED, 2),
        (b"a,b\n\n1,2\n1,2,3\n", RAGGED, 4),
        (b'a,b\n"x\r\ny\rz",1\n1\n', RAGGED, 5),
        (b'a,b\n1"2,3\n', STRAY_QUOTE, 2),
        (b'a,b\n1, "2"\n', STRAY_QUOTE, 2),
        (b'a,b\n"1"2,3\n', STRAY_QUOTE, 2),
        (b'a,b\n1,2\n"1,3\n', OPEN_QUOTE, 3),
        (b'a,b\n"1""', OPEN_QUOTE, 2),
    ],
)
def test_faults_are_found_in_their_line(text, fault, line):
    *_, found, at, _ = tidy(text)
    assert (found, at) == (fault, line)


fields = st.text(alphabet='ab1 ,;"\r\né', max_size=5)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(fields, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(tables, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_what_the_csv_module_writes_is_good_and_reads_back_the_same(table, separator, end, quote_all):
    text = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_NONNUMERIC
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows(table)
    found, head, records, width, fault, *_ = tidy(text.getvalue().encode(), separator)
    assert (records, width, fault) == (len(table), len(table[0]), GOOD)
    assert list(csv.reader(io.StringIO(found.decode(), newline=""), delimiter=separator, strict=True)) == table
    first = csv.reader(io.StringIO(found[:head].decode(), newline=""), delimiter=separator, strict=True)
    assert list(first) == table[:1]


@given(st.text(alphabet='ab1 ,"\r\n', max_size=30))
def test_whatever_is_called_good_is_so_to_a_strict_reader_too(text):
    found, _, records, width, fault, *_ = tidy(text.encode())
    if fault == GOOD:
        rows = list(csv.reader(io.StringIO(found.decode(), newline=""), strict=True))
        assert len(rows) == records
        assert {len(row) for row in rows} <= {width}


MISSING = np.array([[0, 0], [ord("N"), ord("A")]], dtype=np.uint8)


def numbers_of(text: bytes, n_rows: int, width: int, most_hard: int = 10):
    numbers, is_words = np.full((n_rows, width), -99.0), np.zeros(width, dtype=bool)
    hard = np.empty((most_hard, 4), dtype=np.int64)
    n_hard = read_numbers(np.frombuffer(text, dtype=np.uint8), ord(","), MISSING, numbers, is_words, hard)
    return numbers, is_words.tolist(), [text[start:end] for _, _, start, end in hard[:n_hard].tolist()]


def test_numbers_are_read_until_a_column_holds_a_word():
    text = b'1, 2.5 ,x,"3",1e-3\nNA,,1," NA ",a\n-0,"","a,b",7,\n'
    numbers, is_words, hard = numbers_of(text, 3, 5)
    assert is_words == [False, False, True, False, True]
    nan = np.nan
    np.testing.assert_array_equal(numbers[:, [0, 1, 3]], [[1, 2.5, 3], [nan, nan, nan], [0, nan, 7]])
    assert hard == []


def test_what_looks_like_a_number_is_left_to_the_caller_while_there_is_room():
    text = b"1e999,1\n--5,2\n3,1e-999\n"
    _, is_words, hard = numbers_of(text, 3, 2)
    assert (is_words, hard) == ([False, False], [b"1e999", b"--5", b"1e-999"])
    _, is_words, hard = numbers_of(text, 3, 2, most_hard=1)
    assert (is_words, hard) == ([True, True], [b"1e999"])
