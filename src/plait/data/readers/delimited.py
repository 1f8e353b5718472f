"""Read CSV and other separated text: structure and meaning are plait's own, pandas is the fast way for large files.

Libraries differ in what they make of odd quotes, of rows that are too short and of blank lines. So the structure is
checked here first: every record has as many fields as the first line, and quotes stand only around whole fields,
doubled inside. What passes means the same whoever splits it into cells.
"""

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.core.arrays import Array, Bools, Ints
from plait.core.checks import Nothing, OneOf, check_value
from plait.core.extras import installed
from plait.core.sentences import shown
from plait.data.conversion.files import BYTE_ORDER_MARK, as_utf8, plain_stem, plain_suffix, read_all
from plait.data.conversion.label_columns import LabelChoice
from plait.data.conversion.table_columns import (
    MISSING_WORDS,
    NotOfKindError,
    TableColumn,
    column_of_words,
    refuse_doubles,
)
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.frames import FRAME_LIBRARIES, LabelPlan, dataset_of_columns, frame_library

__all__ = ["SEPARATORS", "csv_part", "read_csv"]

SEPARATORS = (",", ";", "\t", "|")

# Bytes from which pandas reads faster than Python (about 15 MB in a second), its import of 0.4 s included.
_LARGE = 1 << 22

_FIRST_LINE = re.compile(rb'[\r\n ]*(?:"[^"]*"|[^"\r\n]+)*')
_NO_BOUND = 1 << 62  # what a packed file may grow to is bounded already
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34
# How the columns of a fitted encoder are read again; those of other kinds by what they hold.
_READ_AS = {"numbers": "numeric", "numeric": "numeric", "dates": "date"} | dict.fromkeys(
    ("yes/no", "words", "text", "left out"), "text"
)


def read_csv(
    path: str | os.PathLike[str],
    labels: LabelChoice = None,
    *,
    tags: str | None = None,
    sep: str | None = None,
    positive: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    separator: str | None = None,
    library: str | None = None,
    name: str | None = None,
) -> Dataset:
    r"""Read a table of separated text whose first line names the columns.

    Columns of numbers (also 1,5 where no comma separates values) and of true and false alone become an array. If there
    are dates (2024-01-31, with or without a time, or 31.01.2024), words, or columns that only tell rows apart, `X` is
    a data frame with all columns as they are, for `TableEncoder` before a model. Missing values (nothing, ?, NA, N/A,
    NaN, null, None) become NaN or None. Blanks around values and around names without quotes do not count; lines
    without values are passed over.

    Parameters
    ----------
    path : path
        The file, packed (.gz, .bz2, .xz) or not, in UTF-8 or UTF-16; what is neither is read as Windows-1252, with
        a note.
    labels : list of str, str, re.Pattern or int
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
    tags, sep : str, optional
        Instead of labels: the column that holds all labels of a row, and what joins them; found out by default.
    positive : str or dict, optional
        The word that means 1 in label columns of two words, for all or by label.
    kinds : dict of str to str, optional
        What columns are, as `TableEncoder.kinds_` has it, so that a file is read as the one that a model was fitted
        on: numbers must be numbers, words stay words even if they look like numbers.
    separator : {",", ";", "\\t", "|"}, optional
        What stands between values; by default what splits the first line and all others into the most columns, and
        a tab in .tsv files.
    library : {"pandas", "polars"}, optional
        Which library reads the cells; by default pandas where it is installed and the file is large, else none. All
        give the same.
    name : str, optional
        Name of the data set; by default that of the file.

    Returns
    -------
    Dataset
        Dense, labels in the order of the columns.

    Raises
    ------
    DataError
        If the content is not such a table, a label is missing, or no labels were chosen.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "beach.csv")
    ...     size = file.write_text("size,sky,sea,sun\n1.5,blue,1,1\nNA,grey,0,0\n")
    ...     beach = read_csv(file, labels=["sea", "sun"])
    >>> beach
    Dataset 'beach': 2 rows, 2 features (table), 2 labels (dense), cardinality 1.000
    >>> beach.feature_names, beach.feature_kinds
    (('size', 'sky'), ('numeric', 'words'))
    """
    check_value("read_csv", "separator", separator, (OneOf(SEPARATORS), Nothing()))
    check_value("read_csv", "library", library, (OneOf(FRAME_LIBRARIES), Nothing()))
    file, title = os.fspath(path), plain_stem(path) if name is None else name
    content = as_utf8(read_all(path, _NO_BOUND), file)
    if separator is None and plain_suffix(path) == ".tsv":
        separator = "\t"
    table = _tidied(content, separator, file)
    plan = LabelPlan(labels, tags, sep, positive)
    return _dataset(table, plan, kinds or {}, kinds is not None, library, file, title)


