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
from plait.data.conversion.frame_columns import columns_of_frame
from plait.data.conversion.table_columns import column_of_words
from plait.data.readers import delimited
from plait.data.readers.delimited import read_csv

pytest.importorskip("pandas")
pytest.importorskip("polars")

LIBRARIES = ["pandas", "polars"]
WAYS = [None, *LIBRARIES]
BEACH = "size,sky,open,day,sea,sun\n1.5,blue,True,1970-01-02,1,1\nNA,grey,FALSE,,0,0\n2,?,true,1970-01-03,1,0\n"


def write(tmp_path, text, name="beach.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("library", WAYS)
def test_a_table_with_every_kind_of_column(tmp_path, library):
    found = read_csv(write(tmp_path, BEACH), ["sea", "sun"], library=library)
    size, sky, is_open, day = columns_of_frame(found.X, "f")
    np.testing.assert_array_equal(size.values, [1.5, np.nan, 2])
    assert sky.values.tolist() == ["blue", "grey", None]
    np.testing.assert_array_equal(is_open.values, [1, 0, 1])
    np.testing.assert_array_equal(day.values, np.array(["1970-01-02", "NaT", "1970-01-03"], dtype="datetime64[us]"))
    assert found.lines.tolist() == [2, 3, 4]
    np.testing.assert_array_equal(found.Y, [[1, 1], [0, 0], [1, 0]])
    assert found.feature_names == ("size", "sky", "open", "day")
    assert found.feature_kinds == ("numeric", "words", "binary", "dates")
    assert (found.name, found.label_names) == ("beach", ("sea", "sun"))


cells = st.one_of(
    st.text(max_size=6),
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(
        ["", "NA", "true", "FALSE", "1", "0", "a,b", 'say "hi"', "two\nlines", "\r", " x ", "1e5", "0x1F", "2020-02-30"]
    ),
).filter(lambda cell: "\x00" not in cell)


@given(data=st.data(), n=st.integers(0, 5), d=st.integers(1, 4))
def test_python_pandas_and_polars_give_equal_data_sets(tmp_path_factory, data, n, d):
    rows = data.draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n))
    separator = data.draw(st.sampled_from([",", ";", "\t", "|"]))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([*(f"x{j}" for j in range(d)), "sea"])
    writer.writerows([*row, i % 2] for i, row in enumerate(rows))
    path = write(tmp_path_factory.mktemp("csv"), text.getvalue())
    python, pandas, polars = (read_csv(path, ["sea"], library=library, separator=separator) for library in WAYS)
    assert python == pandas == polars
    assert python.n_samples == n
    np.testing.assert_array_equal(python.Y.ravel(), np.arange(n) % 2)


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
    """What each way reads, against the words that Python's csv module reads."""
    words = data.draw(st.lists(number_like, min_size=n, max_size=n))
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerows([["sea", "x"], *([0, word] for word in words)])
    path = write(tmp_path_factory.mktemp("csv"), text.getvalue())
    expected = column_of_words("x", [row[1] for row in csv.reader(io.StringIO(text.getvalue(), newline=""))][1:])
    for library in WAYS:
        found = read_csv(path, 1, library=library)
        if expected.kind == "numeric":
            np.testing.assert_array_equal(np.asarray(found.X)[:, 0], expected.values)
            assert found.feature_kinds == ("numeric",)
        else:
            assert found.feature_kinds == ("words",)


@pytest.mark.parametrize("library", WAYS)
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


@pytest.mark.parametrize("library", WAYS)
def test_identifiers_stay_for_the_encoder_to_leave_out(tmp_path, library):
    text = "id,size,sea\n" + "".join(f"{i},{i / 2},{i % 2}\n" for i in range(50))
    found = read_csv(write(tmp_path, text), -1, library=library)
    assert found.is_table
    assert found.feature_names == ("id", "size")


