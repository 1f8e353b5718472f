"""Compiled products of CSR matrices with dense blocks, for the label pairs."""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["LANES", "lower_grams", "rows_times"]

SUMS = {"reassoc", "contract", "nsz"}
# A vector register holds sixteen float32 numbers; loops of this length need no rest.
LANES = 16


@kernel(fastmath=SUMS, error_model="numpy")
def rows_times(indptr, indices, data, block, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the CSR matrix times `block`."""
    width = block.shape[1]
    for n in range(out.shape[0]):
        for j in range(width):
            out[n, j] = 0
        for t in range(indptr[n], indptr[n + 1]):
            k, value = indices[t], data[t]
            for j in range(width):
                out[n, j] += value * block[k, j]


@kernel(fastmath=SUMS, error_model="numpy")
def lower_grams(indptr, indices, data, starts, rows, values, weights, out):  # type: ignore[no-untyped-def]
    """Fill the lower triangles of `out[t]` with A' diag(weights[:, t]) A; A comes as sorted CSR and transposed.

    All t are done at once, side by side, so that finding a pair of features costs as much as for one. Row k gathers
    the rows of A that have feature k, so what is written to stays in fast memory.
    """
    gathered = np.empty((out.shape[1], LANES), dtype=out.dtype)
    scaled = np.empty(LANES, dtype=out.dtype)
    for k in range(out.shape[1]):
        gathered[: k + 1] = 0
        for u in range(starts[k], starts[k + 1]):
            n = rows[u]
            for t in range(LANES):
                scaled[t] = values[u] * weights[n, t]
            for v in range(indptr[n], indptr[n + 1]):
                m = indices[v]
                if m > k:
                    break
                for t in range(LANES):
                    gathered[m, t] += data[v] * scaled[t]
        for t in range(out.shape[0]):
            for m in range(k + 1):
                out[t, k, m] = gathered[m, t]