def csv_part(
    content: bytes,
    file: str,
    plan: LabelPlan,
    kinds: Mapping[str, str],
    *,
    separator: str | None,
    keep: Any,
    skipped: int,
) -> tuple[Dataset, str]:
    """Return some records of a file, under its head, as a data set, and the separator that was found.

    `keep` is that of `dataset_of_columns`; `skipped` says how many lines of the file lie between the head and them.
    """
    table = _tidied(as_utf8(content, file), separator, file, skipped)
    return _dataset(table, plan, kinds, keep, None, file, plain_stem(file)), table.separator


def _dataset(
    table: "_Table", plan: LabelPlan, kinds: Mapping[str, str], keep: Any, library: str | None, file: str, title: str
) -> Dataset:
    names = [_name(cell) for cell in table.cells(0, 1)]
    refuse_doubles(names, file)
    plan.positions(names, file)
    content = table.text
    if library is None and len(content) >= _LARGE and installed("pandas"):
        library = "pandas"
    asked = [_READ_AS.get(kinds.get(name, "")) for name in names]
    columns = list(
        _columns(table, names, asked, file) if library is None else _columns_by(library, table, names, asked, file)
    )
    return dataset_of_columns(columns, table.n_rows, plan, title, file, keep=keep, lines=table.lines[1:])


class _Table(NamedTuple):
    """Separated text of a sound structure: lines end with a line feed, none is blank, each has `width` fields."""

    text: bytes
    separator: str
    width: int
    ends: Ints  # where each field ends, line by line
    lines: Ints  # the line of the file in which each record begins

    @property
    def n_rows(self) -> int:
        """Number of records below the head."""
        return len(self.ends) // self.width - 1

    def cells(self, first: int, last: int) -> list[str]:
        """Return the fields of some records one after the other, quotes included."""
        ends = self.ends[first * self.width : last * self.width].tolist()
        start = int(self.ends[first * self.width - 1]) + 1 if first else 0
        if b'"' not in self.text:
            text = self.text[start : ends[-1]].decode() if ends else ""
            return text.replace("\n", self.separator).split(self.separator) if ends else []
        starts = [start, *(end + 1 for end in ends[:-1])]
        return [self.text[start:end].decode() for start, end in zip(starts, ends, strict=False)]


def _tidied(content: bytes, separator: str | None, file: str, skipped: int = 0) -> _Table:
    """Return the table, by the first separator that makes one; else say what is wrong by the first of all.

    Lines below the head are by `skipped` further down in the file.
    """
    content = content if content.endswith(b"\n") else content + b"\n"
    text = np.frombuffer(content, dtype=np.uint8)
    quoted, returned = b'"' in content, b"\r" in content
    inside = np.zeros(len(text) if quoted or returned else 0, dtype=bool)
    if quoted:
        np.logical_xor.accumulate(text == _QUOTE, out=inside)  # an opening quote is, a closing one is not
    if returned:
        text, inside = _with_line_feeds(text, inside)
    faults = []
    for candidate in (separator,) if separator else _by_width(content):
        table = _table(text, inside, candidate, file, skipped)
        if isinstance(table, _Table):
            return table
        faults.append(table)
    raise faults[0]


