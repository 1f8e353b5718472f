"""From columns to a data set."""

import datetime
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data import DataError, DataWarning
from plait.data.conversion.table_columns import (
    MISSING_WORDS,
    NotOfKindError,
    TableColumn,
    column_of_words,
    posix_seconds,
    refuse_doubles,
)
from plait.data.frames import LabelPlan, dataset_of_columns


def words(*values):
    return np.array(values, dtype=object)


def dataset(columns, labels, **plan):
    return dataset_of_columns(columns, len(columns[0].values), LabelPlan(labels, **plan), "beach", "beach.csv")


COLUMNS = [
    TableColumn("sea", "numeric", np.array([1.0, 0.0, 1.0])),
    TableColumn("size", "numeric", np.array([1.5, np.nan, 2.0])),
    TableColumn("open", "boolean", np.array([1.0, np.nan, 0.0])),
    TableColumn("sky", "text", words("red", None, "blue")),
    TableColumn("wind", "text", words("west", "east", "north")),
    TableColumn("sun", "text", words("no", "yes", "yes")),
    TableColumn("moon", "boolean", np.array([0.0, 0.0, 0.0])),
]


def test_numbers_truths_and_words_become_features_and_labels():
    with pytest.warns(DataWarning, match=r"beach\.csv: 'yes' is taken for 1 in 'sun'\."):
        found = dataset(COLUMNS, ["moon", "sun", "sea"])
    assert found.label_names == ("sea", "sun", "moon")
    np.testing.assert_array_equal(found.Y, [[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    assert found.feature_names == ("size", "open", "sky", "wind")
    assert found.feature_kinds == ("numeric", "binary", "words", "words")
    assert found.X["sky"].tolist()[::2] == ["red", "blue"]
    assert found.is_table


def test_numbers_and_truths_alone_are_an_array():
    found = dataset(COLUMNS[:3], ["sea"])
    np.testing.assert_array_equal(found.X, [[1.5, 1], [np.nan, np.nan], [2.0, 0]])
    assert found.feature_kinds == ("numeric", "binary")
    # Row numbers are for the encoder to leave out.
    counted = TableColumn("row", "numeric", np.arange(20.0))
    assert dataset([counted, TableColumn("sea", "numeric", np.ones(20))], ["sea"]).is_table


def test_all_columns_may_be_labels_or_none():
    assert dataset(COLUMNS[:1], ["sea"]).X.shape == (3, 0)
    assert dataset(COLUMNS[:2], []).Y.shape == (3, 0)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (TableColumn("sea", "numeric", np.array([1.0, 3.0])), "label 'sea' to hold 0 and 1"),
        (TableColumn("sea", "numeric", np.array([2.0, 2.0])), "label 'sea' to hold 0 and 1"),
        (TableColumn("sea", "numeric", np.array([np.inf, 0.0])), "label 'sea' to hold 0 and 1"),
    ],
)
def test_labels_are_two_values(column, message):
    with pytest.raises(DataError, match=re.escape(message)):
        dataset([column], ["sea"])


def test_columns_need_different_names():
    with pytest.raises(DataError, match=r"a\.csv: expected columns with different names, but found 'x' twice"):
        refuse_doubles(["x", "y", "x"], "a.csv")
    with pytest.raises(DataError, match=r"a\.csv: expected a name for every column, but found none for column 2"):
        refuse_doubles(["x", ""], "a.csv")


@given(st.lists(st.one_of(st.floats(), st.integers(-(10**20), 10**20), st.none())))
def test_numbers_and_gaps_are_read_exactly(cells):
    found = column_of_words("x", ["" if cell is None else repr(cell) for cell in cells])
    assert found.kind == "numeric"
    np.testing.assert_array_equal(found.values, [np.nan if cell is None else float(cell) for cell in cells])


@pytest.mark.parametrize(
    ("words", "kind", "values"),
    [
        ([" 1 ", "2.5e3", "-.5"], "numeric", [1.0, 2500.0, -0.5]),
        (["inf", "1"], "numeric", [np.inf, 1.0]),
        (["", "NA", "?"], "numeric", [np.nan, np.nan, np.nan]),
        ([], "numeric", []),
        (["True", "false", "NA", "TRUE"], "boolean", [1.0, 0.0, np.nan, 1.0]),
        (["1970-01-02", "", "31.12.1969"], "date", [86400.0, np.nan, -86400.0]),
        (["1970-01-01 00:00:01.25", "1970-01-01T01:00"], "date", [1.25, 3600.0]),
        (["1_000", "2"], "text", ["1_000", "2"]),
        (["0x10", "2"], "text", ["0x10", "2"]),
        (["2024-13-01", "2024-01-01"], "text", ["2024-13-01", "2024-01-01"]),
        (["yes ", "NA", " no"], "text", ["yes", None, "no"]),
        (["true", "1"], "text", ["true", "1"]),
    ],
)
def test_the_kind_is_what_all_words_agree_on(words, kind, values):
    found = column_of_words("x", words)
    assert found.kind == kind
    if kind == "text":
        assert found.values.tolist() == values
    elif kind == "date":
        np.testing.assert_array_equal(posix_seconds(found.values), values)
    else:
        np.testing.assert_array_equal(found.values, values)


@given(st.lists(st.text(max_size=4)))
def test_text_keeps_its_words_but_for_blanks_around(words):
    found = column_of_words("x", ["a word", *words])
    assert found.kind == "text"
    expected = [None if word.strip() in MISSING_WORDS else word.strip() for word in words]
    assert found.values.tolist() == ["a word", *expected]


@given(st.datetimes(timezones=st.just(datetime.UTC)), st.sampled_from(["us", "ms", "s"]))
def test_seconds_since_1970_agree_with_the_standard_library(moment, unit):
    moment = moment.replace(
        microsecond={"us": moment.microsecond, "ms": moment.microsecond // 1000 * 1000, "s": 0}[unit]
    )
    times = np.array([np.datetime64(moment.replace(tzinfo=None), unit), np.datetime64("NaT", unit)])
    seconds = posix_seconds(times)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    # The standard library rounds the same quotient once.
    assert seconds[0] == pytest.approx((moment - epoch).total_seconds(), rel=1e-15, abs=0.0)
    assert np.isnan(seconds[1])


def test_days_and_durations_are_seconds_too():
    np.testing.assert_array_equal(
        posix_seconds(np.array(["1970-01-02", "NaT"], dtype="datetime64[D]")), [86400, np.nan]
    )
    np.testing.assert_array_equal(posix_seconds(np.array([90, 1500], dtype="timedelta64[ms]")), [0.09, 1.5])
    np.testing.assert_array_equal(posix_seconds(np.array([2], dtype="timedelta64[m]")), [120.0])


def test_commas_before_decimals_are_read_where_they_cannot_separate():
    assert column_of_words("x", ["1,5", "2", "", "-0,25"], comma=True).values.tolist()[:2] == [1.5, 2.0]
    assert column_of_words("x", ["1,5", "2"]).kind == "text"
    assert column_of_words("x", ["1,5", "two"], comma=True).kind == "text"


def test_a_column_is_what_it_was_in_training():
    assert column_of_words("x", ["1", "02"], "text").values.tolist() == ["1", "02"]
    assert column_of_words("x", ["", ""], "date").kind == "date"
    assert column_of_words("x", ["1", ""], "numeric").values.tolist()[0] == 1.0
    for kind, expected in (("numeric", "a number"), ("date", "a date")):
        with pytest.raises(NotOfKindError) as caught:
            column_of_words("x", ["", "sea"], kind)
        assert (caught.value.row, caught.value.expected, caught.value.word) == (1, expected, "sea")
