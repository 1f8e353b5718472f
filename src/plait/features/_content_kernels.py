"""Sums of n log2 n over cells, for all candidates at once: arrays in, arrays out, the caller allocates.

Notation
--------
content : sum of n log2 n over cells, in the whole units of `plait.information.logs`
runs    : first candidate, number of candidates, first plane and planes of each, see `plane_arrays`
table   : n log2 n of every count
inside, outside : counts in the rows of a label, and in the others
"""

import numpy as np
from numba import njit

__all__ = ["add_binary_contents", "add_contents", "add_difference", "fill_group", "take_off"]


@njit(cache=True, nogil=True)
def add_contents(counts, size, runs, table, rest, contents):  # type: ignore[no-untyped-def]
    """Add the contents of every candidate in a group of `size` rows with these counts of planes."""
    for run in range(runs.shape[0]):
        first, n_columns, plane, n_each = runs[run, 0], runs[run, 1], runs[run, 2], runs[run, 3]
        sums = contents[first : first + n_columns]
        rest[:n_columns] = np.uint32(size)
        for _ in range(n_each - 1):
            line = counts[plane : plane + n_columns]
            for i in range(n_columns):
                sums[i] += table[line[i]]
            for i in range(n_columns):
                rest[i] -= line[i]
            plane += n_columns
        line = counts[plane : plane + n_columns]
        for i in range(n_columns):
            sums[i] += table[line[i]] + table[rest[i] - line[i]]


@njit(cache=True, nogil=True)
def take_off(line, left):  # type: ignore[no-untyped-def]
    """Leave what is not in the line."""
    for p in range(line.size):
        left[p] -= line[p]


@njit(cache=True, nogil=True)
def add_difference(contents, pairs, sums):  # type: ignore[no-untyped-def]
    """Add contents less pairs, as floats."""
    for m in range(sums.size):
        sums[m] += np.float64(contents[m] - pairs[m])


@njit(cache=True, nogil=True)
def fill_group(size, top, table, group):  # type: ignore[no-untyped-def]
    """Table the contents of two cells of together `size` rows, by the count of one of them, up to `top`."""
    n_counts, last = np.uint64(min(size, top) + 1), np.uint64(size)
    for k in range(n_counts):
        group[k] = table[k] + table[last - k]


@njit(cache=True, nogil=True)
def add_binary_contents(groups, line, inside, label_inside, label_outside, pairs, sums):  # type: ignore[no-untyped-def]
    """Add the contents of two-valued candidates with a label and a column, less the pairs: four look-ups, not eight.

    The rows are in four groups: with the label and the column, the label only, the column only, neither.
    """
    both, label_only, column_only, neither = groups[0], groups[1], groups[2], groups[3]
    for m in range(sums.size):
        met = inside[m]
        beside = line[m] - met
        content = both[met] + label_only[label_inside[m] - met]
        content += column_only[beside] + neither[label_outside[m] - beside]
        sums[m] += np.float64(content - pairs[m])