def _by_width(content: bytes) -> list[str]:
    """Return the separators that split the first line, first those that split it into more columns."""
    line = re.sub(rb'"[^"]*"', b"", _FIRST_LINE.match(content).group())  # type: ignore[union-attr]
    counts = {separator: line.count(separator.encode()) for separator in SEPARATORS}
    splitting = [separator for separator in SEPARATORS if counts[separator]]
    return sorted(splitting, key=lambda separator: -counts[separator]) or [SEPARATORS[0]]


def _with_line_feeds(text: Array, inside: Bools) -> tuple[Array, Bools]:
    """Return the text with LF for CR LF and CR, except between quotes, and which of its bytes are between quotes."""
    returns = (text == _RETURN) & ~inside
    kept = ~(returns & np.append(text[1:] == _NEWLINE, False))
    return np.where(returns, np.uint8(_NEWLINE), text)[kept], inside[kept]


def _table(text: Array, inside: Bools, separator: str, file: str, skipped: int) -> _Table | DataError:
    """Return the table that a separator makes of the text, or what is wrong with it."""
    ends = _field_ends(text, inside, separator)
    last_fields = np.flatnonzero(text[ends] == _NEWLINE)
    n_fields = np.diff(last_fields, prepend=-1)
    starts = np.concatenate(([0], ends[last_fields] + 1))
    blank = n_fields == 1
    blank[blank] = [not text[start:end].tobytes().strip(b" \n") for start, end in _spans(starts, np.flatnonzero(blank))]
    width = int(n_fields[~blank][0]) if not blank.all() else 0
    faults = [*_quote_faults(text, inside, separator, starts), *_ragged_rows(n_fields, blank, width)]
    if faults:
        record, _, *sentence = min(faults)
        before = text[: starts[record]]
        is_end = (before == _NEWLINE) | ((before == _RETURN) & np.append(before[1:] != _NEWLINE, True))
        return DataError.at(file, 1 + int(is_end.sum()) + (skipped if record else 0), *sentence)
    if not width:
        return DataError.at(file, None, "a first line with the names of the columns", "none")
    lines = np.arange(1, len(starts))
    if inside.any():
        lines = 1 + np.searchsorted(np.flatnonzero(text == _NEWLINE), starts[:-1])
    lines[1:] += skipped
    if blank.any():
        kept = ~np.repeat(blank, np.diff(starts))
        text, inside = text[kept], inside[kept] if len(inside) else inside
        ends = _field_ends(text, inside, separator)
    # Bytes that nothing was taken from need no copy.
    whole = text.base if isinstance(text.base, bytes) and len(text.base) == len(text) else text.tobytes()
    return _Table(whole, separator, width, ends, lines[~blank])


def _field_ends(text: Array, inside: Bools, separator: str) -> Ints:
    ends = text == ord(separator)
    ends |= text == _NEWLINE
    if inside.any():
        ends &= ~inside
    return np.flatnonzero(ends)


def _spans(starts: Ints, records: Ints) -> Iterator[tuple[int, int]]:
    return zip(starts[records].tolist(), starts[records + 1].tolist(), strict=True)


# A fault is the record it is in, how early it would be noticed there, and the words of the sentence.


def _quote_faults(text: Array, inside: Bools, separator: str, starts: Ints) -> Iterator[tuple[Any, ...]]:
    if not inside.any():
        return
    quotes = np.flatnonzero(text == _QUOTE)
    # What stands before an opening quote, or after a closing one; before the first byte that is the last line end.
    beside = text[quotes + np.where(inside[quotes], -1, 1)]
    stray = np.flatnonzero(~np.isin(beside, (ord(separator), _NEWLINE, _QUOTE)))
    if len(stray):
        record = int(np.searchsorted(starts, quotes[stray[0]], side="right")) - 1
        todo = "Double quotes inside of values, and quote these."
        yield record, 0, "quotes only around whole values", "one elsewhere", todo
    if inside[-1]:
        yield len(starts) - 1, 1, "a closing quote", "the end of the file"


