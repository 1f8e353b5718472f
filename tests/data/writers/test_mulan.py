import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from plait.data import DataError, Dataset
from plait.data.readers.mulan import read_mulan
from plait.data.writers.mulan import write_mulan

# Everything that is special somewhere in ARFF or XML, and some of the rest of Unicode.
UGLY = st.text(
    st.one_of(
        st.sampled_from("'\"{},% \t\n\r\\?&<>=;@é日\u2028\x85\U0001f600a1"),
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    ),
    max_size=8,
)
LABELS = [0, 1, 0, 1, np.nan]
VALUES = {
    "numeric": st.floats(allow_infinity=False, allow_nan=True),
    "binary": st.sampled_from([0.0, 1.0, np.nan]),
    "nominal": st.sampled_from([0.0, 1.0, 2.0, 5.0, np.nan]),
}


@st.composite
def datasets(draw):
    names = draw(st.lists(UGLY, unique=True, min_size=1, max_size=7))
    n_labels = draw(st.integers(1, len(names)))
    n_features, n_rows = len(names) - n_labels, draw(st.integers(1, 5))
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=n_features, max_size=n_features))
    X = np.array([[draw(VALUES[kind]) for kind in kinds] for _ in range(n_rows)]).reshape(n_rows, n_features)
    Y = np.array(
        draw(
            st.lists(
                st.lists(st.sampled_from(LABELS), min_size=n_labels, max_size=n_labels),
                min_size=n_rows,
                max_size=n_rows,
            )
        )
    )
    if draw(st.booleans()):
        X, Y = sparse.csr_matrix(X), sparse.csr_matrix(Y)
    return Dataset(X, Y, names[:n_features], names[n_features:], "data", kinds)


@given(datasets(), st.sampled_from(["", ".gz"]))
@example(Dataset([[0.1, -0.0, 5e-324]], [[1]], ["0", "@data", "% x"], ["{0 1}"]), "")
@example(Dataset([[np.nan]], [[1]], ["\x00\x01\x1f\x7f"], ["?"]), "")
def test_what_was_written_reads_back(tmp_path_factory, dataset, packing):
    path = tmp_path_factory.getbasetemp() / f"data.arff{packing}"
    write_mulan(dataset, path)
    found = read_mulan(path, nominal="codes")
    assert found == dataset
    if not sparse.issparse(dataset.X):
        numbers = ~np.isnan(dataset.X)  # a missing value has no sign
        np.testing.assert_array_equal(np.signbit(found.X)[numbers], np.signbit(dataset.X)[numbers])


@pytest.mark.parametrize("name", ["birds", "enron", "foodtruck", "emotions"])
def test_real_data_read_back(benchmark_data, tmp_path, name):
    dataset = read_mulan(benchmark_data / name / f"{name}.arff.gz")
    write_mulan(dataset, tmp_path / f"{name}.arff.xz")
    assert read_mulan(tmp_path / f"{name}.arff.xz") == dataset


def test_the_form_of_the_features_decides(tmp_path):
    X, Y = np.array([[0.0, 2.0]]), np.array([[1, 0]])
    for features, labels, expected in ((X, sparse.csr_matrix(Y), False), (sparse.csr_matrix(X), Y, True)):
        write_mulan(Dataset(features, labels), tmp_path / "d.arff")
        found = read_mulan(tmp_path / "d.arff")
        assert sparse.issparse(found.X) == sparse.issparse(found.Y) == expected
        assert found.X.sum() == 2
        assert found.Y.sum() == 1


def test_floats_of_other_sizes_keep_their_value(tmp_path):
    X = np.array([[0.1, 3.0]], dtype=np.float32)
    write_mulan(Dataset(X, [[1]]), tmp_path / "d.arff")
    assert read_mulan(tmp_path / "d.arff").X.tolist() == X.astype(np.float64).tolist()


