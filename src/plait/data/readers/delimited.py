"""Read CSV and other separated text: numbers by kernels, words through pandas or polars, one meaning for both."""

import io
import os
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.sentences import shown
from plait.data.conversion.feature_encoding import NOMINAL_MODES
from plait.data.conversion.files import plain_stem, plain_suffix, read_all
from plait.data.conversion.label_columns import LabelChoice, label_positions
from plait.data.conversion.table_columns import (
    MISSING_WORDS,
    TableColumn,
    column_of_words,
    dataset_of_columns,
    refuse_doubles,
)
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.frames import FRAME_LIBRARIES, frame_library
from plait.data.readers._table_kernels import GOOD, OPEN_QUOTE, RAGGED, read_numbers, tidy_records

__all__ = ["SEPARATORS", "read_csv"]

SEPARATORS = (",", ";", "\t", "|")

Bytes: TypeAlias = npt.NDArray[np.uint8]

_MOST_HARD = 1 << 16
_MISSING = np.zeros((len(MISSING_WORDS), max(map(len, MISSING_WORDS))), dtype=np.uint8)
for _row, _word in zip(_MISSING, sorted(MISSING_WORDS), strict=True):
    _row[: len(_word)] = list(_word.encode())

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FIRST_LINE = re.compile(rb'[\r\n ]*(?:"[^"]*"|[^"\r\n]+)*')
_NO_BOUND = 1 << 62  # what a packed file may grow to is bounded already


def read_csv(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    separator: str | None = None,
    nominal: str = "onehot",
    library: str | None = None,
    name: str | None = None,
) -> Dataset:
    r"""Read a table of separated text whose first line names the columns.

    A column of numbers is numeric, one of true and false is binary, one of dates (2024-01-31, with or without a time)
    becomes seconds since 1970, and any other is nominal, with its values in alphabetical order. Missing values
    (nothing, ?, NA, N/A, NaN, null, None) become NaN. Blanks around values and around names without quotes
    do not count; lines without values are passed over.

    Parameters
    ----------
    path : path
        The file, packed (.gz, .bz2, .xz) or not, in UTF-8.
    labels : list of str, str, re.Pattern or int
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
    separator : {",", ";", "\\t", "|"}, optional
        What stands between values; by default what splits the first line and all others into the most columns, and
        a tab in .tsv files.
    nominal : {"onehot", "codes"}, default="onehot"
        What a column of more than two different words becomes: an indicator for each, or one column of codes.
    library : {"pandas", "polars"}, optional
        Which library splits columns of words; by default pandas where it is installed, else polars. Both give the
        same. Columns of numbers need neither.
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
    ...     size = file.write_text("size,sky,sea,sun\n1.5,blue,1,yes\nNA,grey,0,no\n")
    ...     beach = read_csv(file, labels=["sea", "sun"])
    >>> beach
    Dataset 'beach': 2 rows, 2 features (dense), 2 labels (dense), cardinality 1.000
    >>> beach.feature_names, beach.feature_kinds
    (('size', 'sky'), ('numeric', 'binary'))
    """
    check_value("read_csv", "separator", separator, (OneOf(SEPARATORS), Nothing()))
    check_value("read_csv", "nominal", nominal, (OneOf(NOMINAL_MODES),))
    check_value("read_csv", "library", library, (OneOf(FRAME_LIBRARIES), Nothing()))
    file = os.fspath(path)
    content = _text(path, file)
    if separator is None and plain_suffix(path) == ".tsv":
        separator = "\t"
    separator, head, body, n_rows = _tidied(content, separator, file)
    names = _names(head, separator)
    refuse_doubles(names, file)
    label_positions(names, labels, file)
    numbers, is_words = _numbers(body, separator, n_rows, len(names))
    cells = _cells(library, body, separator, is_words, file)
    columns = [
        column_of_words(column, next(cells)) if is_words[j] else TableColumn(column, "numeric", numbers[:, j])
        for j, column in enumerate(names)
    ]
    return dataset_of_columns(columns, n_rows, labels, nominal, plain_stem(path) if name is None else name, file)


def _text(path: str | os.PathLike[str], file: str) -> bytes:
    content = read_all(path, _NO_BOUND).removeprefix(_BYTE_ORDER_MARK)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise DataError.at(file, line, "text in UTF-8", f"byte {content[problem.start]:#04x}") from None
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        raise DataError.at(file, line, "text", "a null byte")
    return content


