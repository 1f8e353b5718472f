"""The plain parser: what each line means, and what it says about a line that means nothing."""

import math

import pytest

from plait.data import DataError
from plait.data.readers.pair_lines import LineRow, parse_lines


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
