"""Frames in memory: the way back from `Dataset.to_frame`, and equal answers for both libraries."""

import datetime
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset
from plait.data.frames import (
    FRAME_LIBRARIES,
    column_of_objects,
    frame_library,
    from_frame,
    pandas_column,
    polars_column,
)

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

cells = {
    "numbers": st.one_of(st.none(), st.floats(allow_nan=False)),
    "integers": st.one_of(st.none(), st.integers(-(2**53), 2**53)),
    "truths": st.one_of(st.none(), st.booleans()),
    "words": st.one_of(st.none(), st.text(max_size=3)),
    "moments": st.one_of(st.none(), st.datetimes()),
    "days": st.one_of(st.none(), st.dates()),
}
types = {
    "numbers": ("float64", pl.Float64),
    "integers": ("Int64", pl.Int64),
    "truths": ("boolean", pl.Boolean),
    "words": ("string", pl.String),
    "moments": ("datetime64[us]", pl.Datetime("us")),
    "days": ("object", pl.Date),
}


@given(data=st.data(), n=st.integers(0, 5), nominal=st.sampled_from(["onehot", "codes"]))
def test_both_libraries_give_equal_data_sets(data, n, nominal):
    table = {kind: data.draw(st.lists(values, min_size=n, max_size=n)) for kind, values in cells.items()}
    label = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    pandas = pd.DataFrame(
        {k: pd.Series(v, dtype=types[k][0]) for k, v in table.items()} | {"sea": np.array(label, bool)}
    )
    polars = pl.DataFrame(
        {k: pl.Series(v, dtype=types[k][1]) for k, v in table.items()} | {"sea": pl.Series(label, dtype=pl.Boolean)}
    )
    assert from_frame(pandas, "sea", nominal=nominal) == from_frame(polars, -1, nominal=nominal)


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_a_dense_data_set_comes_back_from_its_frame(library):
    data = Dataset([[0.5, np.nan], [1.0, 2.0]], [[1, 0], [0, 0]], ["a", "b"], ["sea", "sun"], "beach")
    assert from_frame(data.to_frame(library), ["sea", "sun"], name="beach") == data


def test_a_sparse_data_set_comes_back_sparse_from_pandas():
    X = sparse.csr_matrix([[0, 1.5, 0], [2.0, 0, 0]])
    Y = sparse.csr_matrix([[0, 1], [1, 0]])
    data = Dataset(X, Y, name="beach")
    assert from_frame(data.to_frame("pandas"), -2, name="beach") == data
    half = Dataset(X, Y.toarray(), name="beach")
    assert from_frame(half.to_frame("pandas"), "y*", name="beach") == half
    assert from_frame(data.to_frame("polars"), -2, name="beach") == Dataset(X.toarray(), Y.toarray(), name="beach")


def test_sparse_columns_that_are_not_mostly_zero_are_read_densely():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([1.0, np.nan], fill_value=np.nan), "sea": [0, 1]})
    found = from_frame(frame, ["sea"])
    np.testing.assert_array_equal(found.X, [[1.0], [np.nan]])


def test_names_of_columns_become_words():
    found = from_frame(pd.DataFrame({0: [1.0], 1: [1]}), ["1"])
    assert (found.feature_names, found.label_names) == (("0",), ("1",))


def test_columns_with_the_same_name_are_refused():
    with pytest.raises(DataError, match="data: expected columns with different names, but found 'a' twice"):
        from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]), 1)


def test_labels_must_be_chosen():
    with pytest.raises(DataError, match=re.escape("data: expected to be told which columns are labels")):
        from_frame(pd.DataFrame({"a": [1]}), None)


def test_only_frames_are_frames():
    for wrong in (np.ones((2, 2)), {"a": [1]}, pl.LazyFrame({"a": [1]}), pd.Series([1])):
        with pytest.raises(ParameterError, match="from_frame needs frame to be a pandas or polars DataFrame"):
            from_frame(wrong, 1)


def test_pandas_comes_first_then_polars_then_a_sentence(monkeypatch):
    assert frame_library("read_csv", None, "CSV files") == ("pandas", pd)
    assert frame_library("read_csv", "polars", "CSV files") == ("polars", pl)
    monkeypatch.setattr("plait.data.frames.installed", lambda name: name == "polars")
    assert frame_library("read_csv", None, "CSV files") == ("polars", pl)
    with pytest.raises(ParameterError, match="read_csv needs library to be 'pandas' or 'polars' or None"):
        frame_library("read_csv", "dask", "CSV files")


NAN = np.nan
MOMENT = datetime.datetime(1970, 1, 2, 0, 0, 1, 500000)


def same(column, kind, values, declared=()):
    assert (column.kind, column.declared) == (kind, declared)
    if kind == "text":
        assert column.values.tolist() == values
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
        ([MOMENT, None], "numeric", [86401.5, NAN]),
        ([MOMENT.replace(tzinfo=datetime.UTC), None], "numeric", [86401.5, NAN]),
        ([MOMENT.date(), None], "numeric", [86400, NAN]),
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
        ("datetime64[ns]", [MOMENT, None], "numeric", [86401.5, NAN]),
        ("datetime64[s, Europe/Berlin]", [datetime.datetime(1970, 1, 1, 1), None], "numeric", [0, NAN]),
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
    same(found, expected.kind, expected.values.tolist())


def test_categories_are_words_in_alphabetical_or_declared_order():
    plain = pd.Series(pd.Categorical(["b", None, "a"], categories=["b", "c", "a"]))
    same(pandas_column(plain, "x", "f"), "text", ["b", None, "a"], ("a", "b", "c"))
    ordered = pd.Series(pd.Categorical(["b", None], categories=["b", "a"], ordered=True))
    same(pandas_column(ordered, "x", "f"), "text", ["b", None], ("b", "a"))
    numbers = pd.Series(pd.Categorical([10, 9]))
    same(pandas_column(numbers, "x", "f"), "text", ["10", "9"], ("10", "9"))
    same(polars_column(pl.Series(["b", None], dtype=pl.Enum(["b", "a"])), "x", "f"), "text", ["b", None], ("b", "a"))
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
