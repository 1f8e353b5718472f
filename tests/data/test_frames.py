"""Frames in memory: the way back from `Dataset.to_frame`, and equal answers for both libraries."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import DataError, Dataset
from plait.data.frames import FRAME_LIBRARIES, frame_library, from_frame

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

cells = {
    "numbers": st.one_of(st.none(), st.floats(allow_nan=False)),
    "integers": st.one_of(st.none(), st.integers(-(2**53), 2**53)),
    "truths": st.one_of(st.none(), st.booleans()),
    "words": st.one_of(st.none(), st.text(max_size=3)),
    "moments": st.one_of(st.none(), st.datetimes()),
    "days": st.dates(),
}
types = {
    "numbers": ("float64", pl.Float64),
    "integers": ("Int64", pl.Int64),
    "truths": ("boolean", pl.Boolean),
    "words": ("string", pl.String),
    "moments": ("datetime64[us]", pl.Datetime("us")),
    "days": ("object", pl.Date),
}


@given(data=st.data(), n=st.integers(1, 5))
def test_both_libraries_give_equal_data_sets(data, n):
    table = {kind: data.draw(st.lists(values, min_size=n, max_size=n)) for kind, values in cells.items()}
    label = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    pandas = pd.DataFrame(
        {k: pd.Series(v, dtype=types[k][0]) for k, v in table.items()} | {"sea": np.array(label, bool)}
    )
    polars = pl.DataFrame(
        {k: pl.Series(v, dtype=types[k][1]) for k, v in table.items()} | {"sea": pl.Series(label, dtype=pl.Boolean)}
    )
    assert from_frame(pandas, "sea") == from_frame(polars, -1)


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
    for wrong in (np.ones((2, 2)), {"a": [1]}, pd.Series([1])):
        with pytest.raises(ParameterError, match="from_frame needs frame to be a data frame"):
            from_frame(wrong, 1)


def test_pandas_comes_first_then_polars_then_a_sentence(monkeypatch):
    assert frame_library("read_csv", None, "CSV files") == ("pandas", pd)
    assert frame_library("read_csv", "polars", "CSV files") == ("polars", pl)
    monkeypatch.setattr("plait.data.frames.installed", lambda name: name == "polars")
    assert frame_library("read_csv", None, "CSV files") == ("polars", pl)
    with pytest.raises(ParameterError, match="read_csv needs library to be 'pandas' or 'polars' or None"):
        frame_library("read_csv", "dask", "CSV files")


def test_a_frame_of_more_than_numbers_stays_a_frame():
    frame = pl.DataFrame({"sky": ["blue", None], "size": [1.5, 2.0], "sea": [1, 0]})
    found = from_frame(frame, ["sea"])
    assert found.is_table
    assert found.feature_kinds == ("words", "numeric")
    assert found.rows([1]).X["size"].tolist() == found.rows([False, True]).X["size"].tolist() == [2.0]
    assert found.to_frame().columns.tolist() == ["sky", "size", "sea"]
    assert repr(found) == "Dataset 'data': 2 rows, 2 features (table), 1 label (dense), cardinality 0.500"
    assert found == from_frame(frame.to_pandas(), ["sea"])
    assert found != from_frame(frame.with_columns(sky=pl.lit("red")), ["sea"])


def test_joined_tags_are_labels():
    found = from_frame(
        pd.DataFrame({"size": [1.0, 2.0, 3.0], "genre": ["sea, sun", None, "sun"]}), tags="genre", sep=","
    )
    assert found.label_names == ("sea", "sun")
    assert found.Y.tolist() == [[1, 1], [0, 0], [0, 1]]
    with pytest.raises(DataError, match="expected labels= or tags=, but found both"):
        from_frame(pd.DataFrame({"a": [1]}), ["a"], tags="a")


@pytest.mark.parametrize(
    "cells", [[["sun", "sea"], [], ["sea"]], [("sun", "sea"), None, ("sea",)], [{"sun", "sea"}, set(), {"sea"}]]
)
def test_tags_may_be_lists_of_words(cells):
    """As JSON records have them; names may hold anything that joins names elsewhere."""
    found = from_frame(pd.DataFrame({"size": [1.0, 2.0, 3.0], "tags": pd.Series(cells, dtype=object)}), tags="tags")
    assert found.label_names == ("sea", "sun")
    np.testing.assert_array_equal(found.Y, [[1, 1], [0, 0], [1, 0]])
    comma = from_frame(pd.DataFrame({"tags": [["a, b|c"], ["it's"]]}), tags="tags")
    assert comma.label_names == ("a, b|c", "it's")
    polars = pytest.importorskip("polars")
    lists = polars.DataFrame({"size": [1.0, 2.0], "tags": [["sun"], []]})
    np.testing.assert_array_equal(from_frame(lists, tags="tags").Y, [[1], [0]])
    with pytest.raises(DataError, match="expected numbers, words or dates in column 'other'"):
        from_frame(pd.DataFrame({"other": [["sun"]], "tags": [["sun"]]}), tags="tags")


def test_a_column_of_joined_tags_among_labels_is_told_from_words():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "tags": ["sea;sun", "sun", "sea"]})
    with pytest.raises(DataError, match=r"If it holds all labels of a row, pass tags='tags' \(--tags tags\)"):
        from_frame(frame, labels=["tags"])
