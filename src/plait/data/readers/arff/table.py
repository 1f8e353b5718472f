"""Where each declared attribute goes, and growing arrays for rows whose number nobody knows in advance.

Rows come as pairs of an attribute's index and its value, with the places where each row's pairs end. Room is made for
rows that are there and never for what a header declares; arrays grow by a quarter and are trimmed at the end.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Array
from plait.data.conversion.attributes import AttributeTable, value_codes
from plait.data.readers.arff._kernels import FREE, NUMBER, STRING, dense_matrix, fill_table, sparse_matrix

__all__ = ["DenseTable", "KernelWords", "SparseTable", "column_spec", "kernel_words"]

_ZERO_ONE = ("0", "1")
_KINDS = {"numeric": NUMBER, "string": STRING}


class KernelWords(NamedTuple):
    """The declared values, in the notation of `_kernels`."""

    table: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint8]


def _domains(table: AttributeTable) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the different sets of values, that of labels declared as numbers first, and which one each type has."""
    domains: dict[tuple[str, ...], int] = {_ZERO_ONE: 0}
    which = [
        domains.setdefault(kind.values, len(domains)) if kind.values else _KINDS[kind.kind] for kind in table.types
    ]
    return list(domains), which


def column_spec(table: AttributeTable, is_label: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return `spec` in the notation of `_kernels`: column, domain and default of each attribute."""
    slot = np.where(is_label, 0 - np.cumsum(is_label), np.cumsum(~is_label) - 1)
    _, domains = _domains(table)
    domain = np.array(domains, dtype=np.int32)[table.which]
    # A label that is declared a number is read as one of the words 0 and 1.
    domain[is_label & (domain == NUMBER)] = 0
    default = np.array([(*value_codes(kind.values), 0)[0] for kind in table.types])[table.which]
    return np.column_stack((slot, domain, default)).astype(np.int32)


def kernel_words(table: AttributeTable) -> KernelWords | None:
    """Return the hash table, or None if the declared values collide so much that looking up would be slow."""
    domains, _ = _domains(table)
    texts = [value.encode("utf-8", "surrogatepass") for values in domains for value in values]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    entries = np.empty((len(texts), 4), dtype=np.int64)
    entries[:, 0] = np.repeat(np.arange(len(domains)), [len(values) for values in domains])
    entries[:, 1] = np.cumsum(lengths) - lengths
    entries[:, 2] = lengths
    entries[:, 3] = [code for values in domains for code in value_codes(values)]
    # A power of two with at least half of the places free.
    places = np.full((1 << (2 * len(texts) + 1).bit_length(), 4), FREE, dtype=np.int64)
    words = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return KernelWords(places, words) if fill_table(places, words, entries) else None


_MOST_PAIRS = 1 << 16


def _grow(array: Array, needed: int) -> None:
    """Make room for `needed` rows (or entries) in place, which on most systems moves no data."""
    if needed > len(array):
        array.resize((max(needed, len(array) * 5 // 4), *array.shape[1:]), refcheck=False)


def _trim(array: Array, length: int) -> Array:
    array.resize((length, *array.shape[1:]), refcheck=False)
    return array


def _dense_matrix(attribute: Array, value: Array, ends: Array, spec: Array, X: Array, Y: Array) -> None:
    """Do what the kernel does, for the few rows that do not pay for loading it, and as its oracle."""
    rows = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    slot = spec[attribute, 0]
    is_feature = slot >= 0
    X[rows[is_feature], slot[is_feature]] = value[is_feature]
    Y[rows[~is_feature], -1 - slot[~is_feature]] = value[~is_feature]


def _sparse_matrix(attribute: Array, value: Array, ends: Array, spec: Array, *arrays: Array) -> None:
    """Do what the kernel does, likewise."""
    columns, data, x_ends, labels, y_ends = arrays
    slot = spec[attribute, 0]
    stored = value != spec[attribute, 2]
    for chosen, indices, last in ((stored & (slot >= 0), columns, x_ends), (stored & (slot < 0), labels, y_ends)):
        start = last[0]
        count = np.concatenate(([0], np.cumsum(chosen)))
        last[1:] = start + count[ends]
        indices[start : start + count[-1]] = np.where(slot < 0, -1 - slot, slot)[chosen]
        if indices is columns:
            data[start : start + count[-1]] = value[chosen]


class DenseTable:
    """Rows with a value for every attribute.

    Parameters
    ----------
    spec : ndarray of shape (n_attributes, 3)
        For each attribute its column in X (or, for a label, -1 - its column in Y), its domain, and its default.
    """

    def __init__(self, spec: npt.NDArray[np.int32]):
        self.spec = spec
        slot = spec[:, 0]
        self.X: npt.NDArray[np.float64] = np.empty((0, int(np.count_nonzero(slot >= 0))))
        self.Y: npt.NDArray[np.uint8] = np.empty((0, int(np.count_nonzero(slot < 0))), dtype=np.uint8)
        self.n = 0

    def add(self, attribute: Array, value: Array, ends: Array, fast: bool = False) -> None:
        """Append rows, given as pairs of attribute and value, and where the pairs of each row end."""
        place = dense_matrix if fast else _dense_matrix
        stop = self.n + len(ends)
        _grow(self.X, stop)
        _grow(self.Y, stop)
        place(attribute, value, ends, self.spec, self.X[self.n : stop], self.Y[self.n : stop])
        self.n = stop

    def matrices(self) -> tuple[Array, Array]:
        """Return X and Y, trimmed."""
        return _trim(self.X, self.n), _trim(self.Y, self.n)


class SparseTable:
    """Rows of entries that differ from the default of their attribute.

    Parameters
    ----------
    spec : ndarray of shape (n_attributes, 3)
        As for `DenseTable`. The default is what a row means that leaves the attribute out: 0, or the code of the first
        declared value. Only what differs from it is stored.
    """

    def __init__(self, spec: npt.NDArray[np.int32]):
        self.spec = spec
        self.indices: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self.data: npt.NDArray[np.float64] = np.empty(0)
        self.ends: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self.label_indices: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self.label_ends: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self.n = 0

    def add(self, attribute: Array, value: Array, ends: Array, fast: bool = False) -> None:
        """Append rows, dense or sparse, in the form of `DenseTable.add`."""
        place = sparse_matrix if fast else _sparse_matrix
        stop = self.n + len(ends)
        n_pairs = int(ends[-1]) if len(ends) else 0
        for array in (self.ends, self.label_ends):
            _grow(array, stop + 1)
        for entries in (self.indices, self.data):
            _grow(entries, int(self.ends[self.n]) + n_pairs)
        _grow(self.label_indices, int(self.label_ends[self.n]) + n_pairs)
        rows = slice(self.n, stop + 1)
        place(
            *(attribute, value, ends, self.spec, self.indices, self.data),
            *(self.ends[rows], self.label_indices, self.label_ends[rows]),
        )
        self.n = stop

    def add_table(self, table: DenseTable) -> None:
        """Append the rows of a dense table, which a file with rows of both kinds began with."""
        slot = self.spec[:, 0]
        n_rows = max(_MOST_PAIRS // len(slot), 1)
        for start in range(0, table.n, n_rows):
            rows = slice(start, min(start + n_rows, table.n))
            value = np.empty((rows.stop - start, len(slot)))
            value[:, slot >= 0], value[:, slot < 0] = table.X[rows], table.Y[rows]
            attribute = np.tile(np.arange(len(slot), dtype=np.int32), len(value))
            self.add(attribute, value.ravel(), np.arange(1, len(value) + 1) * len(slot))

    def matrices(self) -> tuple[Any, Any]:
        """Return X and Y in CSR form; a stored entry of Y is 1, or 0 where the default is 1."""
        X = self._matrix(self.data, self.indices, self.ends, self.spec[:, 0] >= 0)
        is_label = self.spec[:, 0] < 0
        present = 1 - self.spec[is_label, 2].astype(np.uint8)
        labels = _trim(self.label_indices, int(self.label_ends[self.n]))
        return X, self._matrix(present[labels], labels, self.label_ends, is_label)

    def _matrix(self, data: Array, indices: Array, ends: Array, columns: Array) -> Any:
        ends.resize(self.n + 1, refcheck=False)
        length = int(ends[-1])
        # The narrower pointers that SciPy would choose itself, but without a copy of the rest.
        pointers = ends.astype(np.int32) if length <= np.iinfo(np.int32).max else ends
        shape = (self.n, int(np.count_nonzero(columns)))
        return sparse.csr_matrix((_trim(data, length), _trim(indices, length), pointers), shape=shape)
