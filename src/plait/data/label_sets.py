"""Which labels are on in which row, in one sparse form whatever `Y` came in."""

from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["label_pattern"]


def label_pattern(Y: Any) -> sparse.csr_matrix:
    """Return the nonzero entries of a matrix as CSR ones: sorted, each once, never a dense copy of a sparse `Y`."""
    if not sparse.issparse(Y):
        return _pattern_of_dense(np.asarray(Y))
    pattern = sparse.csr_matrix(Y, copy=True)
    pattern.sum_duplicates()
    pattern.eliminate_zeros()
    pattern.data = np.ones(pattern.nnz, dtype=np.int64)
    return pattern


def _pattern_of_dense(Y: Any) -> sparse.csr_matrix:
    n_samples, n_labels = Y.shape
    flat = np.flatnonzero(Y != 0)
    # One division instead of `nonzero`, which walks the matrix once an axis.
    rows, columns = np.divmod(flat, max(n_labels, 1))
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_samples))))
    ones = np.ones(len(flat), dtype=np.int64)
    return sparse.csr_matrix((ones, columns, starts), shape=(n_samples, n_labels))
