"""Kernels for neighbours: products of sparse rows, the k nearest of a block of distances, label counts among them."""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.core.compilation import kernel

__all__ = ["add_label_counts", "nearest_rows", "sparse_products", "squared_distances", "tally_counts"]


@kernel
def sparse_products(
    indptr: Ints,
    indices: npt.NDArray[np.int32],
    data: Floats,
    row_indptr: Ints,
    rows: npt.NDArray[np.int32],
    values: Floats,
    products: Floats,
) -> None:
    """Fill products[b, j] with the product of CSR row b and training row j, from rows listed by column.

    The columns of a row come in order, so equal training rows get equal bits.
    """
    for b in range(products.shape[0]):
        products[b] = 0.0
        for entry in range(indptr[b], indptr[b + 1]):
            column, value = indices[entry], data[entry]
            for place in range(row_indptr[column], row_indptr[column + 1]):
                products[b, rows[place]] += value * values[place]


@kernel
def squared_distances(products: Floats, own: Floats, others: Floats) -> None:
    """Turn products x.y into |x|^2 + |y|^2 - 2 x.y in place; `own` and `others` hold the squared lengths."""
    for b in range(products.shape[0]):
        for j in range(products.shape[1]):
            products[b, j] = max(own[b] + others[j] - 2.0 * products[b, j], 0.0)


@kernel
def nearest_rows(
    distances: Floats, excluded: Ints, scales: Floats, tolerance: float, neighbours: npt.NDArray[np.int64]
) -> None:
    """Fill neighbours[b] with the k nearest columns j of row b, ascending by j; column `excluded[b]` never counts.

    Let D be the k-th smallest distance. Distances within `tolerance * (scales[b] + D)` of D are ties, of which the
    smallest j are taken. Needs at least k columns that count.
    """
    k = neighbours.shape[1]
    best, place = np.empty(k + 1), np.empty(k + 1, dtype=np.int64)
    for b in range(distances.shape[0]):
        row, out = distances[b], excluded[b]
        _smallest(row, out, best, place)
        slack = tolerance * (scales[b] + best[k - 1])
        if best[k] > best[k - 1] + slack:
            neighbours[b] = np.sort(place[:k])
        else:
            _with_ties(row, out, best[k - 1] - slack, best[k - 1] + slack, neighbours[b])


@kernel
def _smallest(row: Floats, excluded: int, best: Floats, place: Ints) -> None:
    """Fill `best` with the smallest distances in ascending order, and `place` with their columns."""
    best[:] = np.inf
    place[:] = -1
    last = best.size - 1
    for j in range(row.size):
        if row[j] < best[last] and j != excluded:
            slot = last
            while slot > 0 and best[slot - 1] > row[j]:
                best[slot], place[slot] = best[slot - 1], place[slot - 1]
                slot -= 1
            best[slot], place[slot] = row[j], j


@kernel
def _with_ties(row: Floats, excluded: int, low: float, high: float, neighbours: Ints) -> None:
    """Take every column below `low`, and the first ones up to `high` for the places that are left."""
    left = neighbours.size
    for j in range(row.size):
        if row[j] < low and j != excluded:
            left -= 1
    found = 0
    for j in range(row.size):
        if j != excluded and (row[j] < low or (row[j] <= high and left > 0)):
            if row[j] >= low:
                left -= 1
            neighbours[found] = j
            found += 1
            if found == neighbours.size:
                return


@kernel
def add_label_counts(neighbours: Ints, labels: npt.NDArray[np.uint8], counts: npt.NDArray[np.int32]) -> None:
    """Add to counts[i, l] how many of the neighbours of row i have label l."""
    for i in range(neighbours.shape[0]):
        for t in range(neighbours.shape[1]):
            for label in range(labels.shape[1]):
                counts[i, label] += labels[neighbours[i, t], label]


@kernel
def tally_counts(counts: npt.NDArray[np.int32], labels: npt.NDArray[np.uint8], table: Ints) -> None:
    """Add to table[l, y, r] the rows whose label l is y and occurs r times among their neighbours."""
    for i in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            table[label, labels[i, label], counts[i, label]] += 1
