import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.readers.arff_dates import DEFAULT_PATTERN, date_reader

MOMENT = datetime.datetime(2004, 2, 29, 15, 6, 7, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (DEFAULT_PATTERN, "2004-02-29T15:06:07"),
        ("yyyy-MM-dd HH:mm:ss", "2004-02-29 15:06:07"),
        ("dd.MM.yy, HH:mm:ss", "29.02.04, 15:06:07"),
        ("d MMM yyyy hh:mm:ss a", "29 Feb 2004 03:06:07 PM"),
        ("EEE, d MMMM yyyy H:m:s", "Sun, 29 February 2004 15:6:7"),
        ("yyyyMMddHHmmss", "20040229150607"),
        ("yyyy-MM-dd'T'HH:mm:ssZ", "2004-02-29T17:36:07+0230"),
        ("yyyy-MM-dd'T'HH:mm:ssX", "2004-02-29T10:06:07-05"),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "2004-02-29T15:06:07Z"),
        ("yyyy-MM-dd HH:mm:ss z", "2004-02-29 15:06:07 UTC"),
        ("yyyy 'o''clock' MM dd HH''mm''ss", "2004 o'clock 02 29 15'06'07"),
    ],
)
def test_formats(pattern, text):
    assert date_reader(pattern)(text) == MOMENT.timestamp()


@given(st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9999, 12, 31)))
def test_seconds_are_those_of_datetime(moment):
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=datetime.UTC)
    text = moment.isoformat(timespec="milliseconds").removesuffix("+00:00")
    assert date_reader("yyyy-MM-dd'T'HH:mm:ss.SSS")(text) == moment.timestamp()


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd", "2003-02-29"),
        ("yyyy-MM-dd", "2003-13-01"),
        ("yyyy-MM-dd", "0000-01-01"),
        ("yyyy-MM-dd", "2003-01-01 "),
        ("yyyy-MM-dd", ""),
        ("d MMM yyyy", "1 Foo 2000"),
        ("HH:mm", "24:00"),
        ("h a", "13 PM"),
    ],
)
def test_what_is_no_date(pattern, text):
    assert date_reader(pattern)(text) is None


@pytest.mark.parametrize("pattern", ["yyyy-QQ", "yyyy yyyy", "'open", "y" * 101, "MM MM"])
def test_patterns_that_are_not_known(pattern):
    assert date_reader(pattern) is None
