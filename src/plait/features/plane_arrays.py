"""The arrays that the kernels of the general criterion read and write, in three tuples."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bits, Ints

__all__ = ["LabelRows", "Planes", "Workspace"]

Counts = npt.NDArray[np.uint32]


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
    indices: Counts
    starts: Ints
    rows: Counts
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
    rows: Counts
    word_starts: Ints
    words: Bits
    margins: Counts


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

    counts: Counts
    rest: Counts
    contents: Ints
    groups: Ints
    aside: npt.NDArray[np.float64]
    places: Ints
    lines: Counts
    pairs: Ints
