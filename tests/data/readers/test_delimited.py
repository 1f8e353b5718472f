"""CSV: one meaning for pandas and polars, Python's csv module as the oracle of what the cells are."""

import bz2
import csv
import gzip
import io
import lzma
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning, frames
from plait.data.conversion.table_columns import column_of_words
from plait.data.readers.delimited import read_csv

pytest.importorskip("pandas")
pytest.importorskip("polars")

LIBRARIES = ["pandas", "polars"]
BEACH = "size,sky,open,day,sea,sun\n1.5,blue,True,1970-01-02,1,yes\nNA,grey,FALSE,,0,no\n2,?,true,1970-01-03,1,no\n"


def write(tmp_path, text, name="beach.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_with_every_kind_of_column(tmp_path, library):
    found = read_csv(write(tmp_path, BEACH), ["sea", "sun"], library=library)
    nan = np.nan
    np.testing.assert_array_equal(found.X, [[1.5, 0, 1, 86400], [nan, 1, 0, nan], [2, nan, 1, 172800]])
    np.testing.assert_array_equal(found.Y, [[1, 1], [0, 0], [1, 0]])
    assert found.feature_names == ("size", "sky", "open", "day")
    assert found.feature_kinds == ("numeric", "binary", "binary", "numeric")
    assert (found.name, found.label_names) == ("beach", ("sea", "sun"))


cells = st.one_of(
    st.text(max_size=6),
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(
        ["", "NA", "true", "FALSE", "1", "0", "a,b", 'say "hi"', "two\nlines", "\r", " x ", "1e5", "0x1F", "2020-02-30"]
    ),
).filter(lambda cell: "\x00" not in cell)


@given(data=st.data(), n=st.integers(0, 5), d=st.integers(1, 4), nominal=st.sampled_from(["onehot", "codes"]))
def test_pandas_and_polars_give_equal_data_sets(tmp_path_factory, data, n, d, nominal):
    rows = data.draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n))
    separator = data.draw(st.sampled_from([",", ";", "\t", "|"]))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([*(f"x{j}" for j in range(d)), "sea"])
    writer.writerows([*row, i % 2] for i, row in enumerate(rows))
    path = write(tmp_path_factory.mktemp("csv"), text.getvalue())
    pandas, polars = (
        read_csv(path, ["sea"], library=library, nominal=nominal, separator=separator) for library in LIBRARIES
    )
    assert pandas == polars
    assert pandas.n_samples == n
    np.testing.assert_array_equal(pandas.Y.ravel(), np.arange(n) % 2)


number_like = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.text(alphabet="0123456789+-.eE _", max_size=8),
    st.sampled_from(
        ["", " ", "NA", "?", "nan", " NaN ", "null", "None", "N/A", "NAN", "inf", "1e400", "9" * 30, "\t1"]
    ),
)


@given(data=st.data(), n=st.integers(0, 4), quote=st.booleans())
def test_columns_of_numbers_mean_what_their_words_mean(tmp_path_factory, data, n, quote):
    """What the kernels read, against the words that Python's csv module reads."""
    words = data.draw(st.lists(number_like, min_size=n, max_size=n))
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerows([["sea", "x"], *([0, word] for word in words)])
    found = read_csv(write(tmp_path_factory.mktemp("csv"), text.getvalue()), 1, nominal="codes")
    expected = column_of_words("x", [row[1] for row in csv.reader(io.StringIO(text.getvalue(), newline=""))][1:])
    if expected.kind == "numeric":
        np.testing.assert_array_equal(found.X[:, 0], expected.values)
        assert found.feature_kinds == ("numeric",)
    else:
        assert found.feature_kinds in (("binary",), ("nominal",))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path, library, separator):
    lines = [['"a,b;c|d,e,f"', "x", "sea"], ['"1;2,3"', "0.5", "1"], ["", "a word", "0"]]
    text = "".join(separator.join(line) + "\n" for line in lines)
    found = read_csv(write(tmp_path, text), -1, library=library)
    assert found.feature_names == ("a,b;c|d,e,f", "x")
    assert found == read_csv(write(tmp_path, text), -1, library=library, separator=separator)


def test_a_tsv_has_tabs_whatever_its_names_look_like(tmp_path):
    path = write(tmp_path, "a,b,c\tsea\n1\t0\n", "beach.tsv")
    assert read_csv(path, -1).feature_names == ("a,b,c",)
    assert read_csv(write(tmp_path, "a,b,c\tsea\n1\t0\n"), -1).feature_names == ("a,b,c",)


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")])
def test_packed_files(tmp_path, pack, suffix):
    path = write(tmp_path, pack(BEACH.encode()), f"beach.csv.{suffix}")
    assert read_csv(path, -2) == read_csv(write(tmp_path, BEACH), -2)


