"""From codes to the arrays of the general criterion: which planes lie where, and what is worth being bits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Ints
from plait.counts import Codes, SparseCodes, Vocabulary
from plait.features._content_kernels import add_contents
from plait.features._count_kernels import gather_label, joined_rows
from plait.features.plane_arrays import LabelRows, Planes
from plait.information import logs_of

__all__ = ["Arrangement", "label_rows"]

Counts = npt.NDArray[np.uint32]

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
    totals: Counts
    words: npt.NDArray[np.uint64]

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
        add_contents(totals, x.n_rows, runs, planes.table, np.empty(names.size, dtype=np.uint32), planes.own)
        return cls(planes, totals, _words(rows))


def _runs(n_each: Ints) -> tuple[Ints, Ints]:
    """Return the runs of columns with as many planes, and for each column its first plane, step and number."""
    sizes, firsts, counts = np.unique(n_each, return_index=True, return_counts=True)
    planes = np.concatenate(([0], np.cumsum(sizes * counts)))[:-1]
    runs = np.column_stack((firsts, counts, planes, sizes)).astype(np.int64)
    run = np.repeat(np.arange(sizes.size), counts)
    within = np.arange(n_each.size) - firsts[run]
    return runs, np.column_stack((planes[run] + within, counts[run], n_each)).astype(np.int64)


def _frequent(totals: Counts, two_valued: bool) -> tuple[Ints, int]:
    """Return the candidates that are looked up cell by cell, and the largest count of the others.

    Tabling contents up to a count takes the longer, the larger it is; so the few largest candidates are left out.
    """
    if not two_valued:
        return np.arange(totals.size), 0
    counts = np.concatenate(([0], np.sort(totals).astype(np.int64)))
    cost = _PER_TABLED * counts + _PER_FREQUENT * (totals.size - np.arange(counts.size))
    tabled = int(counts[np.argmin(cost)])
    return np.flatnonzero(totals > tabled), tabled


def _places(vocabulary: Vocabulary, names: Ints, columns: Ints) -> Counts:
    """Return the new number of each plane."""
    first, step, n_each = columns.T
    nth = np.arange(vocabulary.n_planes) - np.repeat(np.cumsum(n_each) - n_each, n_each)
    places = np.empty(vocabulary.n_planes, dtype=np.uint32)
    places[np.repeat(vocabulary.offsets[names], n_each) + nth] = np.repeat(first, n_each) + nth * np.repeat(
        step, n_each
    )
    return places


def _joined(x: SparseCodes, places: Counts, y: SparseCodes) -> SparseCodes:
    """Return the planes of x in their new places and those of y behind them, each as a column of its own."""
    indptr = np.zeros(x.n_rows + 1, dtype=np.int64)
    indices = np.empty(x.nnz + y.nnz, dtype=np.uint32)
    joined_rows(x.indptr, x.indices, places, y.indptr, y.indices, indptr, indices)
    return SparseCodes(Vocabulary.binary(places.size + y.vocabulary.n_columns), indptr, indices)


def _words(rows: SparseCodes) -> npt.NDArray[np.uint64]:
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
        gather_label(part, planes.indptr, planes.indices, totals, own_words, margins[k])
    starts = [np.concatenate(([0], part)) for part in (sizes.cumsum(), ends)]
    return LabelRows(sizes, starts[0], np.concatenate(rows), starts[1], words, margins)


def _rarer_rows(y: SparseCodes, label: int) -> Counts:
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
