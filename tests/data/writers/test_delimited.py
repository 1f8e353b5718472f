"""CSV there and back."""

import gzip
import re
import string

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset
from plait.data.readers.delimited import read_csv
from plait.data.writers.delimited import write_csv

pytest.importorskip("pandas")
pytest.importorskip("polars")

names = st.text(
    alphabet=st.one_of(
        st.sampled_from(",;|\t\"'\r\n é\ufeff\x85#"), st.characters(codec="utf-8", exclude_characters="\0")
    ),
    min_size=1,
).filter(str.strip)


def matrix(data, n, d, values):
    rows = data.draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    return np.array(rows, dtype=np.float64).reshape(n, d)


@given(
    data=st.data(),
    n=st.integers(0, 4),
    d=st.integers(0, 3),
    q=st.integers(1, 3),
    suffix=st.sampled_from([".csv", ".tsv", ".csv.gz"]),
    library=st.sampled_from(["pandas", "polars"]),
)
def test_what_is_written_reads_back_the_same(tmp_path_factory, data, n, d, q, suffix, library):
    X = matrix(data, n, d, st.floats())
    Y = matrix(data, n, q, st.integers(0, 1))
    words = data.draw(st.lists(names, unique=True, min_size=d + q, max_size=d + q))
    dataset = Dataset(X, Y, words[:d], words[d:], name="a")
    path = tmp_path_factory.mktemp("csv") / f"a{suffix}"
    write_csv(dataset, path)
    found = read_csv(path, words[d:], library=library)
    assert found == dataset


@given(name=names, separator=st.sampled_from([",", ";", "\t", "|"]))
@example(name=";;;;", separator=",")
@example(name="\ufeffa", separator=",")
@example(name=" a", separator=",")
def test_names_are_safe_under_every_separator(tmp_path_factory, name, separator):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    dataset = Dataset([[1.5]], [[1]], [name], [name + "2"], name="a")
    write_csv(dataset, path, separator=separator)
    assert read_csv(path, -1) == dataset


def test_missing_values_alone_in_their_row_are_kept(tmp_path):
    dataset = Dataset([[np.nan], [1.0], [np.nan]], np.zeros((3, 0)), name="a")
    write_csv(dataset, tmp_path / "a.csv")
    assert read_csv(tmp_path / "a.csv", []) == dataset


def test_sparse_and_dense_give_the_same_file(tmp_path):
    X = sparse.random(600, 7, density=0.2, format="csr", random_state=0)
    Y = sparse.random(600, 3, density=0.4, format="csr", random_state=1).astype(bool).astype(np.uint8)
    write_csv(Dataset(X, Y), tmp_path / "sparse.csv")
    write_csv(Dataset(X.toarray(), Y.toarray()), tmp_path / "dense.csv")
    assert (tmp_path / "sparse.csv").read_bytes() == (tmp_path / "dense.csv").read_bytes()


def test_single_precision_is_written_exactly(tmp_path):
    X = np.array([[0.1], [1 / 3]], dtype=np.float32)
    write_csv(Dataset(X, [[0], [1]]), tmp_path / "a.csv")
    np.testing.assert_array_equal(read_csv(tmp_path / "a.csv", -1).X, X.astype(np.float64))


def test_packed_files_are_packed(tmp_path):
    write_csv(Dataset([[1.0]], [[1]]), tmp_path / "a.csv.gz")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == b"x0,y0\n1,1\n"


@pytest.mark.parametrize("bad", ["", "  ", "a\0b", "\ud800"])
def test_names_that_text_cannot_hold_are_refused_and_nothing_is_written(tmp_path, bad):
    with pytest.raises(DataError, match="names of columns that text can hold"):
        write_csv(Dataset([[1.0]], [[1]], [bad]), tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_names_must_differ(tmp_path):
    with pytest.raises(DataError, match=re.escape("features and labels with different names, but found 'a' twice")):
        write_csv(Dataset([[1.0]], [[1]], ["a"], ["a"]), tmp_path / "a.csv")
    with pytest.raises(DataError, match="at least one column"):
        write_csv(Dataset(np.ones((2, 0)), np.ones((2, 0))), tmp_path / "a.csv")


def test_the_separator_is_checked(tmp_path):
    with pytest.raises(ParameterError, match="write_csv needs separator to be"):
        write_csv(Dataset([[1.0]], [[1]]), tmp_path / "a.csv", separator=string.ascii_letters)
