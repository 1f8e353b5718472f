import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait.data import DataError
from plait.data.folds.given_targets import given_labels

Y = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0]])
FRAME = pd.DataFrame(Y, columns=list("abc"))


@pytest.mark.parametrize(
    "y",
    [
        Y,
        Y.tolist(),
        Y.astype(bool),
        Y.astype(float),
        sparse.coo_matrix(Y),
        sparse.csr_array(Y),
        sparse.csc_matrix(Y.astype(bool)),
        FRAME,
        FRAME.astype(bool),
        FRAME.astype({"a": bool}),
        FRAME.astype("Int8"),
        FRAME.astype("Sparse[uint8]"),
        pl.DataFrame(Y),
        pl.DataFrame(Y.astype(bool)),
    ],
    ids=lambda y: type(y).__name__,
)
def test_every_form(y):
    pattern = given_labels("Mine", y)
    assert isinstance(pattern, sparse.csr_matrix)
    np.testing.assert_array_equal(pattern.toarray(), Y)


@pytest.mark.parametrize("y", [Y[:, 0], Y[:, 0].tolist(), FRAME["a"], pl.Series(Y[:, 0]), Y[:, [0]]])
def test_one_column(y):
    np.testing.assert_array_equal(given_labels("Mine", y).toarray(), Y[:, [0]])


def test_a_sparse_matrix_is_never_made_dense():
    # As a dense array it would hold 1e12 numbers.
    wide = sparse.coo_matrix((np.ones(2), ([0, 7], [0, 999_999])), shape=(1_000_000, 1_000_000))
    assert given_labels("Mine", wide).nnz == 2


def test_a_frame_of_sparse_columns_is_never_made_dense():
    matrix = sparse.csr_matrix((np.ones(2, dtype=np.uint8), [0, 99], [0, 2, *[2] * 199_999]), shape=(200_000, 100))
    frame = pd.DataFrame.sparse.from_spmatrix(matrix)
    tracemalloc.start()
    pattern = given_labels("Mine", frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pattern.nnz == 2
    assert peak < matrix.shape[0] * matrix.shape[1] / 2  # bytes; dense `uint8` would take twice that


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "Mine needs y, the labels to spread over the folds, but it is None"),
        ([0, 1, 2], "only 0 and 1, but it holds 2. Encode"),
        ([[0.0, np.nan]], "only 0 and 1, but it holds nan"),
        (sparse.csr_matrix([[0, -1]]), "only 0 and 1, but it holds -1"),
        (["cat", "dog"], "only 0 and 1, but it holds 'cat'"),
        ([("a",), ("b",)], "only 0 and 1, but it holds 'a'"),
        (np.zeros((2, 2, 2)), r"one column for each label, but its shape is \(2, 2, 2\)"),
        (1, r"one column for each label, but its shape is \(\)"),
    ],
)
def test_what_is_refused(y, words):
    with pytest.raises(DataError, match=words):
        given_labels("Mine", y)
