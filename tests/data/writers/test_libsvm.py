"""LIBSVM there and back, and read by scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from plait.data import DataError, Dataset
from plait.data.readers.libsvm import read_libsvm
from plait.data.writers.libsvm import write_libsvm


def draw_dataset(data, names=None):
    n, d, q = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    cells = st.one_of(st.just(0.0), st.floats().map(lambda value: value + 0.0))
    X = np.array(data.draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n)))
    Y = np.array(data.draw(st.lists(st.lists(st.integers(0, 1), min_size=q, max_size=q), min_size=n, max_size=n)))
    return Dataset(sparse.csr_matrix(X), sparse.csr_matrix(Y), label_names=names and names[:q], name="a")


@given(data=st.data(), names=st.sampled_from([None, ["-3", "0", "5", "12"], ["0", "1", "2", "3"]]))
def test_what_is_written_reads_back_the_same(tmp_path_factory, data, names):
    dataset = draw_dataset(data, names)
    path = tmp_path_factory.mktemp("libsvm") / "a.svm"
    write_libsvm(dataset, path)
    ids = dataset.label_names if names else tuple(str(k) for k in range(dataset.n_labels))
    found = read_libsvm(path, labels=ids)
    assert found == Dataset(dataset.X, dataset.Y, label_names=ids, name="a")


@given(data=st.data())
def test_scikit_learn_reads_the_same(tmp_path_factory, data):
    dataset = draw_dataset(data)
    path = tmp_path_factory.mktemp("libsvm") / "a.svm"
    write_libsvm(dataset, path)
    X, sets = load_svmlight_file(str(path), multilabel=True, zero_based=False)
    np.testing.assert_array_equal(X.toarray(), dataset.X.toarray())
    assert sets == [tuple(np.flatnonzero(row)) for row in dataset.Y.toarray()]


def test_rows_without_anything_need_a_feature(tmp_path):
    with pytest.raises(DataError, match="labels in every row of data without features, but found none in 2"):
        write_libsvm(Dataset(np.ones((2, 0)), [[1], [0]]), tmp_path / "a.svm")
    assert list(tmp_path.iterdir()) == []