def _tidied(content: bytes, separator: str | None, file: str) -> tuple[str, str, Bytes, int]:
    """Return the separator, the first record, the others in one spelling, and how many those are."""
    text = np.frombuffer(content, dtype=np.uint8)
    out = np.empty(len(content) + 1, dtype=np.uint8)
    candidates = (separator,) if separator else _by_width(content)
    faults = []
    for candidate in candidates:
        size, head, records, width, *fault = tidy_records(text, ord(candidate), out)
        if fault[0] == GOOD:
            if not records:
                raise DataError.at(file, None, "a first line with the names of the columns", "none")
            return candidate, out[:head].tobytes().decode("utf-8"), out[head:size], records - 1
        faults.append((width, *fault))
    raise _fault(file, *faults[0])


def _by_width(content: bytes) -> list[str]:
    """Return the separators that split the first line, first those that split it into more columns."""
    line = re.sub(rb'"[^"]*"', b"", _FIRST_LINE.match(content).group())  # type: ignore[union-attr]
    counts = {separator: line.count(separator.encode()) for separator in SEPARATORS}
    splitting = [separator for separator in SEPARATORS if counts[separator]]
    return sorted(splitting, key=lambda separator: -counts[separator]) or [SEPARATORS[0]]


def _fault(file: str, width: int, fault: int, line: int, fields: int) -> DataError:
    if fault == RAGGED:
        return DataError.at(file, line, f"{width} values, as many as columns", str(fields), "Restore the row.")
    if fault == OPEN_QUOTE:
        return DataError.at(file, line, "a closing quote", "the end of the file")
    return DataError.at(
        file,
        line,
        "quotes only around whole values",
        "one elsewhere",
        "Double quotes inside of values, and quote these.",
    )


def _names(head: str, separator: str) -> list[str]:
    """Return the names of a tidy first record: exactly what is between quotes, else without the blanks around."""
    field = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{re.escape(separator)}\n]*))[{re.escape(separator)}\n]')
    return [
        match.group(2).strip() if match.group(1) is None else match.group(1).replace('""', '"')
        for match in field.finditer(head)
    ]


def _numbers(body: Bytes, separator: str, n_rows: int, width: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return all columns as numbers, and which of them are not because they hold words."""
    numbers = np.empty((n_rows, width))
    is_words = np.zeros(width, dtype=bool)
    hard = np.empty((_MOST_HARD, 4), dtype=np.int64)
    n_hard = read_numbers(body, ord(separator), _MISSING, numbers, is_words, hard)
    for record, column, start, end in hard[:n_hard].tolist():
        try:
            numbers[record, column] = float(body[start:end].tobytes())
        except ValueError:
            is_words[column] = True
    return numbers, is_words


def _cells(
    library: str | None, body: Bytes, separator: str, is_words: npt.NDArray[np.bool_], file: str
) -> Iterator[list[str]]:
    """Yield the words of one column of words after the other, as the library splits them."""
    wanted = np.flatnonzero(is_words).tolist()
    if not wanted:
        return
    chosen, frames = frame_library("read_csv", library, "CSV files with words")
    read = _polars_words if chosen == "polars" else _pandas_words
    try:
        columns = read(frames, io.BytesIO(body.tobytes()), separator, len(is_words), wanted)
        yield from columns
    except MemoryError:
        raise
    except Exception as problem:
        raise DataError.at(file, None, f"a table that {chosen} can read", shown(str(problem))) from None


def _polars_words(polars: Any, text: io.BytesIO, separator: str, width: int, wanted: list[int]) -> Iterator[list[str]]:
    schema = {str(j): polars.String for j in range(width)}
    table = polars.read_csv(text, has_header=False, schema=schema, columns=wanted, separator=separator)
    for j in wanted:
        # Polars has no word where pandas has an empty one.
        yield ["" if word is None else word for word in table.get_column(str(j)).to_list()]


def _pandas_words(pandas: Any, text: io.BytesIO, separator: str, width: int, wanted: list[int]) -> Iterator[list[str]]:
    table = pandas.read_csv(
        text,
        header=None,
        names=range(width),
        usecols=wanted,
        index_col=False,
        dtype=str,
        na_filter=False,
        skip_blank_lines=False,
        sep=separator,
        engine="c",
    )
    for j in wanted:
        yield table[j].tolist()