def test_marks_returns_and_blanks_around_names_do_not_count(tmp_path):
    text = '\ufeff size , "sky" ,sea\r\n 1 , blue ,1\r\n\r\n'.replace(' "sky" ', '" sky "')
    found = read_csv(write(tmp_path, text), ["sea"])
    assert found.feature_names == ("size", " sky ")


def test_values_are_sorted_and_codes_follow(tmp_path):
    path = write(tmp_path, "wind,sea\nwest,1\neast,0\nnorth,1\n,0\n")
    found = read_csv(path, ["sea"], nominal="codes")
    np.testing.assert_array_equal(found.X, [[2], [0], [1], [np.nan]])
    assert read_csv(path, ["sea"]).feature_names == ("wind=east", "wind=north", "wind=west")


@pytest.mark.parametrize("library", LIBRARIES)
def test_identifiers_are_left_out_with_a_warning(tmp_path, library):
    text = "id,size,sea\n" + "".join(f"row{i},{i},{i % 2}\n" for i in range(50))
    with pytest.warns(DataWarning, match="left out 'id'"):
        found = read_csv(write(tmp_path, text), -1, library=library)
    assert found.feature_names == ("size",)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_head_alone_is_a_data_set_without_rows(tmp_path, library):
    found = read_csv(write(tmp_path, "size,sea\n"), ["sea"], library=library)
    assert (found.X.shape, found.Y.shape) == ((0, 1), (0, 1))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "beach.csv: expected a first line with the names of the columns, but found none"),
        ("size,sea\n1,\n", "expected a value of label 'sea' in every row, but found none in row 1"),
        ("size,sea\n1,1\n2,NA\n", "expected a value of label 'sea' in every row, but found none in row 2"),
        ("size,sea\n1,1\n2,2\n", "expected label 'sea' to hold 0 and 1"),
        ("size,size,sea\n1,1,1\n", "expected columns with different names, but found 'size' twice"),
        (",size,sea\n1,1,1\n", "expected a name for every column, but found none for column 1"),
        ("size,sea\n1,1\n\n2\n", "beach.csv, line 4: expected 2 values, as many as columns, but found 1"),
        ("size,sea\n1,1,1\n", "beach.csv, line 2: expected 2 values, as many as columns, but found 3"),
        ('size,sea\n"1,1\n', "beach.csv, line 2: expected a closing quote, but found the end of the file"),
        ('size,sea\n1"2",1\n', "beach.csv, line 2: expected quotes only around whole values, but found one elsewhere"),
        (b"size,sea\n\xff,1\n", "beach.csv, line 2: expected text in UTF-8, but found byte 0xff"),
        (b"size,sea\n\x00,1\n", "beach.csv, line 2: expected text, but found a null byte"),
        (b"PK\x03\x04\x00\x00", "expected text, but found a null byte"),
        ("size,see\n1,1\n", "expected a label column 'sea', but found columns 'size', 'see'"),
    ],
)
def test_what_is_refused(tmp_path, library, text, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read_csv(write(tmp_path, text), ["sea"], library=library)


def test_labels_must_be_chosen(tmp_path):
    with pytest.raises(DataError, match=re.escape("but found columns 'size', 'sky'")):
        read_csv(write(tmp_path, BEACH), None)


@pytest.mark.parametrize("wrong", [{"separator": ":"}, {"nominal": "words"}, {"library": "dask"}])
def test_parameters_are_checked(tmp_path, wrong):
    with pytest.raises(ParameterError, match=f"needs {next(iter(wrong))} to be"):
        read_csv(write(tmp_path, BEACH), -2, **wrong)


def test_without_a_library_there_is_one_sentence(tmp_path, monkeypatch):
    def missing(package, **details):
        raise ImportError(f"plait needs {package} for {details['purpose']}")

    monkeypatch.setattr(frames, "installed", lambda name: False)
    monkeypatch.setattr(frames, "optional", missing)
    with pytest.raises(ImportError, match="plait needs pandas for CSV files with words"):
        read_csv(write(tmp_path, BEACH), -2)
    assert read_csv(write(tmp_path, "size,sea\n1.5,1\nNA,0\n"), -1).n_samples == 2


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_fault_of_the_library_is_a_data_error(tmp_path, library, monkeypatch):
    def broken(*args, **options):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(f"{library}.read_csv", broken)
    with pytest.raises(DataError, match=f"a table that {library} can read, but found 'out of luck'"):
        read_csv(write(tmp_path, BEACH), -2, library=library)
