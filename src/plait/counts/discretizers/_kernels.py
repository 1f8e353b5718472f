"""Loops of the discretisers: arrays in, arrays out, the caller allocates.

Notation
--------
X                    : dense values, shape (n_rows, n_columns); of a CSR matrix `indices` (columns) and `data`
cuts, offsets        : ascending cut points of all columns; column j has `cuts[offsets[j] : offsets[j + 1]]`
shift, exact, beyond : code of v = (number of cuts <= v) - shift[j]; in an exact column v must be one of the cuts, else
                       its code is beyond[j] + 1; NaN has the code beyond[j]
starts, rows, values : entries of each column ascending by value, NaN last; entries not listed are zeros
prefix[g, l]         : rows with label l among the first g distinct values of a column; `sizes[g]` is its sum over l

Sums skip zeros and take entries in the order of rows, so that dense and sparse input give the same bits.
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = [
    "code_dense",
    "code_entries",
    "laim_cuts",
    "see_dense",
    "see_entries",
    "sort_columns",
    "spread_dense",
    "spread_entries",
]

# Up to so many cuts are tried one after the other.
_FEW = 8
# Rows of a dense matrix worked on at a time, column by column, while they are in the cache.
_ROWS = 128


@kernel
def _new_distinct(v, first, second, n_distinct):  # type: ignore[no-untyped-def]
    """Say whether a non-zero value is new to a column that has shown fewer than three."""
    if n_distinct == 0:
        return True
    return n_distinct < 3 and v != first and (n_distinct == 1 or v != second)


@kernel
def see_dense(X, n_missing, n_values, total, first, second, n_distinct):  # type: ignore[no-untyped-def]
    """Note of each column: missing entries, non-zero entries, their sum, and up to two distinct ones."""
    for start in range(0, X.shape[0], _ROWS):
        for j in range(X.shape[1]):
            missing, n, amount = 0, 0, total[j]
            for i in range(start, min(start + _ROWS, X.shape[0])):
                v = np.float64(X[i, j])
                if np.isnan(v):
                    missing += 1
                elif v != 0.0:
                    n += 1
                    amount += v
                    if n_distinct[j] < 3 and _new_distinct(v, first[j], second[j], n_distinct[j]):
                        first[j] = v if n_distinct[j] == 0 else first[j]
                        second[j] = v if n_distinct[j] == 1 else second[j]
                        n_distinct[j] += 1
            n_missing[j] += missing
            n_values[j] += n
            total[j] = amount


@kernel
def see_entries(indices, data, n_missing, n_values, total, first, second, n_distinct):  # type: ignore[no-untyped-def]
    """Note the same of the stored entries of a CSR matrix."""
    for k in range(indices.size):
        v, j = np.float64(data[k]), indices[k]
        if np.isnan(v):
            n_missing[j] += 1
        elif v != 0.0:
            n_values[j] += 1
            total[j] += v
            if n_distinct[j] < 3 and _new_distinct(v, first[j], second[j], n_distinct[j]):
                first[j] = v if n_distinct[j] == 0 else first[j]
                second[j] = v if n_distinct[j] == 1 else second[j]
                n_distinct[j] += 1


@kernel
def spread_dense(X, mean, squares):  # type: ignore[no-untyped-def]
    """Add up squared distances of non-zero values from the mean."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            v = np.float64(X[i, j])
            if v != 0.0 and not np.isnan(v):
                squares[j] += (v - mean[j]) ** 2


@kernel
def spread_entries(indices, data, mean, squares):  # type: ignore[no-untyped-def]
    """Add up squared distances of stored non-zero values from the mean."""
    for k in range(indices.size):
        v, j = np.float64(data[k]), indices[k]
        if v != 0.0 and not np.isnan(v):
            squares[j] += (v - mean[j]) ** 2


@kernel
def _n_at_or_below(v, cuts):  # type: ignore[no-untyped-def]
    n = 0
    if cuts.size <= _FEW:
        # Without a branch to guess wrongly.
        for k in range(cuts.size):
            n += cuts[k] <= v
        return n
    high = cuts.size
    while n < high:
        middle = (n + high) >> 1
        if cuts[middle] <= v:
            n = middle + 1
        else:
            high = middle
    return n


@kernel
def _code(v, cuts, shift, exact, beyond):  # type: ignore[no-untyped-def]
    if np.isnan(v):
        return beyond
    n = _n_at_or_below(v, cuts)
    if exact and (n == 0 or cuts[n - 1] != v):
        return beyond + 1
    return n - shift


@kernel
def code_dense(X, offsets, cuts, shift, exact, beyond, codes):  # type: ignore[no-untyped-def]
    """Write the code of every entry of a dense matrix."""
    for start in range(0, X.shape[0], _ROWS):
        for j in range(X.shape[1]):
            mine, zero, own, last = cuts[offsets[j] : offsets[j + 1]], shift[j], exact[j], beyond[j]
            for i in range(start, min(start + _ROWS, X.shape[0])):
                codes[i, j] = _code(np.float64(X[i, j]), mine, zero, own, last)


@kernel
def code_entries(indices, data, offsets, cuts, shift, exact, beyond, codes):  # type: ignore[no-untyped-def]
    """Write the code of every stored entry of a CSR matrix."""
    for k in range(indices.size):
        j = indices[k]
        mine = cuts[offsets[j] : offsets[j + 1]]
        codes[k] = _code(np.float64(data[k]), mine, shift[j], exact[j], beyond[j])


@kernel
def sort_columns(starts, rows, values):  # type: ignore[no-untyped-def]
    """Sort the entries of each column by value in place, NaN last."""
    for j in range(starts.size - 1):
        low, high = starts[j], starts[j + 1]
        order = np.argsort(values[low:high])
        values[low:high] = values[low:high][order]
        rows[low:high] = rows[low:high][order]