@pytest.mark.parametrize("library", WAYS)
def test_european_numbers(tmp_path, library):
    found = read_csv(write(tmp_path, "size;place;sea\n1,5;1,5;1\n-0,25;x;0\n2;;0\n"), -1, library=library)
    assert found.feature_kinds == ("numeric", "words")
    assert found.X["size"].tolist() == [1.5, -0.25, 2.0]


@pytest.mark.parametrize("library", WAYS)
def test_a_later_file_is_read_as_the_first_one(tmp_path, library):
    kinds = {"code": "words", "size": "numbers", "day": "dates", "open": "yes/no"}
    path = write(tmp_path, "code,size,day,open,more\n01,1,,true,7\n\n1,,,false,8\n")
    code, size, day, is_open, more = columns_of_frame(read_csv(path, [], kinds=kinds, library=library).X, "f")
    assert code.values.tolist() == ["01", "1"]
    assert [size.kind, day.kind, is_open.kind, more.kind] == ["numeric", "date", "text", "numeric"]
    path = write(tmp_path, "code,size\n1,2\n\n3,big\n")
    with pytest.raises(DataError, match=r"line 4: expected a number in column 'size', as in training, but found 'big'"):
        read_csv(path, [], kinds=kinds, library=library)


def test_lines_of_records_of_several_lines(tmp_path):
    path = write(tmp_path, 'note,sea\n"a\nb",1\n\nc,0\n')
    assert read_csv(path, -1).lines.tolist() == [2, 5]


@pytest.mark.parametrize("library", WAYS)
def test_a_head_alone_is_a_data_set_without_rows(tmp_path, library):
    found = read_csv(write(tmp_path, "size,sea\n"), ["sea"], library=library)
    assert (found.X.shape, found.Y.shape) == ((0, 1), (0, 1))


