import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.core.targets import as_targets, label_rows

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


def test_sets_of_numbers_are_names_but_ragged_lists_of_numbers_are_refused():
    np.testing.assert_array_equal(as_targets("Owner", [{3}, {3, 7}]).Y, [[1, 0], [1, 1]])
    with pytest.raises(ParameterError, match=r"Owner needs y to be a matrix or a list of sets.*MultiLabelBinarizer"):
        as_targets("Owner", [[3], [3, 7]])


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
        (np.array([[0.0, np.nan]]), "contains NaN"),
        (np.array([0.5, 1.5, 0.1]), "Unknown label type"),
        (np.zeros((2, 2, 2)), r"its shape is \(2, 2, 2\)"),
        (np.zeros((3, 0)), r"its shape is \(3, 0\)"),
    ],
)
def test_what_is_not_labels_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        as_targets("Owner", wrong)


def test_label_rows_must_fit():
    np.testing.assert_array_equal(label_rows("f", sparse.csr_matrix(Y), 3, 3), Y)
    np.testing.assert_array_equal(label_rows("f", [1, 0], 2, 1), [[1], [0]])
    with pytest.raises(ParameterError, match=r"f needs Y to have shape \(2, 3\), but it has \(3, 3\)"):
        label_rows("f", Y, 2, 3)
