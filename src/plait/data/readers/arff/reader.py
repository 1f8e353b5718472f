"""Read an ARFF file in one pass: header, then rows, simple ones by whole columns or, in large files, by kernels.

Files whose rows are all dense give dense matrices; one sparse row makes the whole file sparse.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from plait.core.arrays import Array, Bools
from plait.core.checks import OneOf, check_value
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import shown
from plait.data.conversion.attributes import AttributeTable, label_codes, value_codes
from plait.data.conversion.feature_encoding import NOMINAL_MODES, encode_columns, widened
from plait.data.conversion.files import LARGE_FILE, plain_stem, up_to
from plait.data.dataset import Dataset
from plait.data.errors import DataError, DataWarning
from plait.data.readers.arff.header import Header, read_header, text_blocks
from plait.data.readers.arff.rows import ColumnParser, RowParser, Rows
from plait.data.readers.arff.table import DenseTable, SparseTable, attribute_places

__all__ = ["read_arff"]

_kernels = lazy_module("plait.data.readers.arff._kernels")

# How many bytes of simple lines are read at once, and how many lines one by one before their rows are put in their
# places; how many rows the kernel must find in one go to be worth calling again at once.
_BYTES_AT_ONCE = 1 << 17
_LINES_AT_ONCE = 1024
_FEW_ROWS = 8

_ZERO_ONE = ("0", "1")


def read_arff(
    path: str | os.PathLike[str],
    choose_labels: Callable[[Header], list[int]],
    nominal: str = "onehot",
    name: str | None = None,
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
    """
    check_value("read_arff", "nominal", nominal, (OneOf(NOMINAL_MODES),))
    file = os.fspath(path)
    blocks = text_blocks(path)
    header = read_header(blocks, file)
    table, is_label = header.table(), np.zeros(len(header.names), dtype=bool)
    is_label[choose_labels(header)] = True
    features, labels = table.take(np.flatnonzero(~is_label)), table.take(np.flatnonzero(is_label))
    _check_labels(labels, file)
    reader = _Reader(header, table, is_label)
    reader.read(chain([header.rest] if header.rest else [], blocks))
    X, Y = reader.matrices()
    X, feature_names, kinds = encode_columns(X, features, nominal, file)
    return Dataset(X, Y, feature_names, labels.names, plain_stem(path) if name is None else name, kinds)


def _check_labels(labels: AttributeTable, file: str) -> None:
    for name, which in zip(labels.names, labels.which.tolist(), strict=True):
        kind = labels.types[which]
        if kind.kind != "numeric" and label_codes(kind.values) is None:
            found = f"{len(kind.values)} values" if kind.values else kind.kind
            raise DataError.at(file, None, f"label {shown(name)} to be numeric or to have two values", found)


