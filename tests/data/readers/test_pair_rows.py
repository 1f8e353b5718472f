"""Blocks of lines to arrays: kernel and plain parser agree on everything, whole or in pieces."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data import DataError
from plait.data.readers import pair_rows
from plait.data.readers.pair_rows import LineRow, PairRows, check_width, parse_lines, read_pair_rows

FIELDS = ("labels", "label_ends", "indices", "values", "pair_ends", "lines", "ordered", "n_bytes")

numbers = st.one_of(
    st.integers(-99, 99).map(str),
    st.floats().map(repr),
    st.sampled_from(["1e-3", "+.5", "7.", "NaN", "1.5e300", "123456789012345678901"]),
)
pairs = st.tuples(st.integers(0, 50), numbers).map(lambda pair: f"{pair[0]}:{pair[1]}")
label_lists = st.lists(st.integers(-5, 30).map(str), max_size=4).map(",".join)
blanks = st.sampled_from([" ", "  ", "\t", " \r", "\x0b", "\x0c"])
well_formed = st.builds(
    lambda labels, blank, words, end: labels + blank + blank.join(words) + end,
    label_lists,
    blanks,
    st.lists(pairs, max_size=5),
    st.sampled_from(["", " ", "\r", " # a note: 1:2", "#"]),
)
any_text = st.text(alphabet="0123456789:,# -+.e?\t\rqid_", max_size=20)


def lines_to_text(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def same(a: PairRows, b: PairRows) -> bool:
    bits = all(np.asarray(getattr(a, f)).tobytes() == np.asarray(getattr(b, f)).tobytes() for f in FIELDS)
    return bits and all(np.asarray(getattr(a, f)).dtype == np.asarray(getattr(b, f)).dtype for f in FIELDS)


@given(st.lists(st.one_of(well_formed, st.just("")), max_size=8), st.booleans(), st.booleans())
def test_many_lines_at_once_are_what_line_by_line_is(lines, comments, blank_rows):
    text = lines_to_text(lines if comments else [line.replace("#", "").replace("a note: 1:2", "") for line in lines])
    expected = pair_rows._parsed("f", text, 1, comments, blank_rows)
    by_kernel, by_columns = (read(text, 1, comments, blank_rows) for read in (pair_rows._scanned, pair_rows._split))
    assert by_kernel is not None
    assert same(by_kernel, expected)
    # Only words in the place of numbers (inf, nan) are left by one and not by the other.
    assert by_columns is not None or np.isinf(expected.values).any() or np.isnan(expected.values).any()
    assert by_columns is None or same(by_columns, expected)


@pytest.mark.parametrize("read", [pair_rows._scanned, pair_rows._split])
@given(lines=st.lists(st.one_of(any_text, well_formed), max_size=4), comments=st.booleans(), blank_rows=st.booleans())
def test_whatever_is_taken_at_once_is_taken_line_by_line_too(read, lines, comments, blank_rows):
    text = lines_to_text(lines)
    found = read(text, 1, comments, blank_rows)
    if found is not None:
        assert same(found, pair_rows._parsed("f", text, 1, comments, blank_rows))


@pytest.mark.parametrize(
    "line",
    [
        *("1 2:1_0", "1 2:?", "+3:1", "3,4:1", "1 2:1:2", "1 +2:1", "1 2:", "1,", "1 2147483647:1", "1 2:3:4 5"),
        *("1,+-2 1:1", "1-2 1:1", "10000000000000000000 1:1", "1 1:1\x1c", "1 00000000000000000001:1"),
    ],
)
def test_other_spellings_are_left_to_the_plain_parser(line):
    text = lines_to_text(["1 1:1", line])
    assert pair_rows._scanned(text, 1, True, False) is None
    assert pair_rows._split(text, 1, True, False) is None
    with pytest.raises(DataError, match="f, line 2"):
        read_pair_rows("f", [text])


@given(st.lists(well_formed, max_size=12), st.integers(0, 12))
def test_where_blocks_are_cut_does_not_matter(lines, cut):
    whole, parts = lines_to_text(lines), [lines_to_text(lines[:cut]), lines_to_text(lines[cut:])]
    assert same(read_pair_rows("f", [whole], comments=True), read_pair_rows("f", parts, comments=True))


def test_lines_are_counted_over_blocks_for_errors():
    with pytest.raises(DataError, match="f, line 4: expected pairs"):
        read_pair_rows("f", [b"1 1:1\n2 1:1\n", b"1 1:1\n1 x\n"])


def test_rows_become_matrices_in_order_and_without_zeros():
    rows = read_pair_rows("f", [b"7,3 4:1 2:5 3:0\n", b" 2:-1\n"])
    assert not rows.ordered
    X = rows.features("f", 3, first=2)
    np.testing.assert_array_equal(X.toarray(), [[5, 0, 1], [-1, 0, 0]])
    assert X.nnz == 3
    Y = rows.label_sets("f", np.array([1, 0]), 2)
    np.testing.assert_array_equal(Y.toarray(), [[1, 1], [0, 0]])
    assert rows.line_of(3, rows.pair_ends) == 2


@pytest.mark.parametrize("text", [b"1 1:1\n2:1\n1 5:1 3:1 5:2\n", b"\n2:1\n 5:1 5:1\n", b"5:1\n5:1\n5:1 5:2\n5:1\n"])
def test_an_index_that_stands_twice_in_a_row_is_refused(text):
    rows = read_pair_rows("f", [text], blank_rows=True)
    with pytest.raises(DataError, match="f, line 3: expected each feature once, but found index 5 twice"):
        rows.features("f", 5, first=1)


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=6))
def test_doubles_are_found_exactly_where_a_row_repeats_itself(lists):
    rows = read_pair_rows("f", [lines_to_text([",".join(map(str, row)) for row in lists])], blank_rows=True)
    first = next((i for i, row in enumerate(lists) if len(set(row)) < len(row)), None)
    if first is None:
        assert rows.label_sets("f", rows.labels, 4).sum() == sum(map(len, lists))
    else:
        with pytest.raises(DataError, match=f"f, line {first + 1}: expected each label once"):
            rows.label_sets("f", rows.labels, 4)


def test_the_width_is_bounded_by_the_length_of_the_file():
    check_width("f", 1, "features", 2**20, 10)
    check_width("f", 1, "features", 64 * 10**6, 10**6)
    with pytest.raises(DataError, match="f, line 1: expected at most 1048576 features in a file of 10 bytes"):
        check_width("f", 1, "features", 2**20 + 1, 10)
    with pytest.raises(DataError, match="at most 2147483647 labels"):
        check_width("f", 1, "labels", 2**31, 10**12)


def parse(text: bytes, comments: bool = True, blank_rows: bool = False) -> list[LineRow]:
    return list(parse_lines(text, "a.svm", 1, comments=comments, blank_rows=blank_rows))


@pytest.mark.parametrize(
    ("line", "labels", "pairs"),
    [
        (b"3,7 1:0.5 4:1 # both", [3, 7], {1: 0.5, 4: 1.0}),
        (b"3", [3], {}),
        (b" 2:1", [], {2: 1.0}),
        (b"2:1", [], {2: 1.0}),
        (b"\t+3,-4\t10:-1e-3\r", [3, -4], {10: -0.001}),
        (b"1 5:1#2:2", [1], {5: 1.0}),
        (b"1 2:inf 3:-Infinity", [1], {2: math.inf, 3: -math.inf}),
        (b"1 007:.5 8:5.", [1], {7: 0.5, 8: 5.0}),
    ],
)
def test_a_line_is_labels_and_pairs(line, labels, pairs):
    (row,) = parse(line + b"\n")
    assert row.labels == labels
    assert dict(zip(row.indices, row.values, strict=True)) == pairs


def test_missing_values_are_spelt_nan():
    assert math.isnan(parse(b"1 2:NaN\n")[0].values[0])


def test_lines_without_words_are_rows_only_where_asked_for():
    text = b"1 1:1\n\n  \n# nothing\n2 1:1\n"
    assert [row.line for row in parse(text)] == [1, 5]
    assert [row.line for row in parse(text, blank_rows=True)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"1,x 1:1", "whole numbers with commas between them as labels, but found '1,x'"),
        (b"1, 2 1:1", "whole numbers with commas between them as labels, but found '1,'"),
        (b"1.5 1:1", "whole numbers with commas between them as labels, but found '1.5'"),
        (b"9999999999999999999 1:1", "labels of at most 999999999999999999"),
        (b"-1000000000000000000 1:1", "labels of at most 999999999999999999"),
        (b"1 qid:3 1:1", "Remove it: rows are not ranked."),
        (b"1 2", "pairs index:value after the labels, but found '2'"),
        (b"1 -2:1", "pairs index:value after the labels, but found '-2:1'"),
        (b"1 :1", "pairs index:value after the labels, but found ':1'"),
        (b"1 2147483647:1", "feature indices of at most 2147483646, but found '2147483647'"),
        (b"1 " + b"9" * 5000 + b":1", "feature indices of at most 2147483646"),
        (b"1 2:", "a number after the colon, but found ''"),
        (b"1 2:1_0", "a number after the colon, but found '1_0'"),
        (b"1 2:1:3", "a number after the colon, but found '1:3'"),
        (b"1 2:0x10", "a number after the colon, but found '0x10'"),
        (b"1 2:?", "a number after the colon, but found '?'"),
        (b"1 2:\xff", "a number after the colon"),
    ],
)
def test_a_fault_is_named_with_its_line(line, expected):
    with pytest.raises(DataError) as caught:
        parse(b"1 1:1\n" + line + b"\n")
    assert str(caught.value).startswith("a.svm, line 2: expected")
    assert expected in str(caught.value)


def test_a_hash_is_a_fault_where_there_are_no_comments():
    with pytest.raises(DataError, match="pairs index:value after the labels, but found '#'"):
        parse(b"1 2:1 # note\n", comments=False)
