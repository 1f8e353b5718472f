"""From codes to the arrays of the general criterion's kernels: which planes lie where, what is worth being bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plait.core.arrays import Array, Bits, Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import Threads
from plait.counts import Codes, SparseCodes, Vocabulary
from plait.information import logs_of

__all__ = ["Arrangement", "LabelRows", "PairMemory", "Planes", "Workspace", "label_rows"]

_criterion_kernels = lazy_module("plait.features.engine._criterion_kernels")

_count_kernels = lazy_module("plait.features.engine._count_kernels")


class Planes(NamedTuple):
    """The candidate features and, behind them, the labels that are parents.

    Columns with the same number of planes stand together in a run. The first planes of a run's columns lie side by
    side, then their second planes, and so on, so that loops over candidates walk along the memory.

    Parameters
    ----------
    n_rows, n_planes : int
        Rows; planes of candidates only.
    row_length : float
        Mean number of planes that hold in a row.
    bits : float
        What a unit of `table` is worth in bits.
    indptr, indices : ndarrays
        Planes that hold in each row.
    starts, rows : ndarrays
        Rows in which each plane holds.
    columns : ndarray of shape (n_columns, 3)
        First plane of a column, the distance to the next one, and how many there are; parents behind candidates.
    runs : ndarray of shape (n_runs, 4)
        First candidate, number of candidates, first plane, planes of each.
    names : ndarray of shape (n_candidates,)
        Which feature a candidate is; ascending within a run.
    own : ndarray of shape (n_candidates,)
        Sum of n log2 n over the symbols of each candidate.
    table : ndarray of shape (n_rows + 1,)
        n log2 n of every count, in whole units.
    frequent : ndarray
        Two-valued candidates that hold in more than `tabled` rows; all candidates where some are not two-valued.
    tabled : int
        Up to which count contents of the other candidates are tabled.
    """

    n_rows: int
    n_planes: int
    row_length: float
    bits: float
    indptr: Ints
    indices: Array
    starts: Ints
    rows: Array
    columns: Ints
    runs: Ints
    names: Ints
    own: Ints
    table: Ints
    frequent: Ints
    tabled: int


class LabelRows(NamedTuple):
    """Some labels: the rows of the rarer value of each, counted and, where it pays, as bits of these rows only.

    Parameters
    ----------
    sizes : ndarray of shape (n_labels,)
        Number of rows of each label.
    row_starts, rows : ndarrays
        The rows of label i, ascending: `rows[row_starts[i] : row_starts[i + 1]]`.
    word_starts, words : ndarrays
        The bits of all planes in these rows: `words[word_starts[i] : word_starts[i + 1]]`, plane fastest.
    margins : ndarray of shape (n_labels, 2, all planes)
        How often each plane holds in the rows of a label, and in the others.
    """

    sizes: Ints
    row_starts: Ints
    rows: Array
    word_starts: Ints
    words: Bits
    margins: Array


class Workspace(NamedTuple):
    """Room for one thread, and the pairs of columns that were counted.

    Parameters
    ----------
    counts : ndarray of shape (4, all planes)
        In and outside of a label, with a symbol of a column and without.
    rest : ndarray of shape (n_candidates,)
        Counts that are left for the symbol 0.
    contents : ndarray of shape (n_candidates,)
        Sums of n log2 n.
    groups : ndarray of shape (4, n_rows + 1)
        k log2 k + (s - k) log2 (s - k) for groups of s rows; filled up to `Planes.tabled`.
    aside : ndarray of shape (n_candidates,)
        Sums of frequent candidates.
    places : ndarray of shape (n_columns, 2)
        Where lines and pairs of a column begin, or -1 where it was not counted.
    lines : ndarray
        For each plane of a counted column, how often it meets all planes of candidates.
    pairs : ndarray
        For each counted column, the sums of n log2 n over its cells with all candidates.
    """

    counts: Array
    rest: Array
    contents: Ints
    groups: Ints
    aside: Floats
    places: Ints
    lines: Array
    pairs: Ints


# Bytes that the bits of all rows may take.
_MOST_BYTES = 1 << 28
# Chosen columns are larger than the mean: bits are made unless walking rows is so many times cheaper on average.
_FAVOUR = 8.0
# Nanoseconds of one step of each way to count, as in `_greedy_kernels`.
_PER_WORD, _PER_ENTRY, _PER_ROW = 0.28, 1.6, 1.5
# Nanoseconds of tabling one count, and of looking up the eight cells of one candidate.
_PER_TABLED, _PER_FREQUENT = 0.4, 6.0


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The columns of x as candidates, and those of y behind them.

    Parameters
    ----------
    planes : Planes
        What kernels read.
    totals : ndarray of shape (all planes,)
        Number of rows of each plane.
    words : ndarray of shape (n_words, all planes)
        The bits of all rows, row i in word i // 64; no words where walking along rows is cheaper.
    """

    planes: Planes
    totals: Array
    words: Bits

    @classmethod
    def of(cls, x: Codes, y: Codes) -> "Arrangement":
        """Arrange features, each of which holds more than one symbol, and the labels that can be parents."""
        n_each = np.diff(x.vocabulary.offsets)
        names = np.argsort(n_each, kind="stable")
        runs, columns = _runs(n_each[names])
        n_parents = y.vocabulary.n_columns
        rows = _joined(x.sparse(), _places(x.vocabulary, names, columns), y.sparse())
        first_parent = x.vocabulary.n_planes + np.arange(n_parents)
        parents = np.column_stack((first_parent, np.ones((n_parents, 2), dtype=np.int64)))
        logs = logs_of(x.n_rows)
        totals = rows.totals.astype(np.uint32)
        frequent, tabled = _frequent(totals[: x.vocabulary.n_planes], x.vocabulary.one_plane_each)
        planes = Planes(
            x.n_rows,
            x.vocabulary.n_planes,
            rows.nnz / max(x.n_rows, 1),
            logs.bits,
            rows.indptr,
            rows.indices,
            *rows.by_plane,
            columns=np.concatenate((columns, parents)),
            runs=runs,
            names=names,
            own=np.zeros(names.size, dtype=np.int64),
            table=np.asarray(logs.of(np.arange(x.n_rows + 1)), dtype=np.int64),
            frequent=frequent,
            tabled=tabled,
        )
        _criterion_kernels.add_contents(
            totals, x.n_rows, runs, planes.table, np.empty(names.size, dtype=np.uint32), planes.own
        )
        return cls(planes, totals, _words(rows))