class _Reader:
    """Collects the rows of one file."""

    def __init__(self, header: Header, attributes: AttributeTable, is_label: Bools):
        self.header = header
        self.attributes = attributes
        self.is_label = is_label
        self.lines = RowParser(attributes, is_label, header.file)
        self.places = attribute_places(attributes, is_label)
        self.table: DenseTable | SparseTable = DenseTable(self.places)
        self.line = header.line
        self.weighted = False
        self.fast = False
        self.room = np.empty(0, np.int32), np.empty(0, np.float64), np.empty(0, np.int64)

    def read(self, blocks: Iterator[bytes]) -> None:
        """Read all rows, by kernels if there is much to read."""
        first, size = up_to(LARGE_FILE, blocks)
        words = declared_words(self.attributes, self.is_label) if kernels_pay(size, LARGE_FILE) else None
        self.fast = words is not None
        if words is not None:
            for block in chain(first, blocks):
                self._read_by_kernel(block, words)
        else:
            columns = ColumnParser(self.attributes, self.is_label)
            for block in chain(first, blocks):
                self._read_by_columns(block, columns)
        if self.weighted:
            warnings.warn(f"{self.header.file}: left out the weights of rows.", DataWarning, stacklevel=4)

    def matrices(self) -> tuple[Any, Any]:
        """Return X with codes (what is not stored is the default) and the final Y."""
        if self.table.n == 0:
            raise DataError.at(self.header.file, self.line, "rows after @data", "none")
        X, Y = self.table.matrices()
        filled = self.places[self.is_label, 1] == 1
        if isinstance(self.table, SparseTable) and filled.any():
            Y = widened(Y, np.ones(Y.shape[1], dtype=np.int64), filled, self.header.file).astype(np.uint8)
        return X, Y

    def _add(self, rows: Rows) -> None:
        if rows.sparse and isinstance(self.table, DenseTable):
            before, self.table = self.table, SparseTable(self.places, self.fast)
            self.table.add_table(before)
        self.table.add(rows)
        self.weighted |= rows.weighted

    def _read_by_columns(self, block: bytes, columns: ColumnParser) -> None:
        start = 0
        while start < len(block):
            end = block.rfind(b"\n", start, start + _BYTES_AT_ONCE) + 1 or block.index(b"\n", start) + 1
            rows = columns.parse(block[start:end])
            if rows is None:
                self._read_lines(block[:end], start, end - start)
            else:
                self._add(rows)
                self.line += block.count(b"\n", start, end)
            start = end

    def _read_lines(self, block: bytes, start: int, n_lines: int) -> int:
        """Read lines one by one; return where the next one starts."""
        rows = []
        while start < len(block) and n_lines:
            end = block.index(b"\n", start)
            self.line += 1
            n_lines -= 1
            row = self.lines.parse(block[start:end], self.line)
            start = end + 1
            if row is not None:
                rows.append(row)
        if rows:
            self._add(Rows.of(rows, len(self.places)))
        return start

    def _room(self, n_pairs: int) -> tuple[Any, Any, Any]:
        """Return arrays for the pairs of one block; a value or an empty line takes at least two bytes with its end."""
        if n_pairs > len(self.room[0]):
            self.room = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.float64), np.empty(n_pairs, np.int64)
        return self.room

    def _read_by_kernel(self, block: bytes, words: "DeclaredWords") -> None:
        data = np.frombuffer(block, dtype=np.uint8)
        attribute, value, ends = self._room(len(block) // 2 + 1)
        at, n_left = 0, 1
        while at < len(block):
            at, rows, lines, sparse = _kernels.read_rows(data, at, self.places, *words, attribute, value, ends)
            self.line += lines
            if rows:
                n_pairs = int(ends[rows - 1])
                self._add(Rows(attribute[:n_pairs], value[:n_pairs], ends[:rows], sparse))
            # Where the kernel finds little that is plain, more and more lines are left to the parser at once.
            n_left = 1 if rows > _FEW_ROWS else min(2 * n_left, _LINES_AT_ONCE)
            at = self._read_lines(block, at, n_left)


class DeclaredWords(NamedTuple):
    """What the kernels know of attributes, in their notation: `domains`, and all declared values in a hash table."""

    domains: Array
    table: Array
    words: Array


def declared_words(table: AttributeTable, is_label: Bools) -> DeclaredWords | None:
    """Return what the kernels need, or None if declared values collide so much that looking up would be slow."""
    # Of the different sets of values, that of labels declared as numbers is the first.
    places: dict[tuple[str, ...], int] = {_ZERO_ONE: 0}
    others = {"numeric": _kernels.NUMBER, "string": _kernels.STRING}
    which = [places.setdefault(kind.values, len(places)) if kind.values else others[kind.kind] for kind in table.types]
    domains = np.array(which, dtype=np.int32)[table.which]
    # A label that is declared a number is read as one of the words 0 and 1.
    domains[is_label & (domains == _kernels.NUMBER)] = 0
    # An unquoted ? is a missing value, even where it is declared.
    known = [[pair for pair in zip(values, value_codes(values), strict=True) if pair[0] != "?"] for values in places]
    texts = [value.encode("utf-8", "surrogatepass") for pairs in known for value, _ in pairs]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    entries = np.empty((len(texts), 4), dtype=np.int64)
    entries[:, 0] = np.repeat(np.arange(len(known)), [len(pairs) for pairs in known])
    entries[:, 1] = np.cumsum(lengths) - lengths
    entries[:, 2] = lengths
    entries[:, 3] = [code for pairs in known for _, code in pairs]
    # A power of two with at least half of the places free.
    slots = np.full((1 << (2 * len(texts) + 1).bit_length(), 4), _kernels.FREE, dtype=np.int64)
    words = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return DeclaredWords(domains, slots, words) if _kernels.fill_table(slots, words, entries) else None
