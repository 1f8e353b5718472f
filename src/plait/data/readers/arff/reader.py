"""Read an ARFF file in one pass: header, then rows, simple ones by whole columns or, in large files, by kernels.

Files whose rows are all dense give dense matrices; one sparse row makes the whole file sparse. Rows are collected in
arrays that grow by a quarter and are trimmed at the end: room is made for rows that are there, never for what a header
declares.
"""

import os
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.checks import OneOf, check_value
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import shown, warn_user
from plait.core.unknown_labels import UNKNOWN, given_again
from plait.data.conversion.attributes import AttributeTable, label_codes, value_codes
from plait.data.conversion.feature_encoding import NOMINAL_MODES, encode_columns, widened
from plait.data.conversion.files import LARGE_FILE, plain_stem, up_to
from plait.data.dataset import Dataset
from plait.data.errors import DataError, DataWarning
from plait.data.readers.arff.header import Header, read_header, text_blocks
from plait.data.readers.arff.rows import ColumnParser, RowParser, Rows

__all__ = ["read_arff"]

_kernels = lazy_module("plait.data.readers.arff._kernels")

# How many bytes of simple lines are read at once, and how many lines one by one before their rows are put in their
# places; how many rows the kernel must find in one go to be worth calling again at once.
_BYTES_AT_ONCE = 1 << 17
_LINES_AT_ONCE = 1024
_FEW_ROWS = 8
# How many pairs of dense rows become sparse at once.
_MOST_PAIRS = 1 << 16
# Labels of which some are unknown are kept dense: so many cells, or so many for each value in the file.
_MOST_CELLS, _CELLS_FOR_ONE = 1 << 26, 64

_ZERO_ONE = ("0", "1")


