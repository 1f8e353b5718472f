"""From columns to a data set."""

import re

import numpy as np
import pytest

from plait.data import DataError
from plait.data.columns import Column, dataset_of_columns, refuse_doubles


def words(*values):
    return np.array(values, dtype=object)


def dataset(columns, labels, nominal="onehot"):
    return dataset_of_columns(columns, len(columns[0].values), labels, nominal, "beach", "beach.csv")


COLUMNS = [
    Column("sea", "numeric", np.array([1.0, 0.0, 1.0])),
    Column("size", "numeric", np.array([1.5, np.nan, 2.0])),
    Column("open", "boolean", np.array([1.0, np.nan, 0.0])),
    Column("sky", "text", words("red", None, "blue")),
    Column("wind", "text", words("west", "east", "north")),
    Column("sun", "text", words("no", "yes", "yes")),
    Column("moon", "boolean", np.array([0.0, 0.0, 0.0])),
]


def test_numbers_truths_and_words_become_features_and_labels():
    found = dataset(COLUMNS, ["moon", "sun", "sea"])
    assert found.label_names == ("sea", "sun", "moon")
    np.testing.assert_array_equal(found.Y, [[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    assert found.feature_names == ("size", "open", "sky", "wind=east", "wind=north", "wind=west")
    assert found.feature_kinds == ("numeric", "binary", "binary", "binary", "binary", "binary")
    nan = np.nan
    np.testing.assert_array_equal(found.X, [[1.5, 1, 1, 0, 0, 1], [nan, nan, nan, 1, 0, 0], [2.0, 0, 0, 0, 1, 0]])


def test_codes_follow_the_declared_order_or_the_alphabet():
    ordered = Column("force", "text", words("low", "high", None), ("low", "middle", "high"))
    found = dataset([ordered, COLUMNS[4], COLUMNS[0]], ["sea"], nominal="codes")
    np.testing.assert_array_equal(found.X, [[0, 2], [2, 0], [np.nan, 1]])
    assert found.feature_kinds == ("nominal", "nominal")


def test_a_text_column_without_words_is_numeric_and_missing():
    found = dataset([Column("note", "text", words(None, None, None)), COLUMNS[0]], -1)
    assert np.isnan(found.X).all()
    assert found.feature_kinds == ("numeric",)


def test_all_columns_may_be_labels_or_none():
    assert dataset(COLUMNS[:1], ["sea"]).X.shape == (3, 0)
    assert dataset(COLUMNS[:2], []).Y.shape == (3, 0)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            Column("sea", "numeric", np.array([1.0, np.nan])),
            "a value of label 'sea' in every row, but found none in row 2",
        ),
        (
            Column("sea", "boolean", np.array([np.nan, 1.0])),
            "a value of label 'sea' in every row, but found none in row 1",
        ),
        (Column("sea", "text", words("yes", None)), "a value of label 'sea' in every row, but found none in row 2"),
        (Column("sea", "numeric", np.array([1.0, 3.0])), "label 'sea' to hold 0 and 1"),
        (Column("sea", "numeric", np.array([2.0, 2.0])), "label 'sea' to hold 0 and 1"),
        (Column("sea", "numeric", np.array([np.inf, 0.0])), "label 'sea' to hold 0 and 1"),
    ],
)
def test_labels_are_two_values_and_never_missing(column, message):
    with pytest.raises(DataError, match=re.escape(message)):
        dataset([column], ["sea"])


def test_columns_need_different_names():
    with pytest.raises(DataError, match=r"a\.csv: expected columns with different names, but found 'x' twice"):
        refuse_doubles(["x", "y", "x"], "a.csv")
    with pytest.raises(DataError, match=r"a\.csv: expected a name for every column, but found none for column 2"):
        refuse_doubles(["x", ""], "a.csv")
