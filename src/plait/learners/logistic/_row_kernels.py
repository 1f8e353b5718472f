"""Kernels of the preconditioner that takes a few heavy rows into account exactly.

Columns are read as numbers without sign: with one, every use would first ask whether it counts from the end.
"""

import numpy as np

from plait.core.compilation import kernel

# Sums may be taken in any order: rows are long, and one sum after the other would wait for itself.
_SUMS = {"reassoc", "contract"}

__all__ = ["corrected", "row_gram", "without_rows"]


@kernel
def without_rows(indptr, indices, data, weights, diagonal):  # type: ignore[no-untyped-def]
    """diagonal_k -= sum over rows of weight * entry^2."""
    for a in range(len(weights)):
        for t in range(indptr[a], indptr[a + 1]):
            diagonal[np.uint32(indices[t])] -= weights[a] * data[t] * data[t]


@kernel(fastmath=_SUMS)
def row_gram(indptr, indices, data, inverse, buffer, K):  # type: ignore[no-untyped-def]
    """K = R diag(inverse) R' for the rows R; `buffer` holds zeros before and after."""
    n = K.shape[0]
    for a in range(n):
        for t in range(indptr[a], indptr[a + 1]):
            buffer[np.uint32(indices[t])] = data[t] * inverse[np.uint32(indices[t])]
        for b in range(a, n):
            total = 0.0
            for t in range(indptr[b], indptr[b + 1]):
                total += data[t] * buffer[np.uint32(indices[t])]
            K[a, b] = total
            K[b, a] = total
        for t in range(indptr[a], indptr[a + 1]):
            buffer[np.uint32(indices[t])] = 0.0


@kernel(fastmath=_SUMS)
def corrected(indptr, places, data, columns, middle, inverse, conditioned, lane, sums, column):  # type: ignore[no-untyped-def]
    """One lane of conditioned -= inverse R' middle R conditioned; `column` is room for one number per column of R.

    Only `columns` have entries in R; `places` says where in `columns` each entry belongs, and `inverse` runs over them.
    They are copied out and back, since the numbers of a lane lie far apart in the panel and each is used many times.
    """
    n = len(sums)
    for k in range(len(columns)):
        column[k] = conditioned[columns[k], lane]
    for a in range(n):
        total = 0.0
        for t in range(indptr[a], indptr[a + 1]):
            total += data[t] * column[np.uint32(places[t])]
        sums[a] = total
    column[:] = 0.0
    for a in range(n):
        part = 0.0
        for b in range(n):
            part += middle[a, b] * sums[b]
        for t in range(indptr[a], indptr[a + 1]):
            column[np.uint32(places[t])] += data[t] * part
    for k in range(len(columns)):
        conditioned[columns[k], lane] -= inverse[k] * column[k]