def read_arff(
    path: str | os.PathLike[str],
    choose_labels: Callable[[Header], list[int]],
    nominal: str = "onehot",
    name: str | None = None,
) -> Dataset:
    r"""Read an ARFF file whose labels a function picks from the header.

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

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from pathlib import Path
    >>> text = "@relation r\n@attribute blue numeric\n@attribute sea {0,1}\n@data\n0.5,1\n2,0\n"
    >>> _ = Path("beach.arff").write_text(text)
    >>> read_arff("beach.arff", lambda header: [1])
    Dataset 'beach': 2 rows, 1 feature (dense), 1 label (dense), cardinality 0.500
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
            warn_user(f"{self.header.file}: left out the weights of rows.", DataWarning)

    def matrices(self) -> tuple[Any, Any]:
        """Return X with codes (what is not stored is the default) and the final Y, as floats where some are unknown."""
        if self.table.n == 0:
            raise DataError.at(self.header.file, self.line, "rows after @data", "none")
        X, Y = self.table.matrices()
        filled = self.places[self.is_label, 1] == 1
        if isinstance(self.table, SparseTable) and filled.any():
            Y = widened(Y, np.ones(Y.shape[1], dtype=np.int64), filled, self.header.file).astype(Y.dtype)
        if isinstance(self.table, SparseTable) and Y.dtype.kind == "f":
            self._check_cells(Y, len(self.table.data) + len(self.table.label_indices))
        return X, Y

    def _check_cells(self, Y: Any, n_values: int) -> None:
        n_cells, most = Y.shape[0] * Y.shape[1], max(_MOST_CELLS, _CELLS_FOR_ONE * n_values)
        if n_cells > most:
            expected = f"at most {most} labels of all rows, as some are unknown"
            raise DataError.at(self.header.file, None, expected, str(n_cells), "Leave rows with unknown labels out.")

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


def attribute_places(table: AttributeTable, is_label: Bools) -> Array:
    """Return for each attribute its column in X (or, for a label, -1 - its column in Y), and its default.

    The default is what a sparse row means that leaves the attribute out: 0, or the code of the first declared value.
    """
    column = np.where(is_label, 0 - np.cumsum(is_label), np.cumsum(~is_label) - 1)
    default = np.array([(*value_codes(kind.values), 0)[0] for kind in table.types])[table.which]
    return np.column_stack((column, default)).astype(np.int32)


def _grow(array: Array, needed: int) -> None:
    """Make room for `needed` rows (or entries) in place, which on most systems moves no data."""
    if needed > len(array):
        array.resize((max(needed, len(array) * 5 // 4), *array.shape[1:]), refcheck=False)


def _trim(array: Array, length: int) -> Array:
    array.resize((length, *array.shape[1:]), refcheck=False)
    return array


def _columns(chosen: Bools) -> Any:
    """Return the positions of some columns, as a slice where they stand together."""
    positions = np.flatnonzero(chosen)
    if len(positions) and positions[-1] - positions[0] == len(positions) - 1:
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


class DenseTable:
    """Rows with a value for every attribute.

    Parameters
    ----------
    places : ndarray of shape (n_attributes, 2)
        What `attribute_places` returns.
    """

    def __init__(self, places: Array):
        is_label = places[:, 0] < 0
        self.n_attributes = len(places)
        self.features, self.labels = _columns(~is_label), _columns(is_label)
        self.X: Floats = np.empty((0, int(np.count_nonzero(~is_label))))
        self.Y = np.empty((0, int(np.count_nonzero(is_label))), dtype=np.int8)
        self.n = 0

    def add(self, rows: Rows) -> None:
        """Append dense rows."""
        value = rows.value.reshape(-1, self.n_attributes)
        stop = self.n + len(value)
        _grow(self.X, stop)
        _grow(self.Y, stop)
        self.X[self.n : stop] = value[:, self.features]
        self.Y[self.n : stop] = np.nan_to_num(value[:, self.labels], nan=UNKNOWN)
        self.n = stop

    def matrices(self) -> tuple[Array, Array]:
        """Return X and Y, trimmed."""
        X, Y = _trim(self.X, self.n), _trim(self.Y, self.n)
        return X, given_again(Y) if (Y == UNKNOWN).any() else Y.view(np.uint8)


class SparseTable:
    """Rows of entries that differ from the default of their attribute.

    Parameters
    ----------
    places : ndarray of shape (n_attributes, 2)
        What `attribute_places` returns. Only what differs from the default is stored.
    fast : bool
        Whether a kernel puts the entries in their places.
    """

    def __init__(self, places: Array, fast: bool):
        self.places = places
        self.place = _kernels.place_entries if fast else place_entries
        self.indices = np.empty(0, dtype=np.int32)
        self.data: Floats = np.empty(0)
        self.ends: Ints = np.zeros(1, dtype=np.int64)
        self.label_indices = np.empty(0, dtype=np.int32)
        self.label_ends: Ints = np.zeros(1, dtype=np.int64)
        self.n = 0

    def add(self, rows: Rows) -> None:
        """Append rows, dense or sparse."""
        n_pairs, stop = len(rows.value), self.n + len(rows.ends)
        attribute = rows.attribute
        if attribute is None:
            attribute = np.tile(np.arange(len(self.places), dtype=np.int32), len(rows.ends))
        for array in (self.ends, self.label_ends):
            _grow(array, stop + 1)
        for entries in (self.indices, self.data):
            _grow(entries, int(self.ends[self.n]) + n_pairs)
        _grow(self.label_indices, int(self.label_ends[self.n]) + n_pairs)
        new = slice(self.n, stop + 1)
        self.place(
            *(attribute, rows.value, rows.ends, self.places, self.indices, self.data),
            *(self.ends[new], self.label_indices, self.label_ends[new]),
        )
        self.n = stop

    def add_table(self, table: DenseTable) -> None:
        """Append the rows of a dense table, which a file with rows of both kinds began with."""
        d = table.n_attributes
        n_rows = max(_MOST_PAIRS // d, 1)
        for start in range(0, table.n, n_rows):
            rows = slice(start, min(start + n_rows, table.n))
            value = np.empty((rows.stop - start, d))
            value[:, table.features], value[:, table.labels] = table.X[rows], given_again(table.Y[rows])
            self.add(Rows(None, value.ravel(), np.arange(1, len(value) + 1) * d, False))

    def matrices(self) -> tuple[Any, Any]:
        """Return X and Y in CSR form; a stored entry of Y is 1, or 0 where the default is 1, or NaN."""
        is_label = self.places[:, 0] < 0
        X = self._matrix(self.data, self.indices, self.ends, ~is_label)
        present = 1 - self.places[is_label, 1].astype(np.uint8)
        labels = _trim(self.label_indices, int(self.label_ends[self.n]))
        unknown = labels < 0
        labels[unknown] = -1 - labels[unknown]
        values = np.where(unknown, np.nan, present[labels]) if unknown.any() else present[labels]
        return X, self._matrix(values, labels, self.label_ends, is_label)

    def _matrix(self, data: Array, indices: Array, ends: Array, columns: Bools) -> Any:
        ends.resize(self.n + 1, refcheck=False)
        length = int(ends[-1])
        # The narrower pointers that SciPy would choose itself, but without a copy of the rest.
        pointers = ends.astype(np.int32) if length <= np.iinfo(np.int32).max else ends
        shape = (self.n, int(np.count_nonzero(columns)))
        return sparse.csr_matrix((_trim(data, length), _trim(indices, length), pointers), shape=shape)


def place_entries(attribute: Array, value: Array, ends: Array, places: Array, *arrays: Array) -> None:
    """Append the pairs that differ from their attribute's default to two matrices in CSR form, as the kernel does."""
    columns, data, x_ends, labels, y_ends = arrays
    column, default = places[attribute].T
    stored = value != default
    for chosen, indices, last in ((stored & (column >= 0), columns, x_ends), (stored & (column < 0), labels, y_ends)):
        start = last[0]
        count = np.concatenate(([0], np.cumsum(chosen)))
        last[1:] = start + count[ends]
        indices[start : start + count[-1]] = np.where((column < 0) & ~np.isnan(value), -1 - column, column)[chosen]
        if indices is columns:
            data[start : start + count[-1]] = value[chosen]
