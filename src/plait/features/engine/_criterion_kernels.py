"""The terms of the general criterion and the greedy choice by them: arrays in, arrays out, the caller allocates.

Notation
--------
planes, labels, space : the tuples of arrays `Planes`, `LabelRows` and `Workspace` of `arrangement`
content               : sum of n log2 n over cells, in the whole units of `plait.information.logs`
runs                  : first candidate, number of candidates, first plane and planes of each
table                 : n log2 n of every count
inside, outside       : counts in the rows of a label, and in the others
conditional[m]        : sum over labels of n H(Y_j|X_m), in units
sums[m]               : sum over labels and chosen columns n of -n H(Y_j|X_n,X_m), in units; I(Y_j;X_n|X_m) is what the
                        two have together
base[m]               : what does not change with the chosen columns, in bits; -inf for what is out

Three-way tables are counted in the rows of a label only: the cells outside are what is left of the pairs, which are
counted once for all labels.
"""

import numpy as np

from plait.core.compilation import kernel
from plait.features.engine._count_kernels import count_by_bits, count_by_common_rows, count_by_rows

__all__ = [
    "add_all_triples",
    "add_contents",
    "add_pairs",
    "add_shared",
    "add_start",
    "add_triples",
    "best_candidate",
    "count_lines",
    "grow",
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


# Nanoseconds of one step of each way to count, on one core; only their proportions matter, and never for a result.
_PER_WORD = 0.28
_PER_ENTRY = 1.6
_PER_MERGED_ROW = 1.5
_NO_SIGN = 0x7FFFFFFFFFFFFFFF
# Scores that are compared at a time, 4 KiB.
_BLOCK = 512


@kernel
def count_lines(wanted, words, totals, planes, space):  # type: ignore[no-untyped-def]
    """Count the planes of some columns with all candidates in all rows, into the places they were given."""
    n_planes, everywhere = planes.n_planes, space.counts[0]
    for w in range(wanted.size):
        column = wanted[w]
        for k in range(planes.columns[column, 2]):
            plane = planes.columns[column, 0] + k * planes.columns[column, 1]
            place = space.places[column, 0] + k * n_planes
            line = space.lines[place : place + n_planes]
            by_rows = _PER_ENTRY * planes.row_length * totals[plane]
            if words.shape[0] and _PER_WORD * words.shape[0] * n_planes < by_rows:
                count_by_bits(plane, words, line)
            else:
                rows = planes.rows[planes.starts[plane] : planes.starts[plane + 1]]
                count_by_rows(rows, planes.indptr, planes.indices, everywhere)
                copy_line(everywhere, line)


@kernel
def add_pairs(wanted, totals, planes, space):  # type: ignore[no-untyped-def]
    """Write the contents of some columns with all candidates, from their lines."""
    runs, table, frequent, tabled = planes.runs, planes.table, planes.frequent, planes.tabled
    sizes = np.empty(4, dtype=np.int64)
    for w in range(wanted.size):
        column = wanted[w]
        n_own, place = planes.columns[column, 2], space.places[column, 0]
        lines = space.lines[place : place + n_own * planes.n_planes]
        pairs = space.pairs[space.places[column, 1] : space.places[column, 1] + planes.names.size]
        if n_own == 1 and tabled > 0:
            total = np.int64(totals[planes.columns[column, 0]])
            sizes[0], sizes[1] = total, planes.n_rows - total
            fill_groups(sizes[:2], tabled, table, space.groups)
            write_tabled_pairs(space.groups, lines, totals, pairs)
            write_pairs(sizes, lines, totals, table, frequent, pairs)
            continue
        left, size = space.counts[0], planes.n_rows
        copy_line(totals, left)
        pairs[:] = 0
        for k in range(n_own):
            total = np.int64(totals[planes.columns[column, 0] + k * planes.columns[column, 1]])
            line = lines[k * planes.n_planes : (k + 1) * planes.n_planes]
            add_contents(line, total, runs, table, space.rest, pairs)
            take_off(line, left)
            size -= total
        add_contents(left, size, runs, table, space.rest, pairs)


@kernel
def add_triples(column, label, labels, planes, space, sums):  # type: ignore[no-untyped-def]
    """Add the content of (label, column, candidate) less that of (column, candidate), for all candidates.

    This is -n H(Y|X_n,X_m) in units. The pairs of the column were counted.
    """
    size = labels.sizes[label]
    if size == 0:
        return
    n_planes, runs, table, counts = planes.n_planes, planes.runs, planes.table, space.counts
    n_in, n_out = size, planes.n_rows - size
    margins = labels.margins[label]
    words = labels.words[labels.word_starts[label] : labels.word_starts[label + 1]]
    pairs = space.pairs[space.places[column, 1] : space.places[column, 1] + sums.size]
    first, step, n_own = planes.columns[column, 0], planes.columns[column, 1], planes.columns[column, 2]
    two_valued, sizes = n_own == 1 and planes.tabled > 0, np.empty(4, dtype=np.int64)
    if not two_valued:
        copy_line(margins[0], counts[2])
        copy_line(margins[1], counts[3])
        space.contents[:] = 0
    for k in range(n_own):
        plane = first + k * step
        place = space.places[column, 0] + k * n_planes
        line = space.lines[place : place + n_planes]
        with_in, with_out = np.int64(margins[0, plane]), np.int64(margins[1, plane])
        by_rows = _PER_ENTRY * planes.row_length * with_in + _PER_MERGED_ROW * (size + with_in + with_out)
        if words.shape[0] and _PER_WORD * words.shape[0] * n_planes < by_rows:
            count_by_bits(plane, words, counts[0, :n_planes])
        else:
            rows = planes.rows[planes.starts[plane] : planes.starts[plane + 1]]
            others = labels.rows[labels.row_starts[label] : labels.row_starts[label + 1]]
            count_by_common_rows(rows, others, planes.indptr, planes.indices, counts[0])
        n_in -= with_in
        n_out -= with_out
        if two_valued:
            sizes[0], sizes[1], sizes[2], sizes[3] = with_in, n_in, with_out, n_out
            fill_groups(sizes, planes.tabled, table, space.groups)
            set_aside(sizes, line, counts[0], margins, table, planes.frequent, pairs, sums, space.aside)
            add_tabled(space.groups, line, counts[0], margins[0], margins[1], pairs, sums)
            put_back(planes.frequent, space.aside, sums)
        else:
            copy_line(line, counts[1, :n_planes])
            take_off(counts[0, :n_planes], counts[1])
            add_contents(counts[0], with_in, runs, table, space.rest, space.contents)
            add_contents(counts[1], with_out, runs, table, space.rest, space.contents)
            take_off(counts[0, :n_planes], counts[2])
            take_off(counts[1, :n_planes], counts[3])
    if not two_valued:
        add_contents(counts[2], n_in, runs, table, space.rest, space.contents)
        add_contents(counts[3], n_out, runs, table, space.rest, space.contents)
        add_difference(space.contents, pairs, sums)


@kernel
def add_start(parents, first, beta, label, labels, planes, space, sums, relevance, base, conditional):  # type: ignore[no-untyped-def]
    """Add the first two terms [OCC 42-43] of one label in bits, and its n H(Y_j|X_m) in units.

    Goes on from the first of its parents not yet in `sums`, up to one whose pairs were not counted; returns its
    position. Nothing is added before the last parent is in.
    """
    for k in range(first, parents.size):
        if space.places[parents[k], 0] < 0:
            return k
        add_triples(parents[k], label, labels, planes, space, sums)
    size, table, contents = labels.sizes[label], planes.table, space.contents
    n_others, whole = planes.n_rows - size, table[planes.n_rows]
    of_label = table[size] + table[n_others]
    contents[:] = 0
    add_contents(labels.margins[label, 0], size, planes.runs, table, space.rest, contents)
    add_contents(labels.margins[label, 1], n_others, planes.runs, table, space.rest, contents)
    for m in range(base.size):
        left = planes.own[m] - contents[m]
        most = whole - max(planes.own[m], of_label)
        shared = planes.bits * max(min(whole - of_label - left, most), 0)
        relevance[m] += shared
        base[m] += shared + beta * planes.bits * (sums[m] + parents.size * np.float64(left))
        conditional[m] += np.float64(left)
    return parents.size


@kernel
def add_shared(column, n_labels, planes, space, sums):  # type: ignore[no-untyped-def]
    """Add -I(X_m;X_n) for each of some labels, in units. The pairs of the column were counted."""
    own, whole = planes.own[column], planes.table[planes.n_rows]
    pairs = space.pairs[space.places[column, 1] : space.places[column, 1] + sums.size]
    for m in range(sums.size):
        high, low = max(planes.own[m], own), min(planes.own[m], own)
        shared = (pairs[m] - high) + (whole - low)
        sums[m] -= n_labels * np.float64(max(min(shared, whole - high), 0))


@kernel
def add_all_triples(column, labels, planes, space, sums):  # type: ignore[no-untyped-def]
    """Add the triples of all of some labels."""
    for label in range(labels.sizes.size):
        add_triples(column, label, labels, planes, space, sums)


@kernel
def _largest(keys):  # type: ignore[no-untyped-def]
    """Return the largest of some floats, none of them NaN, which come and go as the whole numbers of the same bits.

    Processors compare several whole numbers at a time; with floats Numba takes care of NaN, one by one. Bits of
    negative floats are turned around, so that the order is the same.
    """
    top = np.int64(-_NO_SIGN)
    for k in range(keys.size):
        key = keys[k]
        top = max(top, key ^ ((key >> 63) & _NO_SIGN))
    return top ^ ((top >> 63) & _NO_SIGN)


@kernel
def best_candidate(base, sums, weight, runs, names, tolerance):  # type: ignore[no-untyped-def]
    """Return the candidate with the best score base + weight * sums; the first feature of all within the tolerance."""
    scores, tops = np.empty(_BLOCK), np.empty(-(-base.size // _BLOCK))
    for block in range(tops.size):
        low, high = base[block * _BLOCK : (block + 1) * _BLOCK], sums[block * _BLOCK : (block + 1) * _BLOCK]
        for i in range(low.size):
            scores[i] = low[i] + weight * high[i]
        tops.view(np.int64)[block] = _largest(scores[: low.size].view(np.int64))
    top = -np.inf
    for block in range(tops.size):
        top = max(top, tops[block])
    near = top - tolerance * max(1.0, abs(top))
    best = -1
    for run in range(runs.shape[0]):
        m, end = runs[run, 0], runs[run, 0] + runs[run, 1]
        while m < end and (tops[m // _BLOCK] < near or base[m] + weight * sums[m] < near):
            m = (m // _BLOCK + 1) * _BLOCK if tops[m // _BLOCK] < near else m + 1
        # Names ascend within a run, so that no other of this run can come first.
        if m < end and (best < 0 or names[m] < names[best]):
            best = m
    return best


@kernel
def grow(first, base, conditional, gammas, marginal, label, labels, planes, space, tolerance, sums, ranking, scores):  # type: ignore[no-untyped-def]
    """Choose candidates from the first place on, up to one whose pairs were not counted; return the next place.

    gammas[0, t] and gammas[1, t] are gamma and t gamma when t features are chosen, in bits for each unit.
    """
    weights, shares = gammas[0], gammas[1]
    for t in range(first, ranking.size):
        if t > 0 and weights[t] != 0.0:
            if space.places[ranking[t - 1], 0] < 0:
                return t
            if marginal:
                add_shared(ranking[t - 1], 1, planes, space, sums)
            else:
                add_triples(ranking[t - 1], label, labels, planes, space, sums)
        if t > 0 and shares[t] != shares[t - 1]:
            for m in range(base.size):
                base[m] += (shares[t] - shares[t - 1]) * conditional[m]
        best = best_candidate(base, sums, weights[t], planes.runs, planes.names, tolerance)
        ranking[t], scores[t] = best, base[best] + weights[t] * sums[best]
        base[best] = -np.inf
    return ranking.size
