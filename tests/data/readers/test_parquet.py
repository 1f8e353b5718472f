"""Parquet: one meaning for pandas and polars."""

import datetime
import io
import re

import numpy as np
import pytest

from plait.data import DataError
from plait.data.conversion.frame_columns import columns_of_frame
from plait.data.readers.parquet import read_parquet

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pytest.importorskip("pyarrow")

LIBRARIES = ["pandas", "polars"]
DAY = datetime.date(1970, 1, 2)


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "size": [1.5, None, 2.0],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "sky": ["blue", "grey", None],
            "wind": pd.Categorical(["low", "high", "low"], categories=["low", "high", "none"], ordered=True),
            "open": pd.array([True, None, False], dtype="boolean"),
            "day": [DAY, None, DAY],
            "moment": pd.to_datetime(["1970-01-02", None, "1970-01-03"]),
            "sea": [1, 0, 1],
        }
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_kind_of_column(tmp_path, frame, library):
    path = tmp_path / "beach.parquet"
    frame.to_parquet(path)
    found = read_parquet(path, ["sea"], library=library)
    columns = columns_of_frame(found.X, "f")
    np.testing.assert_array_equal(columns[1].values, [1, np.nan, 3])
    assert [word for column in columns[2:4] for word in column.values] == ["blue", "grey", None, "low", "high", "low"]
    np.testing.assert_array_equal(columns[4].values, [1, np.nan, 0])
    moments = np.array(["1970-01-02", "NaT", "1970-01-03"], dtype="datetime64[us]")
    np.testing.assert_array_equal(columns[6].values, moments)
    assert found.feature_names == ("size", "count", "sky", "wind", "open", "day", "moment")
    assert found.feature_kinds == ("numeric", "numeric", "words", "words", "binary", "dates", "dates")
    assert (found.name, found.label_names) == ("beach", ("sea",))


@pytest.mark.parametrize("library", LIBRARIES)
def test_row_numbers_of_pandas_are_left_out(tmp_path, frame, library):
    path = tmp_path / "beach.parquet"
    frame.set_axis([5, 7, 9]).to_parquet(path)
    assert read_parquet(path, -1, library=library).n_features == 7


def test_files_written_by_polars_mean_the_same(tmp_path, frame):
    path = tmp_path / "beach.parquet"
    pl.DataFrame(
        {
            "wind": pl.Series(["low", None, "high"], dtype=pl.Enum(["low", "high"])),
            "sky": pl.Series(["c", "b", "a"], dtype=pl.Categorical),
            "hour": [datetime.time(1), None, datetime.time(2)],
            "length": [datetime.timedelta(seconds=1), None, None],
            "sea": [True, False, True],
        }
    ).write_parquet(path)
    pandas, polars = (read_parquet(path, ["sea"], library=library) for library in LIBRARIES)
    assert pandas == polars
    assert pandas.X["sky"].tolist() == ["c", "b", "a"]
    np.testing.assert_array_equal(pandas.X["hour"], [3600, np.nan, 7200])
    np.testing.assert_array_equal(pandas.X["length"], [1, np.nan, np.nan])


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_refused(tmp_path, library):
    path = tmp_path / "beach.parquet"
    for content in (b"", b"no table", b"PAR1" * 20):
        path.write_bytes(content)
        with pytest.raises(DataError, match=re.escape("beach.parquet: expected a whole Parquet file")):
            read_parquet(path, 1, library=library)
    pd.DataFrame({"x": [[1, 2], [3]], "sea": [0, 1]}).to_parquet(path)
    with pytest.raises(DataError, match="expected numbers, words or dates in column 'x'"):
        read_parquet(path, ["sea"], library=library)
    pd.DataFrame({"x": [1.0, 2.0], "sea": [0, None]}).to_parquet(path)
    np.testing.assert_array_equal(read_parquet(path, ["sea"], library=library).Y, [[0], [np.nan]])
    with pytest.raises(DataError, match="to be told which columns are labels"):
        read_parquet(path, None, library=library)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_few_bytes_that_state_a_billion_values_are_refused(tmp_path, library, monkeypatch):
    monkeypatch.setattr("plait.data.readers.parquet._CELLS_FLOOR", 10)
    path = tmp_path / "beach.parquet"
    pd.DataFrame({"x": np.zeros(10**6), "y": np.zeros(10**6)}).to_parquet(path)
    limit = 1000 * path.stat().st_size
    if limit < 2 * 10**6:
        with pytest.raises(DataError, match=f"at most {limit} values in a file of"):
            read_parquet(path, 1, library=library)
    monkeypatch.setattr("plait.data.readers.parquet._CELLS_PER_BYTE", 1)
    with pytest.raises(DataError, match=r"expected at most \d+ values in a file of"):
        read_parquet(path, 1, library=library)


def test_polars_reads_where_pyarrow_is_missing(tmp_path, frame, monkeypatch):
    path = tmp_path / "beach.parquet"
    frame.to_parquet(path)
    monkeypatch.setattr("plait.data.readers.parquet.installed", lambda name: name != "pyarrow")
    monkeypatch.setattr("plait.data.readers.parquet._by_pandas", None)
    assert read_parquet(path, ["sea"]).n_samples == 3


def test_broken_files_are_data_errors_or_data(tmp_path, frame):
    # By pyarrow only: polars ends the process where a broken file makes it ask for too much memory.
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    content = bytearray(buffer.getvalue())
    rng = np.random.default_rng(0)
    path = tmp_path / "beach.parquet"
    outcomes = set()
    for _ in range(60):
        broken = content.copy()
        broken[int(rng.integers(len(broken)))] = int(rng.integers(256))
        path.write_bytes(broken)
        try:
            outcomes.add(type(read_parquet(path, ["sea"], library="pandas")).__name__)
        except DataError:
            outcomes.add("DataError")
    assert "DataError" in outcomes