@kernel
def _n_present(values):  # type: ignore[no-untyped-def]
    n = values.size
    while n and np.isnan(values[n - 1]):
        n -= 1
    return n


@kernel
def _count_labels(rows, indptr, indices, counts, sign):  # type: ignore[no-untyped-def]
    for k in range(rows.size):
        for m in range(indptr[rows[k]], indptr[rows[k] + 1]):
            counts[indices[m]] += sign


@kernel
def _label_prefix(rows, values, zero_labels, n_zeros, indptr, indices, distinct, prefix):  # type: ignore[no-untyped-def]
    """Count labels up to each distinct value of one column; return the number of distinct values."""
    n_groups, pending = 0, n_zeros > 0
    prefix[0] = 0
    for k in range(values.size + 1):
        if pending and (k == values.size or values[k] >= 0.0):
            pending = False
            distinct[n_groups] = 0.0
            n_groups += 1
            prefix[n_groups] = prefix[n_groups - 1] + zero_labels
        if k == values.size:
            break
        if n_groups == 0 or values[k] != distinct[n_groups - 1]:
            distinct[n_groups] = values[k]
            n_groups += 1
            prefix[n_groups] = prefix[n_groups - 1]
        _count_labels(rows[k : k + 1], indptr, indices, prefix[n_groups], 1)
    return n_groups


@kernel
def _quality(prefix, sizes, low, high):  # type: ignore[no-untyped-def]
    """Return max_r^2 / M_r of the interval of distinct values low .. high - 1, 0 where M_r is 0."""
    size = sizes[high] - sizes[low]
    if size == 0:
        return 0.0
    most = prefix[high, 0] - prefix[low, 0]
    for label in range(1, prefix.shape[1]):
        most = max(most, prefix[high, label] - prefix[low, label])
    return most * (most / size)


@kernel
def _best_cut(prefix, sizes, low, high, tie):  # type: ignore[no-untyped-def]
    """Return the place in an interval where a cut adds most to the sum of qualities, and how much; -1: no place."""
    place, most = -1, -np.inf
    whole = _quality(prefix, sizes, low, high)
    for p in range(low + 1, high):
        gain = _quality(prefix, sizes, low, p) + _quality(prefix, sizes, p, high) - whole
        if gain > most + tie:
            place, most = p, gain
    return place, most


@kernel
def _search(prefix, sizes, ends, places, gains, tolerance):  # type: ignore[no-untyped-def]
    """Find the intervals of one column by greedy search; return how many there are.

    The places between the intervals are left in `ends`; `places` and `gains` are room for the best cut of each. Since
    LAIM is a sum over intervals divided by n * M, a cut changes only its own interval's part of the sum, and only the
    two halves need to be looked at again.
    """
    n_groups = sizes.size - 1
    tie = tolerance * sizes[n_groups]
    ends[0], ends[1] = 0, n_groups
    places[0], gains[0] = _best_cut(prefix, sizes, 0, n_groups, tie)
    n, total, best = 1, _quality(prefix, sizes, 0, n_groups), 0.0
    while n < n_groups:
        r = 0
        for s in range(1, n):
            if gains[s] > gains[r] + tie:
                r = s
        value = (total + gains[r]) / (n + 1)
        if places[r] < 0 or value <= best * (1.0 + tolerance):
            break
        best, total = value, total + gains[r]
        for s in range(n, r, -1):
            ends[s + 1] = ends[s]
        for s in range(n - 1, r, -1):
            places[s + 1], gains[s + 1] = places[s], gains[s]
        ends[r + 1] = places[r]
        n += 1
        for s in (r, r + 1):
            places[s], gains[s] = _best_cut(prefix, sizes, ends[s], ends[s + 1], tie)
    return n


@kernel
def laim_cuts(starts, rows, values, n_rows, indptr, indices, all_labels, cuts, n_cuts, tolerance):  # type: ignore[no-untyped-def]
    """Write the cuts of each column from place `starts[j]` on, `n_cuts[j]` of them.

    `indptr`, `indices` are the labels of each row, `all_labels` their totals; values of LAIM that differ by less than
    `tolerance`, relatively, are equal.
    """
    longest = 0
    for j in range(starts.size - 1):
        longest = max(longest, starts[j + 1] - starts[j])
    n_labels = all_labels.size
    distinct, prefix = np.empty(longest + 1), np.empty((longest + 2, n_labels), dtype=np.int64)
    sizes, ends = np.empty(longest + 2, dtype=np.int64), np.empty(longest + 2, dtype=np.int64)
    places, gains = np.empty(longest + 2, dtype=np.int64), np.empty(longest + 2)
    zero_labels = np.empty(n_labels, dtype=np.int64)
    for j in range(starts.size - 1):
        low, high = starts[j], starts[j + 1]
        last = low + _n_present(values[low:high])
        zero_labels[:] = all_labels
        if high - low < n_rows:
            _count_labels(rows[low:high], indptr, indices, zero_labels, -1)
        n = _label_prefix(
            rows[low:last], values[low:last], zero_labels, n_rows - (high - low), indptr, indices, distinct, prefix
        )
        for g in range(n + 1):
            sizes[g] = prefix[g].sum()
        n_intervals = _search(prefix, sizes[: n + 1], ends, places, gains, tolerance) if n > 1 and n_labels else 1
        n_cuts[j] = n_intervals - 1
        for r in range(1, n_intervals):
            below, above = distinct[ends[r] - 1], distinct[ends[r]]
            middle = below / 2 + above / 2
            # Between neighbouring floats there is no middle.
            cuts[low + r - 1] = middle if middle > below else above
