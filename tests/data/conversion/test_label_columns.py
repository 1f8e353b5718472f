"""Every way to choose label columns, and what is said where none fits."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data import DataError
from plait.data.conversion.frame_columns import column_of_objects
from plait.data.conversion.label_columns import label_column, label_positions

COLUMNS = ["size", "tag_sea", "a[1]", "tag_sun", "TAG_moon"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["tag_sun", "size"], [0, 3]),
        (("tag_sea",), [1]),
        (np.array(["tag_sea"]), [1]),
        ([], []),
        ("tag_sea", [1]),
        ("tag_*", [1, 3]),
        ("tag_s?n", [3]),
        ("[tT]*", [1, 3, 4]),
        ("a[1]", [2]),
        ("*", [0, 1, 2, 3, 4]),
        (re.compile("tag", re.IGNORECASE), [1, 3, 4]),
        (re.compile(r"^\w+$"), [0, 1, 3, 4]),
        (2, [0, 1]),
        (-2, [3, 4]),
        (np.int64(1), [0]),
        (0, []),
        (5, [0, 1, 2, 3, 4]),
        (-5, [0, 1, 2, 3, 4]),
    ],
)
def test_names_patterns_and_counts(labels, expected):
    assert label_positions(COLUMNS, labels) == expected


@given(st.lists(st.text(max_size=5), unique=True, max_size=8), st.data())
def test_names_are_taken_as_they_are_spelt(columns, data):
    chosen = data.draw(st.lists(st.sampled_from(columns), unique=True)) if columns else []
    assert [columns[j] for j in label_positions(columns, chosen)] == [name for name in columns if name in chosen]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "t.csv: expected to be told which columns are labels, but found columns 'size', 'tag_sea'"),
        (None, "labels= (--labels) takes column names, a pattern such as 'tag_*', or a number of columns"),
        (["tag_see"], "expected a label column 'tag_see', but found columns 'size', 'tag_sea', 'a[1]'"),
        (["tag_see"], "Did you mean 'tag_sea'?"),
        ("label*", "expected label columns like 'label*', but found columns 'size'"),
        (re.compile("label"), "expected label columns like 'label'"),
        (6, "expected 6 label columns, but found 5 columns in all"),
        (-6, "expected 6 label columns, but found 5 columns in all"),
    ],
)
def test_what_does_not_fit_is_told(labels, message):
    with pytest.raises(DataError, match=re.escape(message)):
        label_positions(COLUMNS, labels, "t.csv")


@pytest.mark.parametrize("labels", [True, 1.5, [1, 2], [None], object()])
def test_what_is_no_choice_at_all_is_a_parameter_error(labels):
    with pytest.raises(ParameterError, match="load_dataset needs labels to be a list of column names"):
        label_positions(COLUMNS, labels)


def test_long_tables_are_cut_short_in_errors():
    with pytest.raises(DataError, match="'c11' and 988 more"):
        label_positions([f"c{j}" for j in range(1000)], None)


def column(*values):
    return column_of_objects("sea", list(values))


@pytest.mark.parametrize(
    ("values", "expected", "taken"),
    [
        ([0, 1, 1], [0, 1, 1], ""),
        ([True, False], [1, 0], ""),
        (["1", "0"], [1, 0], ""),
        (["true", "FALSE"], [1, 0], ""),
        (["no", "Yes", "NO"], [0, 1, 0], "'Yes'"),
        (["ja", "nein"], [1, 0], "'ja'"),
        (["nein", "nein"], [0, 0], ""),
        (["да", "нет"], [1, 0], "'да'"),
        (["x", None, "X"], [1, 0, 1], "'X'"),
        ([1], [1], ""),
        ([], [], ""),
    ],
)
def test_label_words(values, expected, taken):
    found, word = label_column(column(*values))
    assert found.dtype == np.uint8
    assert (found.tolist(), word) == (expected, taken)


@pytest.mark.parametrize("values", [[0, 2], [0.5], ["a"], ["b", "a"], ["a", "b", "c"], [-1, 1], ["nope", "1", "0"]])
def test_values_that_are_no_labels(values):
    with pytest.raises(DataError, match=r"f\.csv: expected label 'sea' to hold 0 and 1, or yes and no"):
        label_column(column(*values), "f.csv")


@pytest.mark.parametrize("missing", [None, np.nan, "", "?"])
def test_a_missing_label(missing):
    np.testing.assert_array_equal(label_column(column(1, missing))[0], [1.0, np.nan])
    with pytest.raises(DataError, match="expected values of label 'sea', but found none in any row"):
        label_column(column(missing, missing))


def test_the_word_that_means_one_can_be_said():
    dark, light = column("dark", "light"), ("dark", "light")
    assert label_column(dark, positive="light")[0].tolist() == [0, 1]
    assert label_column(dark, positive={"sea": light[0]})[0].tolist() == [1, 0]
    with pytest.raises(DataError, match="label 'sea' to hold 'grey', which means 1, but found 'dark', 'light'"):
        label_column(dark, positive="grey")
