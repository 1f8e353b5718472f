"""LIBSVM files against scikit-learn's loader, and what is refused."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from plait.core.sentences import ParameterError
from plait.data import DataError
from plait.data.readers.libsvm import read_libsvm


def write(tmp_path, text, name="a.svm"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def scikit_matrices(path, **options):
    """Return X and the 0/1 matrix of the labels that occur, in numerical order, by scikit-learn's loader."""
    X, sets = load_svmlight_file(str(path), multilabel=True, **options)
    ids = sorted({int(label) for labels in sets for label in labels})
    Y = np.array([[label in labels for label in ids] for labels in sets], dtype=np.uint8).reshape(len(sets), len(ids))
    return X, Y, tuple(str(label) for label in ids)


@given(data=st.data(), zero_based=st.booleans())
def test_files_written_by_scikit_learn_are_read_as_scikit_learn_reads_them(tmp_path_factory, data, zero_based):
    n, d, q = (data.draw(st.integers(1, 6)) for _ in range(3))
    cells = st.one_of(st.just(0.0), st.floats(-1e9, 1e9), st.integers(-3, 3).map(float))
    X = np.array(data.draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n)))
    Y = np.array(data.draw(st.lists(st.lists(st.integers(0, 1), min_size=q, max_size=q), min_size=n, max_size=n)))
    # Rows without anything become lines without anything, which both readers pass over.
    X[0, 0] = Y[0, 0] = 1
    path = tmp_path_factory.mktemp("libsvm") / "a.svm"
    dump_svmlight_file(X, Y, str(path), multilabel=True, zero_based=zero_based)
    found = read_libsvm(path)
    X_scikit, Y_scikit, names = scikit_matrices(path)
    np.testing.assert_array_equal(found.X.toarray(), X_scikit.toarray())
    np.testing.assert_array_equal(found.Y.toarray(), Y_scikit)
    assert found.label_names == names
    assert found.X.has_sorted_indices


def test_larger_files_pass_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("plait.data.conversion.files._BLOCK", 512)
    X = sparse.random(300, 1000, density=0.02, format="csr", random_state=0)
    X.data = X.data.round(9)  # scikit-learn writes sixteen digits, one too few for some doubles
    Y = (np.random.default_rng(0).random((300, 40)) < 0.1).astype(int)
    path = tmp_path / "a.svm"
    dump_svmlight_file(X, Y, str(path), multilabel=True, zero_based=False)
    found = read_libsvm(path, n_features=1000, labels=range(40), zero_based=False)
    kept = (X.getnnz(axis=1) > 0) | (Y.sum(axis=1) > 0)
    assert (X[kept] != found.X).nnz == 0
    np.testing.assert_array_equal(found.Y.toarray(), Y[kept])


def test_packed_files_comments_blank_lines_and_a_byte_order_mark(tmp_path):
    text = b"\xef\xbb\xbf# head\n3,7 1:0.5 4:1 # both\r\n\n 2:1.5\r\n2:-1\n12"
    path = tmp_path / "songs.svm.gz"
    path.write_bytes(gzip.compress(text))
    found = read_libsvm(path)
    np.testing.assert_array_equal(found.X.toarray(), [[0.5, 0, 0, 1], [0, 1.5, 0, 0], [0, -1, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(found.Y.toarray(), [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]])
    assert (found.name, found.label_names) == ("songs", ("3", "7", "12"))
    assert found.feature_names == ("x0", "x1", "x2", "x3")


def test_label_ids_are_ordered_as_numbers(tmp_path):
    assert read_libsvm(write(tmp_path, "10,9,-1 1:1\n")).label_names == ("-1", "9", "10")


def test_labels_fix_the_columns(tmp_path):
    path = write(tmp_path, "3 1:1\n1,3 1:1\n")
    found = read_libsvm(path, labels=[3, "2", 1])
    np.testing.assert_array_equal(found.Y.toarray(), [[1, 0, 0], [1, 0, 1]])
    assert found.label_names == ("3", "2", "1")
    with pytest.raises(
        DataError, match=re.escape("a.svm, line 2: expected only the labels asked for, but found label 1")
    ):
        read_libsvm(path, labels=[3])
    for wrong in ([1, 1], ["sea"], "37", 3):
        with pytest.raises(ParameterError, match="read_libsvm needs labels to be a sequence of different label ids"):
            read_libsvm(path, labels=wrong)


def test_zero_based_auto_looks_for_an_index_0(tmp_path):
    one, zero = write(tmp_path, "1 1:1 2:2\n", "one.svm"), write(tmp_path, "1 0:1 1:2\n", "zero.svm")
    assert read_libsvm(one).n_features == read_libsvm(zero).n_features == 2
    assert read_libsvm(one, zero_based=True).n_features == 3
    with pytest.raises(DataError, match="line 1: expected feature indices from 1, but found 0"):
        read_libsvm(zero, zero_based=False)
    with pytest.raises(ParameterError, match="zero_based"):
        read_libsvm(one, zero_based="maybe")


def test_n_features_fixes_the_width(tmp_path):
    path = write(tmp_path, "1 1:1\n2 4:1\n")
    assert read_libsvm(path, n_features=9).n_features == 9
    with pytest.raises(DataError, match="line 2: expected at most 3 features, but found index 4"):
        read_libsvm(path, n_features=3)
    with pytest.raises(ParameterError, match="n_features"):
        read_libsvm(path, n_features=-1)


def test_rows_may_have_labels_only(tmp_path):
    found = read_libsvm(write(tmp_path, "1\n2\n"))
    assert found.X.shape == (2, 0)
    assert found.Y.sum() == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected rows of labels and features, but found none"),
        ("# only a comment\n\n", "expected rows of labels and features, but found none"),
        ("1 1:1\n1 qid:4 1:1\n", "line 2: expected pairs index:value, but found a query id"),
        ("1 1:1 1:2\n", "line 1: expected each feature once, but found index 1 twice"),
        ("3,3 1:1\n", "line 1: expected each label once, but found a label twice"),
        ("1 1:1\n1 2000000000:1\n", "line 2: expected at most 1048576 features"),
        (b"\x00\x01\x02", "line 1: expected whole numbers"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read_libsvm(write(tmp_path, text))


def test_a_missing_file_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="a file that can be opened"):
        read_libsvm(tmp_path / "none.svm")
