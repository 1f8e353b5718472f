"""Growing arrays for rows whose number nobody knows in advance, features and labels apart.

Room is made for rows that are there and never for what a header declares; arrays grow by a quarter and are trimmed at
the end.
"""

from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Bools, Floats, Ints, Labels
from plait.core.lazy_modules import lazy_module
from plait.data.conversion.attributes import AttributeTable, value_codes
from plait.data.readers.arff.rows import Rows

__all__ = ["DenseTable", "SparseTable", "attribute_places", "place_entries"]

_kernels = lazy_module("plait.data.readers.arff._kernels")

_MOST_PAIRS = 1 << 16


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
        self.Y: Labels = np.empty((0, int(np.count_nonzero(is_label))), dtype=np.uint8)
        self.n = 0

    def add(self, rows: Rows) -> None:
        """Append dense rows."""
        value = rows.value.reshape(-1, self.n_attributes)
        stop = self.n + len(value)
        _grow(self.X, stop)
        _grow(self.Y, stop)
        self.X[self.n : stop] = value[:, self.features]
        self.Y[self.n : stop] = value[:, self.labels]
        self.n = stop

    def matrices(self) -> tuple[Array, Array]:
        """Return X and Y, trimmed."""
        return _trim(self.X, self.n), _trim(self.Y, self.n)


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
            value[:, table.features], value[:, table.labels] = table.X[rows], table.Y[rows]
            self.add(Rows(None, value.ravel(), np.arange(1, len(value) + 1) * d, False))

    def matrices(self) -> tuple[Any, Any]:
        """Return X and Y in CSR form; a stored entry of Y is 1, or 0 where the default is 1."""
        is_label = self.places[:, 0] < 0
        X = self._matrix(self.data, self.indices, self.ends, ~is_label)
        present = 1 - self.places[is_label, 1].astype(np.uint8)
        labels = _trim(self.label_indices, int(self.label_ends[self.n]))
        return X, self._matrix(present[labels], labels, self.label_ends, is_label)

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
        indices[start : start + count[-1]] = np.where(column < 0, -1 - column, column)[chosen]
        if indices is columns:
            data[start : start + count[-1]] = value[chosen]
