"""Write CSV and other separated text."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.checks import Nothing, OneOf, check_value
from plait.core.sentences import shown
from plait.data.conversion.column_kinds import as_words
from plait.data.conversion.files import open_bytes, plain_suffix, replacing
from plait.data.conversion.frame_columns import columns_of_frame, frame_rows
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.writers.row_text import number_text

__all__ = ["write_csv"]

_SEPARATORS = (",", ";", "\t", "|")
_ROWS_AT_ONCE = 256
# In names these need quotes, so that no reader takes them for structure.
_ODD = frozenset((*_SEPARATORS, '"', "\r", "\n"))


def write_csv(dataset: Dataset, path: str | os.PathLike[str], *, separator: str | None = None) -> None:
    r"""Write a data set as separated text: a line of names, then a line a row, labels last.

    Numbers are written so that they read back exactly, missing values as nothing. `read_csv` with the label names
    gives the data set back, but for its name, and kinds, which are numeric then; sparse matrices come back dense.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path
        The file, packed by its suffix (.gz, .bz2, .xz). It is replaced whole or not at all.
    separator : {",", ";", "\\t", "|"}, optional
        What to put between values; by default a tab in .tsv files, else a comma.

    Raises
    ------
    DataError
        If a feature and a label have the same name, a name cannot be written, or the file cannot be.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> beach = Dataset([[0.5, 3.0]], [[1]], ["size", "waves"], ["sea"])
    >>> with TemporaryDirectory() as folder:
    ...     write_csv(beach, Path(folder, "beach.csv"))
    ...     Path(folder, "beach.csv").read_text()
    'size,waves,sea\n0.5,3,1\n'
    """
    check_value("write_csv", "separator", separator, (OneOf(_SEPARATORS), Nothing()))
    if separator is None:
        separator = "\t" if plain_suffix(path) == ".tsv" else ","
    names = [*(dataset.feature_names or ()), *(dataset.label_names or ())]
    _check_names(names, os.fspath(path))
    with replacing(path) as draft, open_bytes(draft, "wb") as stream:
        stream.write(_head(names, separator))
        for start in range(0, dataset.n_samples, _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            features = _cells(dataset, rows) if dataset.is_table else _words(dataset.X[rows])
            lines = zip(features, _words(dataset.Y[rows]), strict=True)
            stream.write("".join(_line(x + y, separator) for x, y in lines).encode())


def _check_names(names: list[str], file: str) -> None:
    if not names:
        raise DataError.at(file, None, "at least one column to write", "none")
    if len(set(names)) < len(names):
        double = next(name for j, name in enumerate(names) if name in names[:j])
        raise DataError.at(
            file, None, "features and labels with different names", f"{shown(double)} twice", "Rename one of them."
        )
    for name in names:
        if not name.strip() or "\x00" in name or not _encodable(name):
            raise DataError.at(file, None, "names of columns that text can hold", shown(name), "Rename it.")


def _encodable(name: str) -> bool:
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in name)


def _head(names: list[str], separator: str) -> bytes:
    odd = any(name != name.strip() or name[0] == "\ufeff" or not _ODD.isdisjoint(name) for name in names)
    if odd:
        names = ['"' + name.replace('"', '""') + '"' for name in names]
    return (separator.join(names) + "\n").encode()


def _words(rows: Any) -> Iterator[list[str]]:
    """Yield the numbers of each row as words."""
    if not sparse.issparse(rows):
        as_text = number_text if rows.dtype.kind == "f" else str
        for row in rows.tolist():
            yield [as_text(value) for value in row]
        return
    zeros = ["0"] * rows.shape[1]
    for i in range(rows.shape[0]):
        words = zeros.copy()
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        for j, value in zip(rows.indices[part].tolist(), rows.data[part].astype(np.float64).tolist(), strict=True):
            words[j] = number_text(value)
        yield words


def _cells(dataset: Dataset, rows: slice) -> Iterator[list[str]]:
    """Yield the cells of each row of a table as words, quoted where need be."""
    part = np.arange(*rows.indices(dataset.n_samples))
    columns = columns_of_frame(frame_rows(dataset.X, part), dataset.name)
    words = [["" if word is None else _quoted(word) for word in as_words(column)] for column in columns]
    yield from map(list, zip(*words, strict=True))


def _quoted(word: str) -> str:
    return word if _ODD.isdisjoint(word) else '"' + word.replace('"', '""') + '"'


def _line(words: list[str], separator: str) -> str:
    line = separator.join("" if word == "nan" else word for word in words)
    # A line without anything would be passed over.
    return (line or '""') + "\n"
