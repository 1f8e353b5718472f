"""Every accepted form of labels and scores gives one form; everything else one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.data import DataError
from plait.metrics import exact_match, hamming_loss, ranking_loss
from plait.metrics.inputs import label_matrix, label_pair, score_matrix

Y = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]])

FORMS = {
    "int64": Y,
    "bool": Y.astype(bool),
    "uint8": Y.astype(np.uint8),
    "float": Y.astype(float),
    "big-endian": Y.astype(">f4"),
    "column order": np.asfortranarray(Y),
    "every other column": np.repeat(Y, 2, axis=1)[:, ::2],
    "objects": Y.astype(object),
    "truth values as objects": Y.astype(bool).astype(object),
    "list": Y.tolist(),
    "tuple of tuples": tuple(map(tuple, Y.tolist())),
    "csr_matrix": sparse.csr_matrix(Y),
    "csr_array": sparse.csr_array(Y),
    "csc": sparse.csc_array(Y),
    "coo": sparse.coo_array(Y),
    "lil": sparse.lil_array(Y.astype(float)),
    "dok": sparse.dok_array(Y.astype(bool)),
    "pandas": pd.DataFrame(Y, columns=list("abc")),
    "pandas bool": pd.DataFrame(Y.astype(bool)),
    "pandas nullable": pd.DataFrame(Y).astype("Int64"),
    "pandas mixed": pd.DataFrame({"a": Y[:, 0], "b": Y[:, 1].astype(bool), "c": pd.array(Y[:, 2], dtype="Int64")}),
    "pandas sparse": pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(Y)),
    "polars": pl.DataFrame(Y, schema=["a", "b", "c"]),
    "polars bool": pl.DataFrame(Y.astype(bool)),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_labels_is_the_same_matrix(form):
    result = label_matrix("metric", "Y_true", form)
    assert result.dtype == np.uint8
    dense = result.toarray() if sparse.issparse(result) else result
    np.testing.assert_array_equal(dense, Y)
    assert sparse.issparse(result) == (sparse.issparse(form) or hasattr(form, "sparse"))


@pytest.mark.parametrize("form", [f for f in FORMS.values() if not isinstance(f, np.ndarray) or f.dtype.kind in "biuf"])
def test_every_form_of_scores_is_the_same_matrix(form):
    result = score_matrix("metric", "scores", form)
    assert result.dtype in (np.float32, np.float64)
    np.testing.assert_array_equal(result.toarray() if sparse.issparse(result) else result, Y)


@pytest.mark.parametrize("form", [[1, 0, 1], np.array([1, 0, 1]), pd.Series([1, 0, 1]), pl.Series([True, False, True])])
def test_one_dimension_is_one_label(form):
    np.testing.assert_array_equal(label_matrix("metric", "Y_true", form), [[1], [0], [1]])
    assert exact_match(form, [[1], [0], [0]]) == pytest.approx(2 / 3, rel=1e-15)


def test_one_dimension_may_be_sparse():
    np.testing.assert_array_equal(label_matrix("m", "Y_true", sparse.coo_array([1, 0, 1])).toarray(), [[1], [0], [1]])


@given(arrays(np.uint8, (4, 5), elements=st.integers(0, 1)))
def test_a_sparse_matrix_in_disorder_is_put_in_order_without_touching_it(labels):
    tidy = sparse.csr_matrix(labels)
    rows = [np.flatnonzero(row)[::-1] for row in labels]
    # Columns backwards, and an explicit zero at the end of every row that has room for one.
    indices = [np.append(row, np.flatnonzero(labels[i] == 0)[:1]) for i, row in enumerate(rows)]
    data = [np.append(np.ones(row.size), np.zeros(ind.size - row.size)) for row, ind in zip(rows, indices, strict=True)]
    indptr = np.cumsum([0, *(ind.size for ind in indices)])
    messy = sparse.csr_matrix((np.concatenate(data), np.concatenate(indices), indptr), shape=labels.shape)
    before = messy.indices.copy(), messy.data.copy()
    result = label_matrix("metric", "Y_true", messy)
    np.testing.assert_array_equal(result.toarray(), labels)
    assert result.nnz == tidy.nnz
    assert result.has_canonical_format
    np.testing.assert_array_equal(messy.indices, before[0])
    np.testing.assert_array_equal(messy.data, before[1])


def test_stored_zeros_are_left_out_of_the_result_and_stay_in_the_input():
    matrix = sparse.csr_matrix(Y)
    matrix.data[0] = 0
    kept = matrix.copy()
    result = label_matrix("metric", "Y_true", matrix)
    assert result.nnz == matrix.nnz - 1
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(matrix, part), getattr(kept, part))


def test_spare_room_in_a_sparse_matrix_is_not_read():
    matrix = sparse.csr_matrix(Y)
    matrix.data, matrix.indices = np.append(matrix.data, 99), np.append(matrix.indices, 0)
    np.testing.assert_array_equal(label_matrix("m", "Y", matrix).toarray(), Y)


def test_a_mixed_pair_becomes_sparse_and_never_dense(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a sparse matrix was made dense")

    monkeypatch.setattr(sparse.csr_matrix, "toarray", refuse)
    for pair in ((sparse.csr_matrix(Y), Y), (Y, sparse.csr_matrix(Y)), (sparse.csr_matrix(Y), sparse.csc_matrix(Y))):
        assert all(sparse.issparse(side) for side in label_pair("metric", *pair))


def test_an_immense_sparse_matrix_costs_only_its_entries():
    n_samples, n_labels = 50_000, 1_000_000
    rows, columns = np.arange(n_samples), np.arange(n_samples) * 7 % n_labels
    huge = sparse.csr_array((np.ones(n_samples, np.uint8), (rows, columns)), shape=(n_samples, n_labels))
    assert exact_match(huge, huge) == 1.0
    assert hamming_loss(huge, sparse.csr_array(huge.shape, dtype=bool)) == pytest.approx(1 / n_labels, rel=1e-12)


REFUSED = {
    "another value": ([[1, 2]], "Y_true to hold only 0 and 1, but it holds 2"),
    "a fraction": ([[1, 0.5]], "Y_true to hold only 0 and 1, but it holds 0.5"),
    "minus one": ([[1, -1]], "Y_true to hold only 0 and 1, but it holds -1"),
    "words": (np.array([["a", "b"]]), "Y_true to hold only 0 and 1, but it holds 'a'"),
    "sparse value": (sparse.csr_array([[0, 3]]), "Y_true to hold only 0 and 1, but it holds 3"),
    "sparse entry twice": (
        sparse.csr_matrix((np.ones(2), np.zeros(2, int), np.array([0, 2])), shape=(1, 2)),
        "but it holds 2.0",
    ),
    "names and numbers": ([["sea"], [3, 4]], "name labels by words or by integers, but it holds 'sea' and 3"),
    "a word among sets": ([{"sea"}, "sun"], "a set or list of labels in every row, but row 1 holds 'sun'"),
    "three dimensions": (np.ones((2, 2, 2)), "two dimensions, but it has 3"),
    "a number": (1, "two dimensions, but it has 0"),
    "no rows": (np.ones((0, 3)), r"at least one row and one label, but its shape is \(0, 3\)"),
    "no labels": (np.ones((3, 0)), r"at least one row and one label, but its shape is \(3, 0\)"),
    "nothing": ([], r"at least one row and one label, but its shape is \(0, 1\)"),
    "no sparse rows": (sparse.csr_matrix((0, 3)), r"at least one row and one label, but its shape is \(0, 3\)"),
}


@pytest.mark.parametrize(("labels", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_labels_is_refused(labels, says):
    with pytest.raises(DataError, match=f"^exact_match needs .*{says}"):
        exact_match(labels, labels)


def test_shapes_must_agree():
    with pytest.raises(DataError, match=r"hamming_loss needs Y_pred to have the shape of Y_true, \(2, 2\), but it is"):
        hamming_loss([[1, 0], [0, 1]], [[1, 0]])


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([[np.nan, 1.0]], "but it holds nan"),
        (sparse.csr_array([[np.nan, 1.0]]), "but it holds nan"),
        ([["high", "low"]], "but its dtype is <U4"),
        ([[None, 1.0]], "something else|holds nan"),
        ([[1.0 + 1j, 1.0]], "but its dtype is complex128"),
        ([[1.0]], r"the shape of Y_true, \(1, 2\), but it is \(1, 1\)"),
    ],
)
def test_what_is_not_scores_is_refused(scores, says):
    with pytest.raises(DataError, match=f"^ranking_loss needs scores .*{says}"):
        ranking_loss([[1, 0]], scores)


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_with_their_columns_in_another_order_are_refused(library):
    frame = library.DataFrame({"a": [1], "b": [0]})
    turned = frame[["b", "a"]]
    with pytest.raises(DataError, match=r"column 0 is 'b' instead of 'a'. Pass Y_pred\[list\(Y_true.columns\)\]"):
        exact_match(frame, turned)
    with pytest.raises(DataError, match="ranking_loss needs scores to have its columns in the order"):
        ranking_loss(frame, turned)
    assert exact_match(frame, turned[list(frame.columns)]) == 1.0
    # Other names altogether say nothing about the order.
    assert exact_match(frame, library.DataFrame({"p": [1], "q": [0]})) == 1.0
