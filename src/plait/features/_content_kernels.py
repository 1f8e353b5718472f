"""Sums of n log2 n over cells, for all candidates at once: arrays in, arrays out, the caller allocates.

Notation
--------
content : sum of n log2 n over cells, in the whole units of `plait.information.logs`
runs    : first candidate, number of candidates, first plane and planes of each, see `plane_arrays`
table   : n log2 n of every count
inside, outside : counts in the rows of a label, and in the others
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = [
    "add_contents",
    "add_difference",
    "add_tabled",
    "copy_line",
    "fill_groups",
    "put_back",
    "set_aside",
    "take_off",
    "write_pairs",
    "write_tabled_pairs",
]


@kernel
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


@kernel
def copy_line(line, out):  # type: ignore[no-untyped-def]
    """Copy as much as there is room for; Numba's own assignment takes seconds to compile."""
    for p in range(out.size):
        out[p] = line[p]


@kernel
def take_off(line, left):  # type: ignore[no-untyped-def]
    """Leave what is not in the line."""
    for p in range(line.size):
        left[p] -= line[p]


@kernel
def add_difference(contents, pairs, sums):  # type: ignore[no-untyped-def]
    """Add contents less pairs, as floats."""
    for m in range(sums.size):
        sums[m] += np.float64(contents[m] - pairs[m])


@kernel
def fill_groups(sizes, top, table, groups):  # type: ignore[no-untyped-def]
    """Table the contents of two cells of together sizes[g] rows, by the count of one of them, up to `top`."""
    for g in range(sizes.size):
        n_counts, last, group = np.uint64(min(sizes[g], top) + 1), np.uint64(sizes[g]), groups[g]
        for k in range(n_counts):
            group[k] = table[k] + table[last - k]


@kernel
def add_tabled(groups, line, inside, label_inside, label_outside, pairs, sums):  # type: ignore[no-untyped-def]
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


@kernel
def set_aside(sizes, line, inside, margins, table, frequent, pairs, sums, aside):  # type: ignore[no-untyped-def]
    """Work out the sums of frequent candidates, which are beyond the tables, cell by cell."""
    both, label_only, column_only, neither = (
        np.uint64(sizes[0]),
        np.uint64(sizes[1]),
        np.uint64(sizes[2]),
        np.uint64(sizes[3]),
    )
    for k in range(frequent.size):
        m = frequent[k]
        met = np.uint64(inside[m])
        beside = line[m] - met
        alone, none = margins[0, m] - met, margins[1, m] - beside
        content = table[met] + table[both - met] + table[alone] + table[label_only - alone]
        content += table[beside] + table[column_only - beside] + table[none] + table[neither - none]
        aside[k] = sums[m] + np.float64(content - pairs[m])


@kernel
def put_back(frequent, aside, sums):  # type: ignore[no-untyped-def]
    """Replace what tables gave for frequent candidates."""
    for k in range(frequent.size):
        sums[frequent[k]] = aside[k]


@kernel
def write_tabled_pairs(groups, line, totals, pairs):  # type: ignore[no-untyped-def]
    """Write the contents of two-valued candidates with a column: two look-ups, not four."""
    column, no_column = groups[0], groups[1]
    for m in range(pairs.size):
        pairs[m] = column[line[m]] + no_column[totals[m] - line[m]]


@kernel
def write_pairs(sizes, line, totals, table, frequent, pairs):  # type: ignore[no-untyped-def]
    """Write the contents of frequent candidates, which are beyond the tables, cell by cell."""
    column, no_column = np.uint64(sizes[0]), np.uint64(sizes[1])
    for k in range(frequent.size):
        m = frequent[k]
        met = np.uint64(line[m])
        alone = totals[m] - met
        pairs[m] = table[met] + table[column - met] + table[alone] + table[no_column - alone]
