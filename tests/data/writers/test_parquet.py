"""Parquet there and back."""

import numpy as np
import pytest
from scipy import sparse

from plait.data import DataError, Dataset
from plait.data.readers.parquet import read_parquet
from plait.data.writers.parquet import write_parquet

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")

DATASET = Dataset(
    [[0.1, 1.0, np.nan], [np.nan, 0.0, 1.0], [np.inf, 1.0, 0.0]],
    [[1, 0], [0, 0], [1, 1]],
    ["size", "open", "calm"],
    ["sea", "sun"],
    "beach",
    ["numeric", "binary", "binary"],
)


@pytest.mark.parametrize("writer", ["pandas", "polars", None])
@pytest.mark.parametrize("reader", ["pandas", "polars", None])
def test_what_is_written_reads_back_the_same(tmp_path, writer, reader):
    write_parquet(DATASET, tmp_path / "beach.parquet", library=writer)
    assert read_parquet(tmp_path / "beach.parquet", ["sea", "sun"], library=reader) == DATASET


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_sparse_matrices_come_back_dense(tmp_path, library):
    X, Y = sparse.csr_matrix([[0, 1.5], [0, 0]]), sparse.csr_matrix([[0, 1], [1, 1]])
    write_parquet(Dataset(X, Y), tmp_path / "data.parquet", library=library)
    assert read_parquet(tmp_path / "data.parquet", -2) == Dataset(X.toarray(), Y.toarray())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_binary_features_that_are_not_stay_numbers(tmp_path, library):
    dataset = Dataset([[0.5], [1.0]], [[0], [1]], feature_kinds=["binary"])
    write_parquet(dataset, tmp_path / "data.parquet", library=library)
    assert read_parquet(tmp_path / "data.parquet", -1) == Dataset([[0.5], [1.0]], [[0], [1]])


def test_names_must_differ(tmp_path):
    with pytest.raises(DataError, match="features and labels to have different names"):
        write_parquet(Dataset([[1.0]], [[1]], ["a"], ["a"]), tmp_path / "a.parquet")
