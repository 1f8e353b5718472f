"""Compiled scores of sparse rows: arrays in, arrays out, the caller allocates."""

from plait.core.compilation import kernel

__all__ = ["fill_scores"]


@kernel
def fill_scores(indptr, indices, data, weights, intercepts, out):  # type: ignore[no-untyped-def]
    """Fill `out` with the CSR rows times `weights` (n_features, n_labels), plus the intercepts.

    Terms are added one after the other in the order of the row, as SciPy does it; four at a time only save walks over
    the row of results. The bits of a row do not depend on the rows beside it.
    """
    n_labels = out.shape[1]
    for i in range(out.shape[0]):
        out[i] = 0.0
        t, end = indptr[i], indptr[i + 1]
        while t + 3 < end:
            a, b, c, d = indices[t], indices[t + 1], indices[t + 2], indices[t + 3]
            for j in range(n_labels):
                first = (out[i, j] + data[t] * weights[a, j]) + data[t + 1] * weights[b, j]
                out[i, j] = (first + data[t + 2] * weights[c, j]) + data[t + 3] * weights[d, j]
            t += 4
        while t < end:
            for j in range(n_labels):
                out[i, j] += data[t] * weights[indices[t], j]
            t += 1
        for j in range(n_labels):
            out[i, j] += intercepts[j]
