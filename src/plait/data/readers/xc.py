"""Read the text format of the extreme classification repository: a head `N D L`, then lines `l,l f:v f:v`."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from plait.core.sentences import shown
from plait.data.conversion.files import blocks_of_lines, plain_stem
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.readers.pair_rows import PairRows, check_width, read_pair_rows

__all__ = ["XCFile", "is_xc_head", "read_xc"]

_HEAD = re.compile(rb"[ \t]*(\d{1,15})[ \t]+(\d{1,15})[ \t]+(\d{1,15})[ \t\r]*")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def is_xc_head(line: bytes) -> bool:
    """Say whether a line is the head of this format: three whole numbers.

    Examples
    --------
    >>> is_xc_head(b"12920 5000 3993"), is_xc_head(b"1,2 0:0.5")
    (True, False)
    """
    return _HEAD.fullmatch(line.removeprefix(_BYTE_ORDER_MARK)) is not None


def read_xc(path: str | os.PathLike[str], *, name: str | None = None) -> Dataset:
    r"""Read a file of the extreme classification repository.

    The head says how many rows, features and labels there are; then each line is a row: label ids with commas between
    them, and pairs `index:value`, both counted from 0. A row may have no labels, or be empty.

    Parameters
    ----------
    path : path
        The file, packed (.gz, .bz2, .xz) or not.
    name : str, optional
        Name of the data set; by default that of the file.

    Returns
    -------
    Dataset
        `X` and `Y` as CSR matrices, with a column for every label of the head. Label names are the ids as words.

    Raises
    ------
    DataError
        If the content is not of this form or belies its head; it names file and line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "train.txt")
    ...     size = file.write_text("2 4 3\n0,2 1:0.5 3:1\n 0:2\n")
    ...     read_xc(file)
    Dataset 'train': 2 rows, 4 features (sparse), 3 labels (sparse), cardinality 1.000
    """
    file = os.fspath(path)
    blocks = blocks_of_lines(path)
    first = next(blocks, b"").removeprefix(_BYTE_ORDER_MARK)
    whole = XCFile.of(file, first)
    rows = read_pair_rows(file, _after_head(first, blocks), line=2, blank_rows=True)
    rows = _without_blank_end(rows, whole.n_rows)
    if len(rows.lines) != whole.n_rows:
        raise DataError.at(file, None, f"the {whole.n_rows} rows that line 1 states", str(len(rows.lines)))
    check_width(file, 1, "features", whole.n_features, rows.n_bytes + len(first))
    check_width(file, 1, "labels", whole.n_labels, rows.n_bytes + len(first))
    rows = whole.checked(rows, whole.n_rows)
    return Dataset(
        rows.features(file, whole.n_features),
        rows.label_sets(file, rows.labels, whole.n_labels),
        label_names=[str(label) for label in range(whole.n_labels)],
        name=plain_stem(path) if name is None else name,
    )


class XCFile(NamedTuple):
    """What the head of a file states."""

    file: str
    n_rows: int
    n_features: int
    n_labels: int

    @classmethod
    def of(cls, file: str, first: bytes) -> "XCFile":
        """Return what the first line of a block states."""
        line = first.partition(b"\n")[0]
        match = _HEAD.fullmatch(line)
        if match is None:
            found = shown(line.decode("utf-8", "replace")) if line else "none"
            raise DataError.at(file, 1, "the numbers of rows, features and labels", found)
        return cls(file, *(int(word) for word in match.groups()))

    def checked(self, rows: PairRows, n_left: int) -> PairRows:
        """Return rows in which all features and labels are such as the head states; `n_left` rows are to come."""
        rows = _without_blank_end(rows, n_left)
        _check_range(self.file, rows, "feature", rows.indices, rows.pair_ends, self.n_features)
        _check_range(self.file, rows, "label", rows.labels, rows.label_ends, self.n_labels)
        return rows


def _after_head(first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield first.partition(b"\n")[2]
    yield from blocks


def _without_blank_end(rows: PairRows, n_rows: int) -> PairRows:
    """Return the rows without blank lines at the end that are more than the head states."""
    filled = np.flatnonzero(np.diff(rows.label_ends, prepend=0) + np.diff(rows.pair_ends, prepend=0))
    n = max(n_rows, int(filled[-1]) + 1 if len(filled) else 0)
    if n >= len(rows.lines):
        return rows
    return PairRows(
        rows.labels,
        rows.label_ends[:n],
        rows.indices,
        rows.values,
        rows.pair_ends[:n],
        rows.lines[:n],
        rows.ordered,
        rows.n_bytes,
    )


def _check_range(file: str, rows: PairRows, what: str, numbers: np.ndarray, ends: np.ndarray, n: int) -> None:
    wrong = (numbers < 0) | (numbers >= n)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise DataError.at(
            file, rows.line_of(at, ends), f"{what}s from 0 to {n - 1} as line 1 states", f"{what} {numbers[at]}"
        )