def test_stored_zeros_and_doubles_are_written_once(tmp_path):
    X = sparse.csr_matrix((np.array([1.0, 1.0, 0.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    write_mulan(Dataset(X, sparse.csr_matrix([[1]]), feature_kinds=["numeric", "binary"]), tmp_path / "d.arff")
    assert (tmp_path / "d.arff").read_text().splitlines()[-1] == "{1 2,2 1}"
    assert read_mulan(tmp_path / "d.arff").X.toarray().tolist() == [[0, 2]]


def test_columns_that_do_not_fit_their_kind_are_numbers(tmp_path):
    X = np.column_stack((np.full(30, 2.0), np.arange(30.0), np.full(30, 0.5), np.full(30, 1e9), np.arange(30) % 4))
    kinds = ["binary", "nominal", "nominal", "nominal", "nominal"]
    write_mulan(Dataset(X, np.ones((30, 1)), feature_kinds=kinds), tmp_path / "d.arff")
    found = read_mulan(tmp_path / "d.arff", nominal="codes")
    np.testing.assert_array_equal(found.X, X)
    assert found.feature_kinds == ("numeric", "numeric", "numeric", "numeric", "nominal")


def test_codes_just_below_and_at_what_is_an_identifier(tmp_path):
    for n in range(3, 20):
        X = sparse.csr_matrix(np.arange(float(n))[:, None])
        write_mulan(Dataset(X, sparse.csr_matrix(np.ones((n, 1))), feature_kinds=["nominal"]), tmp_path / "d.arff")
        found = read_mulan(tmp_path / "d.arff", nominal="codes")
        np.testing.assert_array_equal(found.X.toarray(), X.toarray())
        assert found.feature_kinds == (("numeric" if n >= 15 else "nominal"),)


def test_many_rows(tmp_path):
    X = np.arange(3000.0).reshape(1000, 3) / 7
    dataset = Dataset(X, X[:, :2] > 100, name="many")
    write_mulan(dataset, tmp_path / "many.arff")
    assert read_mulan(tmp_path / "many.arff") == dataset


def test_the_xml_goes_where_it_is_told(tmp_path):
    write_mulan(Dataset([[1.0]], [[1]], ["a"], ["b & c"]), tmp_path / "d.arff", tmp_path / "other.xml.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.arff", "other.xml.gz"]
    assert b'<label name="b &amp; c">' in gzip.decompress((tmp_path / "other.xml.gz").read_bytes())
    assert read_mulan(tmp_path / "d.arff", tmp_path / "other.xml.gz").label_names == ("b & c",)


def test_the_same_data_give_the_same_bytes(tmp_path):
    contents = []
    for _ in range(2):
        write_mulan(Dataset([[1.0]], [[1]]), tmp_path / "d.arff.gz")
        contents.append((tmp_path / "d.arff.gz").read_bytes())
    assert contents[0] == contents[1]


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (Dataset([[1.0]], [[1]], ["a"], ["a"]), "expected features and labels with different names, but found 'a'"),
        (Dataset([[np.inf]], [[1]]), "expected finite values, but found an infinite one"),
        (Dataset(sparse.csr_matrix([[-np.inf]]), [[1]]), "expected finite values, but found an infinite one"),
        (Dataset([[1.0]], [[1]], ["a"], ["b\x01"]), "expected names of labels that XML can hold"),
        (Dataset([[1.0]], [[1]], ["a"], ["b\ufffe"]), "expected names of labels that XML can hold"),
        (Dataset([[1.0]], [[1]], ["a\ud800"], ["b"]), "expected names that can be written as UTF-8"),
        (Dataset([[1.0]], [[1]], name="\udfff"), "expected names that can be written as UTF-8"),
    ],
)
def test_what_cannot_be_written(tmp_path, dataset, message):
    with pytest.raises(DataError, match=rf"d\.arff: {message}"):
        write_mulan(dataset, tmp_path / "d.arff")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_files(tmp_path, monkeypatch):
    old = Dataset([[1.0]], [[1]], name="d")
    write_mulan(old, tmp_path / "d.arff")

    def broken(X, Y):
        yield "0,"
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.data.writers.mulan._dense_lines", broken)
    with pytest.raises(KeyboardInterrupt):
        write_mulan(Dataset([[2.0]], [[0]]), tmp_path / "d.arff")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.arff", "d.xml"]
    assert read_mulan(tmp_path / "d.arff") == old


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="expected a folder that can be written to"):
        write_mulan(Dataset([[1.0]], [[1]]), Path(tmp_path, "none", "d.arff"))
