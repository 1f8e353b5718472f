"""Columns of frames: the same for both libraries, whatever the type."""

import datetime
from decimal import Decimal

import numpy as np
import pytest

from plait.data import DataError
from plait.data.conversion.frame_columns import column_of_objects, columns_of_frame
from plait.data.conversion.table_columns import posix_seconds

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def pandas_column(series, name, source):
    return columns_of_frame(pd.DataFrame({name: series}), source)[0]


def polars_column(series, name, source):
    return columns_of_frame(pl.DataFrame({name: series}), source)[0]


NAN = np.nan
MOMENT = datetime.datetime(1970, 1, 2, 0, 0, 1, 500000)


def same(column, kind, values):
    assert column.kind == kind
    if kind == "text":
        assert column.values.tolist() == values
    elif kind == "date":
        assert column.values.dtype == "datetime64[us]"
        np.testing.assert_array_equal(posix_seconds(column.values), values)
    else:
        assert column.values.dtype == np.float64
        np.testing.assert_array_equal(column.values, values)


@pytest.mark.parametrize(
    ("objects", "kind", "values"),
    [
        ([1, None, 3], "numeric", [1, NAN, 3]),
        ([1.5, None, NAN], "numeric", [1.5, NAN, NAN]),
        ([True, None, False], "boolean", [1, NAN, 0]),
        ([True, False], "boolean", [1, 0]),
        (["b", None, "a"], "text", ["b", None, "a"]),
        ([MOMENT, None], "date", [86401.5, NAN]),
        ([MOMENT.replace(tzinfo=datetime.UTC), None], "date", [86401.5, NAN]),
        ([MOMENT.date(), None], "date", [86400, NAN]),
        ([datetime.time(1, 1, 1, 500000), None], "numeric", [3661.5, NAN]),
        ([datetime.timedelta(seconds=1.5), None], "numeric", [1.5, NAN]),
        ([Decimal("1.25"), None], "numeric", [1.25, NAN]),
        ([None, None], "numeric", [NAN, NAN]),
    ],
)
def test_both_libraries_give_the_same_column(objects, kind, values):
    same(pandas_column(pd.Series(objects), "x", "f"), kind, values)
    same(pandas_column(pd.Series(objects, dtype=object), "x", "f"), kind, values)
    same(polars_column(pl.Series(objects), "x", "f"), kind, values)
    same(column_of_objects("x", objects), kind, values)


@pytest.mark.parametrize(
    ("dtype", "objects", "kind", "values"),
    [
        ("Int64", [1, None], "numeric", [1, NAN]),
        ("Float32", [0.5, None], "numeric", [0.5, NAN]),
        ("boolean", [True, None], "boolean", [1, NAN]),
        ("uint8", [1, 255], "numeric", [1, 255]),
        ("string", ["a", None], "text", ["a", None]),
        ("Sparse[float]", [0.0, 2.0], "numeric", [0, 2]),
        ("datetime64[ns]", [MOMENT, None], "date", [86401.5, NAN]),
        ("datetime64[s, Europe/Berlin]", [datetime.datetime(1970, 1, 1, 1), None], "date", [0, NAN]),
    ],
)
def test_other_types_of_pandas(dtype, objects, kind, values):
    same(pandas_column(pd.Series(objects, dtype=dtype), "x", "f"), kind, values)


@pytest.mark.parametrize("arrow_type", ["bool_", "int8", "float64", "string", "date32", "timestamp"])
def test_arrow_types_of_pandas(arrow_type):
    pa = pytest.importorskip("pyarrow")
    make = {"timestamp": lambda: pa.timestamp("us", tz="UTC")}.get(arrow_type, getattr(pa, arrow_type))
    objects = {
        "bool_": [True, None],
        "string": ["a", None],
        "date32": [MOMENT.date(), None],
        "timestamp": [MOMENT.replace(tzinfo=datetime.UTC), None],
    }.get(arrow_type, [1, None])
    found = pandas_column(pd.Series(objects, dtype=pd.ArrowDtype(make())), "x", "f")
    expected = column_of_objects("x", objects)
    assert found.equals(expected)


def test_categories_are_words():
    same(
        pandas_column(pd.Series(pd.Categorical(["b", None, "a"], categories=["b", "c", "a"])), "x", "f"),
        "text",
        ["b", None, "a"],
    )
    same(polars_column(pl.Series(["b", None], dtype=pl.Enum(["b", "a"])), "x", "f"), "text", ["b", None])
    same(polars_column(pl.Series(["b", None], dtype=pl.Categorical), "x", "f"), "text", ["b", None])


def test_words_among_numbers_make_words():
    same(column_of_objects("x", ["a", 1, None, 2.5]), "text", ["a", "1", None, "2.5"])


def test_numbers_beyond_the_doubles_are_infinite():
    same(column_of_objects("x", [10**400, -(10**400)]), "numeric", [np.inf, -np.inf])


@pytest.mark.parametrize("objects", [[[1, 2]], [b"x"], [1j], [{"a": 1}]])
def test_other_things_are_refused_by_name(objects):
    with pytest.raises(DataError, match="f: expected numbers, words or dates in column 'x', but found"):
        pandas_column(pd.Series(objects, dtype=object), "x", "f")


def test_mixtures_of_dates_and_others_are_refused():
    with pytest.raises(DataError, match="column 'x', but found a mixture"):
        column_of_objects("x", [MOMENT, "a"])


@pytest.mark.parametrize("series", [pl.Series([[1, 2]]), pl.Series([b"x"]), pl.Series([{"a": 1}])])
def test_other_types_of_polars_are_refused(series):
    with pytest.raises(DataError, match="f: expected numbers, words or dates in column 'x'"):
        polars_column(series, "x", "f")
