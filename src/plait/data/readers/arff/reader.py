"""Read an ARFF file in one pass: header, then rows by kernel or, line by line, by the plain parser.

Files whose rows are all dense give dense matrices; one sparse row makes the whole file sparse.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.checks import OneOf, check_value
from plait.core.sentences import shown
from plait.data.conversion.attributes import AttributeTable, label_codes
from plait.data.conversion.feature_encoding import NOMINAL_MODES, encode_columns, widened
from plait.data.conversion.files import plain_stem
from plait.data.dataset import Dataset
from plait.data.errors import DataError, DataWarning
from plait.data.readers.arff._kernels import read_rows
from plait.data.readers.arff.header import Header, read_header, text_blocks
from plait.data.readers.arff.rows import RowParser
from plait.data.readers.arff.table import DenseTable, KernelWords, SparseTable, column_spec, kernel_words

__all__ = ["read_arff"]

# Below this many bytes of rows the plain parser is done before the kernels are loaded.
_SMALL = 1 << 17

# How many lines the plain parser reads before their rows are put in their places, and how many rows the kernel must
# find in one go to be worth calling again at once.
_LINES_AT_ONCE = 1024
_FEW_ROWS = 8


def read_arff(
    path: str | os.PathLike[str],
    choose_labels: Callable[[Header], list[int]],
    nominal: str = "onehot",
    name: str | None = None,
    fast: bool | None = None,
) -> Dataset:
    """Read an ARFF file whose labels a function picks from the header.

    Parameters
    ----------
    path : path
        The file, packed or not.
    choose_labels : callable
        From the header to the positions of the label attributes.
    nominal : {"onehot", "codes"}, default="onehot"
        What nominal features with more than two values become.
    name : str, optional
        What to call the data set; by default the file's name.
    fast : bool, optional
        Whether kernels read the plain rows; by default all but small files.
    """
    check_value("read_arff", "nominal", nominal, (OneOf(NOMINAL_MODES),))
    file = os.fspath(path)
    blocks = text_blocks(path)
    header = read_header(blocks, file)
    table, is_label = header.table(), np.zeros(len(header.names), dtype=bool)
    is_label[choose_labels(header)] = True
    features, labels = table.take(np.flatnonzero(~is_label)), table.take(np.flatnonzero(is_label))
    _check_labels(labels, file)
    reader = _Rows(header, table, is_label)
    reader.read(chain([header.rest] if header.rest else [], blocks), fast)
    X, Y = reader.matrices()
    X, feature_names, kinds = encode_columns(X, features, nominal, file)
    return Dataset(X, Y, feature_names, labels.names, plain_stem(path) if name is None else name, kinds)


def _check_labels(labels: AttributeTable, file: str) -> None:
    for name, which in zip(labels.names, labels.which.tolist(), strict=True):
        kind = labels.types[which]
        if kind.kind != "numeric" and label_codes(kind.values) is None:
            found = f"{len(kind.values)} values" if kind.values else kind.kind
            raise DataError.at(file, None, f"label {shown(name)} to be numeric or to have two values", found)


class _Rows:
    """Collects the rows of one file."""

    def __init__(self, header: Header, attributes: AttributeTable, is_label: npt.NDArray[np.bool_]):
        self.header = header
        self.attributes = attributes
        self.parser = RowParser(attributes, is_label, header.file)
        self.spec = column_spec(attributes, is_label)
        self.table: DenseTable | SparseTable = DenseTable(self.spec)
        self.line = header.line
        self.weighted = False
        self.room = np.empty(0, np.int32), np.empty(0, np.float64), np.empty(0, np.int64)

    def read(self, blocks: Iterator[bytes], fast: bool | None) -> None:
        """Read all rows, with kernels or without; by default with them if there is more than a little to read."""
        first = next(blocks, b"")
        second = next(blocks, b"")
        if fast is None:
            fast = bool(second) or len(first) > _SMALL
        words = kernel_words(self.attributes) if fast else None
        for block in chain([first, second], blocks):
            if words is None:
                start = 0
                while start < len(block):
                    start = self._read_lines(block, start, _LINES_AT_ONCE)
            else:
                self._read_block(block, words)
        if self.weighted:
            warnings.warn(f"{self.header.file}: left out the weights of rows.", DataWarning, stacklevel=4)

    def matrices(self) -> tuple[Any, Any]:
        """Return X with codes (what is not stored is the default) and the final Y."""
        if self.table.n == 0:
            raise DataError.at(self.header.file, self.line, "rows after @data", "none")
        X, Y = self.table.matrices()
        filled = self.spec[self.spec[:, 0] < 0, 2] == 1
        if isinstance(self.table, SparseTable) and filled.any():
            Y = widened(Y, np.ones(Y.shape[1], dtype=np.int64), filled, self.header.file).astype(np.uint8)
        return X, Y

    def _add(self, attribute: Any, value: Any, ends: Any, sparse: bool, fast: bool) -> None:
        if sparse and isinstance(self.table, DenseTable):
            before, self.table = self.table, SparseTable(self.spec)
            self.table.add_table(before)
        self.table.add(attribute, value, ends, fast)

    def _read_lines(self, block: bytes, start: int, n_lines: int) -> int:
        """Read lines one by one; return where the next one starts."""
        rows = []
        while start < len(block) and n_lines:
            end = block.index(b"\n", start)
            self.line += 1
            n_lines -= 1
            row = self.parser.parse(block[start:end], self.line)
            start = end + 1
            if row is not None:
                rows.append(row)
        if rows:
            every = range(len(self.spec))
            attribute = np.fromiter(
                chain.from_iterable(every if row.indices is None else row.indices for row in rows), dtype=np.int32
            )
            value = np.fromiter(chain.from_iterable(row.values for row in rows), dtype=np.float64)
            self._add(
                attribute, value, np.cumsum([len(row.values) for row in rows]), any(row.sparse for row in rows), False
            )
            self.weighted |= any(row.weighted for row in rows)
        return start

    def _room(self, n_pairs: int) -> tuple[Any, Any, Any]:
        """Return arrays for the pairs of one block; a value or an empty line takes at least two bytes with its end."""
        if n_pairs > len(self.room[0]):
            self.room = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.float64), np.empty(n_pairs, np.int64)
        return self.room

    def _read_block(self, block: bytes, words: KernelWords) -> None:
        data = np.frombuffer(block, dtype=np.uint8)
        attribute, value, ends = self._room(len(block) // 2 + 1)
        at, n_left = 0, 1
        while at < len(block):
            at, rows, lines, sparse = read_rows(data, at, self.spec, *words, attribute, value, ends)
            self.line += lines
            if rows:
                self._add(attribute, value, ends[:rows], sparse, True)
            # Where the kernel finds little that is plain, more and more lines are left to the parser at once.
            n_left = 1 if rows > _FEW_ROWS else min(2 * n_left, _LINES_AT_ONCE)
            at = self._read_lines(block, at, n_left)