@pytest.mark.parametrize("library", WAYS)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "beach.csv: expected a first line with the names of the columns, but found none"),
        ("size,sea\n1,\n", "expected values of label 'sea', but found none in any row"),
        ("size,sea\n1,1\n2,2\n", "expected label 'sea' to hold 0 and 1"),
        ("size,size,sea\n1,1,1\n", "expected columns with different names, but found 'size' twice"),
        (",size,sea\n1,1,1\n", "expected a name for every column, but found none for column 1"),
        ("size,sea\n1,1\n\n2\n", "beach.csv, line 4: expected 2 values, as many as columns, but found 1"),
        ("size,sea\n1,1,1\n", "beach.csv, line 2: expected 2 values, as many as columns, but found 3"),
        ('size,sea\n"1,1\n', "beach.csv, line 2: expected a closing quote, but found the end of the file"),
        ('size,sea\n1"2",1\n', "beach.csv, line 2: expected quotes only around whole values, but found one elsewhere"),
        (b"size,sea\n\x81,1\n", "beach.csv, line 2: expected text in UTF-8, but found byte 0x81"),
        (b"size,sea\n\x00,1\n", "beach.csv, line 2: expected text, but found a null byte"),
        (b"PK\x03\x04\x00\x00", "expected text, but found a null byte"),
        ("size,see\n1,1\n", "expected a label column 'sea', but found columns 'size', 'see'"),
    ],
)
def test_what_is_refused(tmp_path, library, text, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read_csv(write(tmp_path, text), ["sea"], library=library)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_what_spreadsheets_write(tmp_path, encoding):
    """With a mark, in UTF-16 as "Unicode text", and in the code of old Windows, of which a note tells."""
    text = "größe,sea\nmüde,1\nnah,0\n"
    path = tmp_path / "beach.csv"
    path.write_bytes((("\ufeff" if encoding == "utf-16-be" else "") + text).encode(encoding))
    if encoding == "cp1252":
        with pytest.warns(DataWarning, match=r"beach.csv, line 1: this is no UTF-8; it is read as Windows-1252"):
            found = read_csv(path, ["sea"])
    else:
        found = read_csv(path, ["sea"])
    assert found.feature_names == ("größe",)
    assert found.X["größe"].tolist() == ["müde", "nah"]


@pytest.mark.parametrize("library", WAYS)
def test_gaps_in_labels_are_unknown(tmp_path, library):
    found = read_csv(write(tmp_path, "size,sea\n1,1\n2,NA\n3,?\n4,\n5,0\n"), ["sea"], library=library)
    np.testing.assert_array_equal(found.Y, [[1], [np.nan], [np.nan], [np.nan], [0]])


def test_labels_must_be_chosen(tmp_path):
    with pytest.raises(DataError, match=re.escape("but found columns 'size', 'sky'")):
        read_csv(write(tmp_path, BEACH), None)


@pytest.mark.parametrize("wrong", [{"separator": ":"}, {"library": "dask"}])
def test_parameters_are_checked(tmp_path, wrong):
    with pytest.raises(ParameterError, match=f"needs {next(iter(wrong))} to be"):
        read_csv(write(tmp_path, BEACH), -2, **wrong)


def test_no_library_is_needed_unless_it_is_asked_for(tmp_path, monkeypatch):
    def missing(package, **details):
        raise ImportError(f"plait needs {package} for {details['purpose']}")

    path = write(tmp_path, BEACH)
    by_pandas = read_csv(path, -2, library="pandas")
    monkeypatch.setattr(delimited, "_LARGE", 1)
    monkeypatch.setattr(delimited, "installed", lambda name: False)
    monkeypatch.setattr(frames, "optional", missing)
    assert read_csv(path, -2) == by_pandas
    with pytest.raises(ImportError, match="plait needs pandas for CSV files"):
        read_csv(path, -2, library="pandas")


def test_large_files_are_read_by_pandas(tmp_path, monkeypatch):
    path = write(tmp_path, BEACH)
    by_python = read_csv(path, -2)
    used = []
    original = delimited._pandas_frame
    monkeypatch.setattr(delimited, "_LARGE", len(BEACH))
    monkeypatch.setattr(
        delimited, "_pandas_frame", lambda *given, **options: used.append(1) or original(*given, **options)
    )
    assert read_csv(path, -2) == by_python
    assert used


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_fault_of_the_library_is_a_data_error(tmp_path, library, monkeypatch):
    def broken(*args, **options):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(f"{library}.read_csv", broken)
    with pytest.raises(DataError, match=f"a table that {library} can read, but found 'out of luck'"):
        read_csv(write(tmp_path, BEACH), -2, library=library)


def tidied(text: bytes, separator: str = ","):
    return delimited._tidied(text, separator, "beach.csv")


@pytest.mark.parametrize(
    ("text", "tidy", "records", "width"),
    [
        (b"a,b\n1,2\n", b"a,b\n1,2\n", 2, 2),
        (b"a,b\r\n1,2", b"a,b\n1,2\n", 2, 2),
        (b"a,b\r1,2\r", b"a,b\n1,2\n", 2, 2),
        (b"\n\na,b\n  \n1,2\n\r\n\n", b"a,b\n1,2\n", 2, 2),
        (b'"a\nb",""\n,\n', b'"a\nb",""\n,\n', 2, 2),
        (b'"a""b"\n""\n', b'"a""b"\n""\n', 2, 1),
        (b'"a\r\nb"\r\n"\r"\r', b'"a\r\nb"\n"\r"\n', 2, 1),
        (b"a\n \n1\n", b"a\n1\n", 2, 1),
    ],
)
def test_records_are_spelt_in_one_way(text, tidy, records, width):
    found = tidied(text)
    assert (found.text, found.n_rows + 1, found.width) == (tidy, records, width)


@pytest.mark.parametrize("text", [b"", b"\n \n", b"\r"])
def test_a_table_has_a_head(text):
    with pytest.raises(DataError, match="expected a first line with the names of the columns"):
        tidied(text)


RAGGED, STRAY_QUOTE, OPEN_QUOTE = "as many as columns", "quotes only around whole values", "a closing quote"


@pytest.mark.parametrize(
    ("text", "fault", "line"),
    [
        (b"a,b\n1\n", RAGGED, 2),
        (b"a,b\n\n1,2\n1,2,3\n", RAGGED, 4),
        (b'a,b\n"x\r\ny\rz",1\n1\n', RAGGED, 5),
        (b'a,b\n1"2,3\n', STRAY_QUOTE, 2),
        (b'a,b\n1, "2"\n', STRAY_QUOTE, 2),
        (b'a,b\n"1"2,3\n', STRAY_QUOTE, 2),
        (b'a,b\n1"2",3,4\n', STRAY_QUOTE, 2),
        (b'a,b\n1\n1"2,3\n', RAGGED, 2),
        (b'a,b\n1,2\n"1,3\n', OPEN_QUOTE, 3),
        (b'a,b\n"1""', OPEN_QUOTE, 2),
        (b'"a\r', OPEN_QUOTE, 1),
        (b'a,b\n1\n"1,3\n', RAGGED, 2),
    ],
)
def test_faults_are_found_in_their_line(text, fault, line):
    with pytest.raises(DataError, match=f"beach.csv, line {line}: expected .*{fault}"):
        tidied(text)


fields = st.text(alphabet='ab1 ,;"\r\né', max_size=5)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(fields, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(tables, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_what_the_csv_module_writes_is_good_and_reads_back_the_same(table, separator, end, quote_all):
    text = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_NONNUMERIC
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows(table)
    found = tidied(text.getvalue().encode(), separator)
    assert (found.n_rows + 1, found.width) == (len(table), len(table[0]))
    assert list(csv.reader(io.StringIO(found.text.decode(), newline=""), delimiter=separator, strict=True)) == table
    cells = [delimited._unquoted(cell) for cell in found.cells(0, len(table))]
    assert cells == [cell for row in table for cell in row]
    assert found.cells(0, 1) + found.cells(1, len(table)) == found.cells(0, len(table))


@given(st.text(alphabet='ab1 ,"\r\n', max_size=30))
def test_whatever_is_called_good_is_so_to_a_strict_reader_too(text):
    try:
        found = tidied(text.encode())
    except DataError:
        return
    rows = list(csv.reader(io.StringIO(found.text.decode(), newline=""), strict=True))
    assert len(rows) == found.n_rows + 1
    assert {len(row) for row in rows} <= {found.width}


@given(st.text(alphabet='a ,"\r\n', max_size=20))
def test_the_structure_is_that_of_a_scanner_that_goes_byte_by_byte(text):
    expected = scanned(text)
    if isinstance(expected, tuple):
        line, fault = expected
        place = "beach.csv" if line is None else f"beach.csv, line {line}"
        with pytest.raises(DataError, match=f"^{place}: expected .*{fault}"):
            tidied(text.encode())
    else:
        found = tidied(text.encode())
        assert expected == [found.cells(r, r + 1) for r in range(found.n_rows + 1)]


def scanned(text: str):
    """Return the records of comma-separated text, or line and words of what is wrong, going from left to right."""
    records, i, line = [], 0, 1
    while i < len(text):
        fields, start_line = [], line
        while True:
            if text[i : i + 1] == '"':
                match = re.compile(r'"(?:[^"]|"")*+"').match(text, i)
                if match is None:
                    return start_line, OPEN_QUOTE
            else:
                match = re.compile(r'[^,"\r\n]*').match(text, i)
            fields.append(match.group())
            line += len(re.findall(r"\r\n|\r|\n", match.group()))
            i = match.end()
            if i < len(text) and text[i] not in ",\r\n":
                return start_line, STRAY_QUOTE
            if text[i : i + 1] != ",":
                break
            i += 1
        i += 2 if text[i : i + 2] == "\r\n" else 1
        line += 1
        if len(fields) == 1 and not fields[0].strip(" "):
            continue
        if records and len(fields) != len(records[0]):
            return start_line, RAGGED
        records.append(fields)
    return records or (None, "a first line")
