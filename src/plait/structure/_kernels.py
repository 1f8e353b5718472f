"""From counts of three labels to conditional mutual information: arrays in, arrays out, the caller allocates.

Notation
--------
j, k, l       : three labels
pairs[k, l]   : rows with labels k and l;  ones[k]: rows with label k;  n_rows: all rows
within[k, l]  : rows with labels k and l among those with label j
table[n]      : n log2 n as a whole number (see `plait.information.logs`), for all n up to the number of rows
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["add_conditional_amounts"]


@kernel
def _two(n_both, n_a, n_b, n_rows, table):  # type: ignore[no-untyped-def]
    return (table[n_both] + table[n_a - n_both]) + (table[n_b - n_both] + table[n_rows - n_a - n_b + n_both])


@kernel
def add_conditional_amounts(j, k, labels, pairs, within, ones, n_rows, table, bits, out):  # type: ignore[no-untyped-def]
    """Add I(Y_j;Y_k|Y_l) to out[i] for every l = labels[i]."""
    n_j, n_k, n_jk = ones[j], ones[k], np.int64(pairs[j, k])
    for i in range(labels.size):
        l = labels[i]  # noqa: E741
        n_l, n_jl, n_kl, n_jkl = ones[l], np.int64(pairs[j, l]), np.int64(pairs[k, l]), np.int64(within[k, l])
        # The rows with label l, then those without it, as tables of j and k.
        inside = _two(n_jkl, n_jl, n_kl, n_l, table)
        outside = _two(n_jk - n_jkl, n_j - n_jl, n_k - n_kl, n_rows - n_l, table)
        one = table[n_l] + table[n_rows - n_l]
        jl, kl = _two(n_jl, n_j, n_l, n_rows, table), _two(n_kl, n_k, n_l, n_rows, table)
        amount = (inside - jl) + (outside - kl) + one
        if amount > 0:
            out[i] += bits * amount
