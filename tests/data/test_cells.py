"""What words mean: numbers, truth values, dates, words, and nothing."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.cells import MISSING_WORDS, column_of_words, posix_seconds


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
        (["1970-01-02", "", "1969-12-31"], "numeric", [86400.0, np.nan, -86400.0]),
        (["1970-01-01 00:00:01.25", "1970-01-01T01:00"], "numeric", [1.25, 3600.0]),
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
