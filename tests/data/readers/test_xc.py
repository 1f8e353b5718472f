"""The format of the extreme classification repository: read, and its head held to its word."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data import DataError
from plait.data.readers.xc import is_xc_head, read_xc


def write(tmp_path, text, name="train.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def plain_read(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Read a well-formed file by the words of the format's description."""
    head, *lines = text.split("\n")
    n, d, q = map(int, head.split())
    X, Y = np.zeros((n, d)), np.zeros((n, q), dtype=np.uint8)
    for i, line in enumerate(lines[:n]):
        labels, *pairs = line.split(" ")
        for label in filter(None, labels.split(",")):
            Y[i, int(label)] = 1
        for pair in filter(None, pairs):
            index, value = pair.split(":")
            X[i, int(index)] = float(value)
    return X, Y


rows = st.tuples(
    st.lists(st.integers(0, 4), unique=True, max_size=5),
    st.dictionaries(st.integers(0, 6), st.floats(allow_nan=False), max_size=7),
)


@given(st.lists(rows, max_size=6), st.integers(0, 2))
def test_what_the_format_says_is_what_is_read(tmp_path_factory, content, blank_lines):
    lines = [
        ",".join(map(str, labels)) + " " + " ".join(f"{j}:{v!r}" for j, v in pairs.items()) for labels, pairs in content
    ]
    text = f"{len(lines)} 7 5\n" + "".join(line + "\n" for line in lines) + "\n" * blank_lines
    found = read_xc(write(tmp_path_factory.mktemp("xc"), text))
    X, Y = plain_read(text)
    np.testing.assert_array_equal(found.X.toarray(), X)
    np.testing.assert_array_equal(found.Y.toarray(), Y)
    assert found.label_names == ("0", "1", "2", "3", "4")


def test_rows_without_labels_and_without_anything(tmp_path):
    found = read_xc(write(tmp_path, "4 3 2\r\n0,1 0:1 2:3\r\n 1:2\r\n\r\n1\r\n"))
    np.testing.assert_array_equal(found.X.toarray(), [[1, 0, 3], [0, 2, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(found.Y.toarray(), [[1, 1], [0, 0], [0, 0], [0, 1]])
    assert found.name == "train"


def test_a_head_alone_is_a_data_set_without_rows(tmp_path):
    assert read_xc(write(tmp_path, "0 3 2\n")).X.shape == (0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the numbers of rows, features and labels, but found none"),
        ("1,2 0:1\n", "line 1: expected the numbers of rows, features and labels, but found '1,2 0:1'"),
        ("2 3 2\n0 0:1\n", "expected the 2 rows that line 1 states, but found 1"),
        ("1 3 2\n0 0:1\n1 1:1\n", "expected the 1 rows that line 1 states, but found 2"),
        ("1 3 2\n0 0:1\n\n1 1:1\n", "expected the 1 rows that line 1 states, but found 3"),
        ("2 3 2\n0 0:1\n0 3:1\n", "line 3: expected features from 0 to 2 as line 1 states, but found feature 3"),
        ("1 3 2\n0,2 0:1\n", "line 2: expected labels from 0 to 1 as line 1 states, but found label 2"),
        ("1 3 2\n-1 0:1\n", "line 2: expected labels from 0 to 1 as line 1 states, but found label -1"),
        ("1 3 2\n0,0 0:1\n", "line 2: expected each label once"),
        ("1 3 2\n0 1:1 1:2\n", "line 2: expected each feature once, but found index 1 twice"),
        ("1 3 2\n0 1:x\n", "line 2: expected a number after the colon, but found 'x'"),
        ("1 1000000000 2\n0 1:1\n", "line 1: expected at most 1048576 features in a file of"),
        ("1 2 1000000000\n0 1:1\n", "line 1: expected at most 1048576 labels in a file of"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read_xc(write(tmp_path, text))


def test_a_boasting_head_takes_no_memory(tmp_path):
    path = write(tmp_path, "999999999999999 999999999999999 999999999999999\n0 1:1\n")
    tracemalloc.start()
    try:
        with pytest.raises(DataError):
            read_xc(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_only_three_whole_numbers_are_a_head():
    assert is_xc_head(b"\xef\xbb\xbf1 2 3\r")
    assert not is_xc_head(b"1 2")
    assert not is_xc_head(b"1 2 3 4")
    assert not is_xc_head(b"1 1:2 3:4")
