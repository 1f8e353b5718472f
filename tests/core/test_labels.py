import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait.core.label_numbering import label_number
from plait.core.labels import as_label_matrix, as_targets, label_matrix, label_rows
from plait.core.sentences import ParameterError

Y = np.array([[1, 0, 1], [0, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        lambda Y: Y.tolist(),
        lambda Y: Y.astype(bool),
        lambda Y: Y.astype(float),
        lambda Y: Y.astype(object),
        lambda Y: np.asfortranarray(Y, dtype=np.int8),
        sparse.csr_matrix,
        sparse.coo_array,
        lambda Y: sparse.csc_matrix(Y.astype(bool)),
    ],
)
def test_every_form_of_a_matrix_gives_the_same_labels(form):
    targets = as_targets("Owner", form(Y))
    assert targets.Y.dtype == np.uint8
    assert targets.Y.flags.c_contiguous
    np.testing.assert_array_equal(targets.Y, Y)
    assert targets.names == ("y0", "y1", "y2")
    assert targets.classes is None


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda Y, columns: pl.DataFrame(Y, schema=columns)])
def test_names_come_from_the_columns_of_a_frame(frame):
    targets = as_targets("Owner", frame(Y, columns=["sea", "sun", "sand"]))
    assert targets.names == ("sea", "sun", "sand")
    np.testing.assert_array_equal(targets.Y, Y)


@pytest.mark.parametrize(
    "rows", [[{"sea"}, {"sun", "sea"}, set()], [["sea"], ["sun", "sea"], []], [("sea",), ("sun", "sea"), ()]]
)
def test_sets_of_names(rows):
    targets = as_targets("Owner", rows)
    assert targets.names == ("sea", "sun")
    np.testing.assert_array_equal(targets.Y, [[1, 0], [1, 1], [0, 0]])


@pytest.mark.parametrize("rows", [[{3}, {3, 12}], [[3], [3, 12]], [(3,), (12, 3)], [np.array([3]), np.array([3, 12])]])
def test_integers_are_names_in_the_order_of_numbers(rows):
    targets = as_targets("Owner", rows)
    np.testing.assert_array_equal(targets.Y, [[1, 0], [1, 1]])
    assert targets.names == ("3", "12")


@pytest.mark.parametrize("values", [[0, 1, 0], ["no", "yes", "no"], [-1, 1, -1], [False, True, False]])
def test_a_binary_column_in_one_dimension_is_one_label(values):
    targets = as_targets("Owner", np.array(values))
    np.testing.assert_array_equal(targets.Y.ravel(), [0, 1, 0])
    np.testing.assert_array_equal(targets.classes, np.unique(values))


@pytest.mark.parametrize(("values", "label"), [([0, 0], 0), ([1, 1], 1), (["a", "a"], 1)])
def test_a_single_class(values, label):
    np.testing.assert_array_equal(as_targets("Owner", np.array(values)).Y.ravel(), [label, label])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "Owner requires y to be passed, but the target y is None"),
        (np.array([0, 1, 2]), "Only binary classification is supported"),
        (np.array([[0, 2], [1, 0]]), "Owner needs y to hold only 0 and 1.* but it holds 2"),
        (np.array([["a", "b"]]), "Owner needs y to hold only 0 and 1.* but it holds 'a'"),
        (np.array([[0.0, np.nan]]), "every label of y to be known"),
        (np.array([0.5, 1.5, 0.1]), "Unknown label type"),
        (np.zeros((2, 2, 2)), r"its shape is \(2, 2, 2\)"),
        (np.zeros((3, 0)), r"its shape is \(3, 0\)"),
    ],
)
def test_what_is_not_labels_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        as_targets("Owner", wrong)


def test_label_rows_must_fit():
    np.testing.assert_array_equal(label_rows("f", sparse.csr_matrix(Y), 3, ["a", "b", "c"]), Y)
    np.testing.assert_array_equal(label_rows("f", [1, 0], 2, ["a"]), [[1], [0]])
    with pytest.raises(ParameterError, match=r"f needs Y to have shape \(2, 3\), but it has \(3, 3\)"):
        label_rows("f", Y, 2, ["a", "b", "c"])


def test_matrices_stay_and_become_bytes():
    Y = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert as_label_matrix("S", Y).dtype == np.uint8
    np.testing.assert_array_equal(as_label_matrix("S", Y), Y)
    thin = as_label_matrix("S", sparse.coo_array(Y))
    assert thin.format == "csr"
    np.testing.assert_array_equal(thin.toarray(), Y)


def test_one_column():
    assert as_label_matrix("S", np.array([0, 1, 1])).tolist() == [[0], [1], [1]]
    assert as_label_matrix("S", np.array(["b", "a", "b"])).tolist() == [[1], [0], [1]]
    assert as_label_matrix("S", np.array([2, 0, 1])).tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert as_label_matrix("S", np.zeros(3)).tolist() == [[0], [0], [0]]


@pytest.mark.parametrize(
    ("Y", "words"),
    [
        (np.array([[0, 2], [1, 1]]), "only 0 and 1, but it holds 2"),
        (np.array([["a", "b"], ["a", "b"]]), "only 0 and 1, but it holds 'a'"),
        (sparse.csr_matrix([[0, 3]]), "only 0 and 1, but it holds 3"),
        (np.array([0.5, 1.7]), "Unknown label type: continuous"),
    ],
)
def test_wrong_label_matrices(Y, words):
    with pytest.raises(ParameterError, match=words):
        as_label_matrix("S", Y)


def test_sparse_matrices_and_frames_stay_sparse_and_twice_is_a_sum():
    twice = sparse.csr_matrix((np.array([1, 0, 1]), np.array([1, 0, 0]), np.array([0, 2, 3])), shape=(2, 2))
    found = label_matrix("S", "y", twice)
    assert found.nnz == 2
    np.testing.assert_array_equal(found.toarray(), [[0, 1], [1, 0]])
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(Y))
    assert sparse.issparse(label_matrix("S", "y", frame))
    np.testing.assert_array_equal(label_matrix("S", "y", frame).toarray(), Y)
    with pytest.raises(ParameterError, match="only 0 and 1, but it holds 2"):
        label_matrix("S", "y", sparse.csr_matrix(([1, 1], [0, 0], [0, 2]), shape=(1, 1)))


def test_one_dimension_is_one_label_only_where_that_is_allowed():
    assert label_matrix("S", "y", [0, 1]).tolist() == [[0], [1]]
    with pytest.raises(ValueError, match=r"S needs y to have two dimensions.*shape is \(2,\)"):
        label_matrix("S", "y", [0, 1], one_column=False)


NAMES = ("sea", "sun", "sand")


def test_labels_are_found_by_name_and_number():
    assert [label_number("f", "labels", label, 3, NAMES) for label in ("sea", 2, np.int64(1))] == [0, 2, 1]


@pytest.mark.parametrize(
    ("label", "names", "words"),
    [
        ("son", NAMES, "'son' is not one of the 3 labels. Did you mean 'sun'"),
        ("sea", ("sea", "sea", "sun"), "name one label, but 2 labels are called 'sea'. Use their numbers"),
        ("sea", None, "label names where labels holds names"),
        (3, NAMES, "labels from 0 to 2, but it holds 3"),
        (-1, NAMES, "labels from 0 to 2, but it holds -1"),
        (True, NAMES, "numbers or names, but it holds True"),
    ],
)
def test_labels_that_cannot_be_found(label, names, words):
    with pytest.raises(ParameterError, match=f"^f needs .*{words}"):
        label_number("f", "labels", label, 3, names)