def _runs(n_each: Ints) -> tuple[Ints, Ints]:
    """Return the runs of columns with as many planes, and for each column its first plane, step and number."""
    sizes, firsts, counts = np.unique(n_each, return_index=True, return_counts=True)
    planes = np.concatenate(([0], np.cumsum(sizes * counts)))[:-1]
    runs = np.column_stack((firsts, counts, planes, sizes)).astype(np.int64)
    run = np.repeat(np.arange(sizes.size), counts)
    within = np.arange(n_each.size) - firsts[run]
    return runs, np.column_stack((planes[run] + within, counts[run], n_each)).astype(np.int64)


def _frequent(totals: Array, two_valued: bool) -> tuple[Ints, int]:
    """Return the candidates that are looked up cell by cell, and the largest count of the others.

    Tabling contents up to a count takes the longer, the larger it is; so the few largest candidates are left out.
    """
    if not two_valued:
        return np.arange(totals.size), 0
    counts = np.concatenate(([0], np.sort(totals).astype(np.int64)))
    cost = _PER_TABLED * counts + _PER_FREQUENT * (totals.size - np.arange(counts.size))
    tabled = int(counts[np.argmin(cost)])
    return np.flatnonzero(totals > tabled), tabled


def _places(vocabulary: Vocabulary, names: Ints, columns: Ints) -> Array:
    """Return the new number of each plane."""
    first, step, n_each = columns.T
    nth = np.arange(vocabulary.n_planes) - np.repeat(np.cumsum(n_each) - n_each, n_each)
    places = np.empty(vocabulary.n_planes, dtype=np.uint32)
    places[np.repeat(vocabulary.offsets[names], n_each) + nth] = np.repeat(first, n_each) + nth * np.repeat(
        step, n_each
    )
    return places


def _joined(x: SparseCodes, places: Array, y: SparseCodes) -> SparseCodes:
    """Return the planes of x in their new places and those of y behind them, each as a column of its own."""
    indptr = np.zeros(x.n_rows + 1, dtype=np.int64)
    indices = np.empty(x.nnz + y.nnz, dtype=np.uint32)
    _count_kernels.joined_rows(x.indptr, x.indices, places, y.indptr, y.indices, indptr, indices)
    return SparseCodes(Vocabulary.binary(places.size + y.vocabulary.n_columns), indptr, indices)


def _words(rows: SparseCodes) -> Bits:
    n_planes, n_words = rows.vocabulary.n_planes, (rows.n_rows + 63) // 64
    by_rows = _PER_ENTRY * (rows.nnz / max(n_planes, 1)) * (rows.nnz / max(rows.n_rows, 1))
    if 8 * n_planes * n_words > _MOST_BYTES or _PER_WORD * n_words * n_planes > _FAVOUR * by_rows:
        return np.empty((0, n_planes), dtype=np.uint64)
    return np.ascontiguousarray(rows.packed().words.T)