def _ragged_rows(n_fields: Ints, blank: Bools, width: int) -> Iterator[tuple[Any, ...]]:
    ragged = np.flatnonzero((n_fields != width) & ~blank)
    if len(ragged):
        record = int(ragged[0])
        yield record, 2, f"{width} values, as many as columns", str(n_fields[record]), "Restore the row."


def _name(cell: str) -> str:
    """Return the name of a column: exactly what is between quotes, else without the blanks around."""
    return _unquoted(cell) if cell[:1] == '"' else cell.strip()


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell


def _columns(table: _Table, names: list[str], asked: list[str | None], file: str) -> Iterator[TableColumn]:
    """Yield the columns by Python itself."""
    cells = table.cells(1, table.n_rows + 1)
    if b'"' in table.text:
        cells = [_unquoted(cell) for cell in cells]
    for j, (name, kind) in enumerate(zip(names, asked, strict=True)):
        yield _spelt(table, name, cells[j :: table.width], kind, file)


def _spelt(table: _Table, name: str, words: Sequence[str], kind: str | None, file: str) -> TableColumn:
    try:
        return column_of_words(name, words, kind, comma=table.separator != ",")
    except NotOfKindError as problem:
        expected = f"{problem.expected} in column {shown(name)}, as in training"
        line = int(table.lines[problem.row + 1])
        raise DataError.at(file, line, expected, shown(problem.word), "Mend it, or leave the cell empty.") from None


def _columns_by(
    library: str, table: _Table, names: list[str], asked: list[str | None], file: str
) -> Iterator[TableColumn]:
    """Yield the columns by a library."""
    _, frames = frame_library("read_csv", library, "CSV files")
    read = _polars_words if library == "polars" else _pandas_columns
    try:
        found = list(read(frames, table, asked))
    except MemoryError:
        raise
    except Exception as problem:
        raise DataError.at(file, None, f"a table that {library} can read", shown(str(problem))) from None
    for name, kind, column in zip(names, asked, found, strict=True):
        if isinstance(column, list):
            yield _spelt(table, name, column, kind, file)
        else:
            truth = column.dtype.kind == "b"
            yield TableColumn(name, "boolean" if truth else "numeric", column.to_numpy(np.float64))


def _polars_words(polars: Any, table: _Table, asked: list[str | None]) -> Iterator[list[str]]:
    schema = {str(j): polars.String for j in range(table.width)}
    # Polars drops a byte order mark, so it gets one.
    below_head = io.BytesIO(BYTE_ORDER_MARK + table.text[int(table.ends[table.width - 1]) + 1 :])
    frame = polars.read_csv(below_head, has_header=False, schema=schema, separator=table.separator)
    for j in range(table.width):
        # Polars has no word where pandas has an empty one.
        yield ["" if word is None else word for word in frame.get_column(str(j)).to_list()]


def _pandas_columns(pandas: Any, table: _Table, asked: list[str | None]) -> Iterator[Any]:
    """Yield a series where pandas has numbers or truth values that are asked for or may be so, else a list of words."""
    words: dict[int, Any] = {j: str for j, kind in enumerate(asked) if kind in ("date", "text")}
    frame = _pandas_frame(pandas, table, dtype=words)
    for j, kind in enumerate(asked):
        series = frame[j]
        numeric = series.dtype.kind in "iuf" or (series.dtype.kind == "b" and kind is None)
        yield series if numeric else [str(word) if word == word else "" for word in series.tolist()]


def _pandas_frame(pandas: Any, table: _Table, **options: Any) -> Any:
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1):
        options["float_precision"] = "round_trip"  # later versions round to the nearest double by themselves
    return pandas.read_csv(
        io.BytesIO(table.text),
        header=0,
        names=range(table.width),
        index_col=False,
        sep=table.separator,
        engine="c",
        skip_blank_lines=False,
        keep_default_na=False,
        na_values=sorted(MISSING_WORDS),
        low_memory=False,
        **options,
    )
