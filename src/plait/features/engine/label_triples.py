"""What features say about labels, summed over labels: alone (relevance), or once another column is known.

I(f;l) is I(f;l|s) for a column s that holds one symbol, so that relevance and conditional relevance are one
computation: tables of features and labels in the rows of each symbol of s.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from plait.core.arrays import Array, Bits, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import Threads
from plait.counts import Codes, Vocabulary, joint_counts
from plait.features.engine.column_pairs import Plane, cells_within, counts_within, every_count, plane_of, same_form
from plait.features.engine.known_labels import KnownLabels, KnownTables, LabelCodes
from plait.information import mutual_information_matrix

__all__ = ["LabelSums", "LabelTriples", "TriplesOf", "label_relevance", "summed_relevance", "triples_of"]

_count_kernels = lazy_module("plait.features.engine._count_kernels")


# Cells (plane of a feature, label) from which on kernels pay: NumPy takes some 30 ns for each, 1 ms in all.
_MANY_CELLS = 1 << 15


class LabelSums:
    """The sum of I(f;l|s) over labels l, in whole units, filled with one symbol of s after another.

    Parameters
    ----------
    features : Vocabulary
        Planes of the features f.
    n_labels : int
        Number of labels, which are 0 or 1.
    n_rows : int
        Number of rows.
    first : int, default=0
        The label the sum starts at.
    """

    def __init__(self, features: Vocabulary, n_labels: int, n_rows: int, first: int = 0):
        table, self._bits = every_count(n_rows)
        self._offsets, self._table = features.offsets, table.view(np.uint64)
        self._ends = _groups(first, n_labels, n_rows)
        n_groups = self._ends.size - 1
        self._content = np.uint64(0)
        self._of_labels = np.zeros(n_groups, dtype=np.uint64)
        self._pairs = np.zeros(features.n_columns, dtype=np.uint64)
        self._triples = np.zeros((features.n_columns, n_groups), dtype=np.uint64)

    def add(self, cells: Array, counts: Array, labels: Array, size: int) -> None:
        """Add one symbol of s.

        Parameters
        ----------
        cells : ndarray of uint32, shape (n_planes, n_labels)
            Rows with the symbol, a plane and a label.
        counts : ndarray of shape (n_planes,)
            Rows with the symbol and a plane.
        labels : ndarray of shape (n_labels,)
            Rows with the symbol and a label.
        size : int
            Rows with the symbol.
        """
        contents = self._table[labels] + self._table[size - labels]
        base = np.add.reduceat(contents, self._ends[:-1].astype(np.intp))
        self._of_labels += base
        self._content += self._table[size]
        if not kernels_pay(cells.size, _MANY_CELLS):
            self._add_plainly(cells.astype(np.int64), counts.astype(np.int64), labels.astype(np.int64), size)
            return
        _count_kernels.add_symbol(
            cells,
            counts.astype(np.uint32, copy=False),
            self._offsets,
            labels.astype(np.uint32, copy=False),
            np.uint64(size),
            base,
            self._ends,
            self._table,
            self._pairs,
            self._triples,
        )

    def _add_plainly(self, cells: Ints, counts: Ints, labels: Ints, size: int) -> None:
        starts, table = self._offsets[:-1], self._table
        zeros = size - np.add.reduceat(counts, starts)
        rest = labels - np.add.reduceat(cells, starts, axis=0)
        self._pairs += np.add.reduceat(table[counts], starts) + table[zeros]
        contents = np.add.reduceat(table[cells] + table[counts[:, None] - cells], starts, axis=0)
        contents += table[rest] + table[zeros[:, None] - rest]
        self._triples += np.add.reduceat(contents, self._ends[:-1].astype(np.intp), axis=1)

    def bits(self) -> Floats:
        """Return the sums for all features, in bits.

        I(f;l|s) = C(f,s,l) - C(f,s) - C(l,s) + C(s). A group's sum is below 2**63 units although its parts may pass
        2**64, so that unsigned arithmetic gives it exactly.
        """
        rest = np.diff(self._ends) * (self._content - self._pairs[:, None])
        units = (self._triples - self._of_labels + rest).view(np.int64)
        sums = np.zeros(self._pairs.size)
        for group in units.T:
            sums += np.maximum(group, 0)
        return sums * self._bits


def _groups(first: int, n_labels: int, n_rows: int) -> Bits:
    """Cut labels into groups whose informations, 1 bit each at most, sum to less than 2**63 units.

    A bit is at most 2**60 / log2(n_rows) units (see `plait.information.logs`).
    """
    size = 4 * max(n_rows.bit_length() - 1, 1)
    return np.append(np.arange(first, n_labels, size), n_labels).astype(np.uint64)


# Cells of joint counts held at one time (256 MiB).
_MOST_CELLS = 1 << 26


def summed_relevance(x: Codes, y: LabelCodes, threads: Threads | None = None) -> Floats:
    """Return Rel(f) = sum_l I(f;l) in bits for every feature [SCLS 9].

    The all-pairs matrix is not made, only the counts; the sum runs over labels in their order, on every path.

    Examples
    --------
    >>> from plait.counts import encode
    >>> summed_relevance(encode([[0, 0], [0, 1], [1, 0], [1, 1]]), encode([[0, 1], [0, 1], [1, 0], [1, 0]]))
    array([2., 0.])
    """
    if isinstance(y, KnownLabels):
        return np.asarray(y.tables(x).relevance.sum(axis=1))
    threads = threads or Threads()
    blocks = [x.columns(*ends) for ends in column_blocks(x.vocabulary, y.vocabulary.n_planes, threads.n_threads)]
    return np.concatenate([np.zeros(0), *threads.map(partial(_sums, y), blocks)])


def label_relevance(x: Codes, y: LabelCodes, n_jobs: int | None = None) -> Floats:
    """Return I(f;l) in bits, (n_features, n_labels).

    Examples
    --------
    >>> from plait.counts import encode
    >>> label_relevance(encode([[0, 0], [0, 1], [1, 0], [1, 1]]), encode([[0], [0], [1], [1]])).tolist()
    [[1.0], [0.0]]
    """
    return y.tables(x).relevance if isinstance(y, KnownLabels) else mutual_information_matrix(x, y, n_jobs=n_jobs)


def column_blocks(
    x: Vocabulary, n_labels: int, n_parts: int, most_cells: int = _MOST_CELLS
) -> Iterator[tuple[int, int]]:
    """Cut columns into at least so many parts (if they can be) with at most so many cells with the labels each."""
    most = max(min(most_cells // max(n_labels, 1), -(-x.n_planes // n_parts)), 1)
    first = 0
    while first < x.n_columns:
        last = max(int(np.searchsorted(x.offsets, x.offsets[first] + most, side="right")) - 1, first + 1)
        yield first, last
        first = last


def _sums(y: Codes, x: Codes) -> Floats:
    sums = LabelSums(x.vocabulary, y.vocabulary.n_planes, x.n_rows)
    sums.add(joint_counts(x, y).astype(np.uint32), x.totals, y.totals, x.n_rows)
    return sums.bits()


# Cells (plane of a feature, label) that one thread works on at a time.
_BLOCK_CELLS = 1 << 20


class LabelTriples:
    """Sums over labels of I(f;l|s), for all features f and one column s.

    A symbol b of s is a set of rows. Counting the planes of f with the labels in the rows of every b but 0 (the rows
    of 0 are what is left of the table of all rows) gives all three-way tables.

    Parameters
    ----------
    x, y : SparseCodes or PackedCodes
        Features with any number of symbols, and labels 0/1.
    threads : Threads, optional
        What works on blocks of features; by default the caller's thread.

    Examples
    --------
    >>> from plait.counts import encode
    >>> triples = LabelTriples(encode([[0, 0], [0, 1], [1, 0], [1, 1]]), encode([[0], [1], [1], [0]]))
    >>> triples.given_feature(1).tolist()  # the label is the exclusive or of the features
    [1.0, 0.0]
    """

    def __init__(self, x: Codes, y: Codes, threads: Threads | None = None):
        self._x, self._y = same_form(x, y)
        self._threads = threads or Threads()
        blocks = column_blocks(x.vocabulary, y.vocabulary.n_planes, self._threads.n_threads, _BLOCK_CELLS)
        self._blocks = [_Block.of(self._x.columns(*ends), self._y) for ends in blocks]

    def given_feature(self, column: int) -> Floats:
        """Return the sum of I(f;l|s) over all labels l, in bits, for the feature s and every feature f."""
        first, last = self._x.vocabulary.offsets[column : column + 2].tolist()
        return self._given(self._x, first, last, first_label=0)

    def given_label(self, label: int) -> Floats:
        """Return the sum of I(f;l|s) over the labels l behind the label s, in bits, for every feature f."""
        return self._given(self._y, label, label + 1, first_label=label + 1)

    def _given(self, codes: Codes, first: int, last: int, first_label: int) -> Floats:
        symbols = [_Symbol.of(codes, p, self._y) for p in range(first, last)]
        sums = self._threads.map(partial(_Block.sums, symbols=symbols, first_label=first_label), self._blocks)
        return np.concatenate([np.zeros(0), *sums])


@dataclass(frozen=True, eq=False)
class _Symbol:
    """One symbol of the known column: where it holds, in how many rows, and the labels there."""

    plane: Plane
    size: int
    labels: Array

    @classmethod
    def of(cls, codes: Codes, p: int, y: Codes) -> "_Symbol":
        plane = plane_of(codes, p)
        return cls(plane, int(codes.totals[p]), counts_within(plane, y))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some features, with their tables with all labels."""

    x: Codes
    y: Codes
    joint: Array

    @classmethod
    def of(cls, x: Codes, y: Codes) -> "_Block":
        return cls(x, y, np.ascontiguousarray(joint_counts(x, y), dtype=np.uint32))

    def sums(self, symbols: list[_Symbol], first_label: int) -> Floats:
        """Return the sums of I(f;l|s), in bits, over the labels from the first on."""
        sums = LabelSums(self.x.vocabulary, self.y.vocabulary.n_planes, self.x.n_rows, first_label)
        cells, counts, labels, size = self.joint.copy(), self.x.totals.copy(), self.y.totals.copy(), self.x.n_rows
        for symbol in symbols:
            inner, inner_counts = cells_within(symbol.plane, self.x, self.y), counts_within(symbol.plane, self.x)
            sums.add(inner, inner_counts, symbol.labels, symbol.size)
            cells -= inner
            counts -= inner_counts
            labels -= symbol.labels
            size -= symbol.size
        sums.add(cells, counts, labels, size)
        return sums.bits()


TriplesOf: TypeAlias = LabelTriples | KnownTables


def triples_of(x: Codes, y: LabelCodes, threads: Threads | None = None) -> TriplesOf:
    """Return the sums of I(f;l|s) over labels; of labels of which some are unknown, in the rows that know them.

    Examples
    --------
    >>> from plait.counts import encode
    >>> triples_of(encode([[0, 0], [0, 1], [1, 0], [1, 1]]), encode([[0], [1], [1], [0]])).given_feature(1).tolist()
    [1.0, 0.0]
    """
    return y.tables(x) if isinstance(y, KnownLabels) else LabelTriples(x, y, threads)
