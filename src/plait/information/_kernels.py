"""From cells of count tables to sums of n log2 n: arrays in, arrays out, the caller allocates.

Notation
--------
joint[a, b]          : rows with symbol a of the left and b of the right column, both non-zero
x_counts, y_counts   : rows of each non-zero symbol;  total: all rows
x_offsets, y_offsets : planes of each column
table[n]             : n log2 n as a whole number, in units of 2**-shift (see `plait.information.logs`); `scale` =
                       2**shift serves counts beyond the table
out[i, j]            : sum of n log2 n over all cells of columns i and j

Of three labels j, k, l:
of_j[l], of_k[l]     : rows with labels j and l, and with k and l;  ones[k]: rows with label k
within[l]            : rows with label l among those with both j and k
"""

import math

import numpy as np

from plait.core.compilation import kernel

__all__ = [
    "add_conditional_amounts",
    "contents_of_pairs",
    "contents_of_pairs_binary",
    "count_contents",
    "mutual_amounts",
]


@kernel
def _direct(n, scale):  # type: ignore[no-untyped-def]
    return np.int64(np.rint(n * math.log2(n) * scale)) if n > 1 else np.int64(0)


@kernel
def _content(n, table, scale):  # type: ignore[no-untyped-def]
    return table[n] if n < table.size else _direct(n, scale)


@kernel
def count_contents(counts, scale, out):  # type: ignore[no-untyped-def]
    """Write n log2 n of every count, in units of 1 / scale."""
    for k in range(counts.size):
        out[k] = _direct(counts[k], scale)


@kernel
def contents_of_pairs_binary(joint, x_counts, y_counts, total, table, out):  # type: ignore[no-untyped-def]
    """Sum the four cells of two-valued columns; the table reaches up to the total."""
    for i in range(joint.shape[0]):
        n_x = x_counts[i]
        for j in range(joint.shape[1]):
            n_xy = np.int64(joint[i, j])
            only_y = y_counts[j] - n_xy
            out[i, j] = (table[n_xy] + table[n_x - n_xy]) + (table[only_y] + table[total - n_x - only_y])


@kernel
def contents_of_pairs(joint, x_offsets, x_counts, y_offsets, y_counts, total, table, scale, out):  # type: ignore[no-untyped-def]
    """Sum the cells of columns with any number of symbols."""
    left_over = np.empty(y_counts.size, dtype=np.int64)
    for i in range(x_offsets.size - 1):
        left_over[:] = y_counts
        zeros = total
        out[i] = 0
        for a in range(x_offsets[i], x_offsets[i + 1]):
            zeros -= x_counts[a]
            for j in range(y_offsets.size - 1):
                rest, content = x_counts[a], np.int64(0)
                for b in range(y_offsets[j], y_offsets[j + 1]):
                    n = np.int64(joint[a, b])
                    rest -= n
                    left_over[b] -= n
                    content += _content(n, table, scale)
                out[i, j] += content + _content(rest, table, scale)
        for j in range(y_offsets.size - 1):
            rest, content = zeros, np.int64(0)
            for b in range(y_offsets[j], y_offsets[j + 1]):
                rest -= left_over[b]
                content += _content(left_over[b], table, scale)
            out[i, j] += content + _content(rest, table, scale)


@kernel
def mutual_amounts(joint, x, y, whole, factor, out):  # type: ignore[no-untyped-def]
    """Write I = H(X) + H(Y) - H(X,Y), moved into [0, min(H(X), H(Y))], times a factor.

    `joint`, `x`, `y` and `whole` are sums of n log2 n; the largest is taken off first, so that with floats, too,
    I(A;A) = H(A) and I(A;constant) = 0 hold to the last bit.
    """
    for i in range(joint.shape[0]):
        for j in range(joint.shape[1]):
            high, low = max(x[i], y[j]), min(x[i], y[j])
            amount = (joint[i, j] - high) + (whole - low)
            out[i, j] = factor * max(min(amount, whole - high), 0)


@kernel
def _two(n_both, n_a, n_b, n_rows, table):  # type: ignore[no-untyped-def]
    return (table[n_both] + table[n_a - n_both]) + (table[n_b - n_both] + table[n_rows - n_a - n_b + n_both])


@kernel
def add_conditional_amounts(j, k, labels, of_j, of_k, within, ones, n_rows, table, bits, out):  # type: ignore[no-untyped-def]
    """Add I(Y_j;Y_k|Y_l) to out[i] for every l = labels[i]; `within` counts label l in the rows of both j and k."""
    n_j, n_k, n_jk = ones[j], ones[k], np.int64(of_j[k])
    for i in range(labels.size):
        l = labels[i]  # noqa: E741
        n_l, n_jl, n_kl, n_jkl = ones[l], np.int64(of_j[l]), np.int64(of_k[l]), np.int64(within[l])
        # The rows with label l, then those without it, as tables of j and k.
        inside = _two(n_jkl, n_jl, n_kl, n_l, table)
        outside = _two(n_jk - n_jkl, n_j - n_jl, n_k - n_kl, n_rows - n_l, table)
        one = table[n_l] + table[n_rows - n_l]
        jl, kl = _two(n_jl, n_j, n_l, n_rows, table), _two(n_kl, n_k, n_l, n_rows, table)
        amount = (inside - jl) + (outside - kl) + one
        if amount > 0:
            out[i] += bits * amount
