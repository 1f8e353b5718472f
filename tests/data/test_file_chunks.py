"""Files in chunks hold the rows of the whole file, whatever the size of a chunk."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.data import DataError, Dataset, chunks, load_dataset, save_dataset
from plait.data.conversion import files
from plait.data.synthetic import make_tagged_text


def dense(matrix):
    """Return a matrix as an array."""
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def same(parts, whole):
    """Assert that chunks hold the rows and names of a data set."""
    parts = list(parts)
    assert np.array_equal(np.vstack([dense(part.X) for part in parts]), dense(whole.X))
    assert np.array_equal(np.vstack([dense(part.Y) for part in parts]), dense(whole.Y))
    for part in parts:
        assert part.label_names == whole.label_names
        assert part.feature_names == whole.feature_names


@pytest.fixture
def small_blocks(monkeypatch):
    """Let files be read a few bytes at a time."""
    monkeypatch.setattr(files, "_BLOCK", 200)


TEXT = make_tagged_text(150, 40, 6, random_state=0)
TABLE = Dataset(
    np.random.default_rng(0).normal(size=(150, 3)).round(3),
    np.random.default_rng(1).integers(0, 2, (150, 2)),
    ["size", "depth", "age"],
    ["sea", "sun"],
)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("suffix", [".svm", ".svm.gz", ".txt"])
@pytest.mark.parametrize("size", [1, 1000, 10**9])
def test_sparse_text(tmp_path, suffix, size):
    """LIBSVM and XC, packed or not."""
    file = tmp_path / f"songs{suffix}"
    save_dataset(TEXT, file)
    found = chunks(file, chunk_bytes=size)
    same(found, load_dataset(file))
    same(found, load_dataset(file))  # again
    assert len(list(found)) > 10 or size > 1


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".csv.gz"])
@pytest.mark.parametrize("size", [1, 1000, 10**9])
def test_tables(tmp_path, suffix, size):
    """CSV and Parquet."""
    file = tmp_path / f"beach{suffix}"
    save_dataset(TABLE, file)
    found = chunks(file, labels=["sea", "sun"], chunk_bytes=size)
    same(found, load_dataset(file, labels=["sea", "sun"]))
    assert found.label_names == ("sea", "sun")
    assert found.feature_names == ("size", "depth", "age")


def test_folder(tmp_path):
    """Files of a folder in the order of their names; columns are those of all files together."""
    for number, rows in enumerate(np.array_split(np.arange(150), 3)):
        save_dataset(TEXT.rows(rows), tmp_path / f"part-{number}.svm")
    save_dataset(TEXT, tmp_path / "whole.libsvm")
    whole = load_dataset(tmp_path / "whole.libsvm")
    (tmp_path / "whole.libsvm").unlink()
    (tmp_path / "_SUCCESS").write_text("")
    same(chunks(tmp_path), whole)
    (tmp_path / "other.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="files of one kind"):
        chunks(tmp_path)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(['a"b', "x\ny", "plain", "", "c,d"]), st.integers(0, 1)), min_size=1, max_size=12
    ),
    st.integers(1, 60),
)
def test_quoted_line_ends(tmp_path_factory, rows, size):
    """A record with line ends between quotes is never cut."""
    file = tmp_path_factory.mktemp("quoted") / "t.csv"
    quoted = [f'"{word.replace(chr(34), chr(34) * 2)}",{label}' for word, label in [("words", 0), *rows]]
    file.write_text("\n".join(["text,sea", *quoted]) + "\n")
    kinds = {"text": "text"}
    before, files._BLOCK = files._BLOCK, 16
    try:
        parts = list(chunks(file, labels=["sea"], kinds=kinds, chunk_bytes=size))
    finally:
        files._BLOCK = before
    whole = load_dataset(file, labels=["sea"], kinds=kinds)
    words = [word for part in parts for word in part.X["text"].fillna("").tolist()]
    assert words == whole.X["text"].fillna("").tolist()
    assert np.array_equal(np.vstack([part.Y for part in parts]), whole.Y)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("name", "text", "labels", "says"),
    [
        ("a.csv", "size,sea\n" + "1,0\n" * 100 + "2,1,7\n", ["sea"], "line 102: expected 2 values"),
        ("a.csv", "size,sea\n" + "1,0\n" * 100 + "big,1\n", ["sea"], "line 102: expected a number in column 'size'"),
        ("a.svm", "1 1:2\n" * 100 + "1 1:x\n", None, "line 101: expected a number"),
        ("a.txt", "3 2 1\n" + "0 0:1\n" * 2, None, "expected the 3 rows that line 1 states, but found 2"),
        ("a.txt", "2 2 1\n0 0:1\n0 5:1\n", None, "line 3: expected features from 0 to 1"),
        ("a.arff", "@relation a\n", None, "to read in chunks"),
    ],
)
def test_faults(tmp_path, name, text, labels, says):
    """A fault in a later chunk names its line in the file."""
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=says):
        list(chunks(tmp_path / name, labels=labels, chunk_bytes=1))


def test_known_columns_need_no_first_reading(tmp_path):
    """With label ids and the number of features nothing is read before; what lies outside is an error."""
    file = tmp_path / "a.svm"
    file.write_text("3 1:1\n7 4:2\n")
    (part,) = chunks(file, labels=[7, 3], n_features=5)
    assert part.label_names == ("7", "3")
    assert part.X.shape == (2, 5)
    with pytest.raises(DataError, match="line 2: expected indices from 1 to 2"):
        list(chunks(file, labels=[7, 3], n_features=2))
    with pytest.raises(DataError, match="line 1: expected only the labels asked for"):
        list(chunks(file, labels=[7], n_features=4))


def test_packed_and_hints(tmp_path):
    """The number of chunks is guessed from the size of the file."""
    file = tmp_path / "a.svm.gz"
    file.write_bytes(gzip.compress(b"1 1:1\n" * 1000))
    assert chunks(file, chunk_bytes=10).__length_hint__() >= 5
    assert "1 file" in repr(chunks(file))