def label_rows(y: SparseCodes, labels: Sequence[int], arrangement: Arrangement, most_bytes: int) -> LabelRows:
    """Return some labels, by the rows of the rarer value of each.

    Parameters
    ----------
    y : SparseCodes
        All labels.
    labels : sequence of int
        Which of them.
    arrangement : Arrangement
        What is counted.
    most_bytes : int
        What the bits of all these labels may take; labels beyond it are counted by their rows.
    """
    planes, totals = arrangement.planes, arrangement.totals
    rows = [_rarer_rows(y, label) for label in labels]
    sizes = np.array([part.size for part in rows], dtype=np.int64)
    n_words = _n_words(sizes, planes, totals.size, most_bytes)
    ends = n_words.cumsum()
    words = np.zeros((int(ends[-1]), totals.size), dtype=np.uint64)
    margins = np.zeros((len(rows), 2, totals.size), dtype=np.uint32)
    for k, part in enumerate(rows):
        own_words = words[ends[k] - n_words[k] : ends[k]]
        _count_kernels.gather_label(part, planes.indptr, planes.indices, totals, own_words, margins[k])
    starts = [np.concatenate(([0], part)) for part in (sizes.cumsum(), ends)]
    return LabelRows(sizes, starts[0], np.concatenate(rows), starts[1], words, margins)


def _rarer_rows(y: SparseCodes, label: int) -> Array:
    starts, rows = y.by_plane
    part = rows[starts[label] : starts[label + 1]]
    if 2 * part.size <= y.n_rows:
        return part
    # Entropies do not care which value is which.
    others = np.ones(y.n_rows, dtype=np.bool_)
    others[part] = False
    return np.flatnonzero(others).astype(np.uint32)


def _n_words(sizes: Ints, planes: Planes, n_planes: int, most_bytes: int) -> Ints:
    """Return how many words hold the rows of each label, 0 where bits are not worth it."""
    n_words = (sizes + 63) // 64
    share = planes.row_length / max(n_planes, 1)
    by_rows = _PER_ENTRY * planes.row_length * share * sizes + _PER_ROW * (share * planes.n_rows + sizes)
    worth = _PER_WORD * n_words * n_planes <= _FAVOUR * by_rows
    fits = np.cumsum(8 * n_words * n_planes * worth) <= most_bytes
    return n_words * (worth & fits)


class PairMemory:
    """A workspace whose pairs are counted when they are asked for.

    Parameters
    ----------
    arrangement : Arrangement
        The columns.
    most_bytes : int
        What counted pairs may take (one column always fits); when the room is full, it is used anew.
    """

    def __init__(self, arrangement: Arrangement, most_bytes: int):
        planes = arrangement.planes
        n_candidates, n_columns = planes.names.size, len(planes.columns)
        self._arrangement = arrangement
        self._sizes = planes.columns[:, 2] * planes.n_planes
        n_cells = int(self._sizes.sum())
        share = min(1.0, most_bytes / max(4 * n_cells + 8 * n_columns * n_candidates, 1))
        self.holds_all = share == 1.0
        self.space = _workspace(
            arrangement,
            places=np.full((n_columns, 2), -1, dtype=np.int64),
            lines=np.empty(max(int(share * n_cells), int(self._sizes.max(initial=0))), dtype=np.uint32),
            pairs=np.empty(max(int(share * n_columns), 1) * n_candidates, dtype=np.int64),
        )
        self._used = [0, 0]

    def count(self, columns: Ints) -> None:
        """Count some columns with all candidates; others are forgotten where room is needed."""
        for column in columns.tolist():
            self._give_place(column)
        self._count(columns)

    def count_all(self, threads: Threads) -> None:
        """Count all columns, which must fit."""
        columns = np.arange(len(self._sizes))
        for column in columns.tolist():
            self._give_place(column)
        parts = [(self.beside(), part) for part in np.array_split(columns, threads.n_threads)]
        threads.map(lambda task: task[0]._count(task[1]), parts)

    def beside(self) -> "PairMemory":
        """Return a memory for another thread, with the same pairs; only where nothing more is to be counted."""
        other = object.__new__(PairMemory)
        other.__dict__.update(self.__dict__)
        other.space = _workspace(self._arrangement, self.space.places, self.space.lines, self.space.pairs)
        return other

    def _count(self, columns: Ints) -> None:
        arranged = self._arrangement
        _criterion_kernels.count_lines(columns, arranged.words, arranged.totals, arranged.planes, self.space)
        _criterion_kernels.add_pairs(columns, arranged.totals, arranged.planes, self.space)

    def _give_place(self, column: int) -> None:
        n_cells, n_pairs = int(self._sizes[column]), self.space.contents.size
        if self._used[0] + n_cells > self.space.lines.size or self._used[1] + n_pairs > self.space.pairs.size:
            self.space.places[:] = -1
            self._used = [0, 0]
        self.space.places[column] = self._used
        self._used = [self._used[0] + n_cells, self._used[1] + n_pairs]


def _workspace(arrangement: Arrangement, places: Ints, lines: Array, pairs: Ints) -> Workspace:
    """Return room of its own for one thread, around counted pairs."""
    n_candidates, n_rows = arrangement.planes.names.size, arrangement.planes.n_rows
    return Workspace(
        counts=np.empty((4, arrangement.totals.size), dtype=np.uint32),
        rest=np.empty(n_candidates, dtype=np.uint32),
        contents=np.empty(n_candidates, dtype=np.int64),
        groups=np.empty((4, n_rows + 1), dtype=np.int64),
        aside=np.empty(n_candidates),
        places=places,
        lines=lines,
        pairs=pairs,
    )
