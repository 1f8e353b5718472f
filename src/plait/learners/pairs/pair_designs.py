"""The features as the label pairs need them: products with many coefficient rows at once, and weighted Gram matrices.

Coefficients come as rows, one for each pair; the intercept, if there is one, is the last column of the design.
"""

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from plait.core.arrays import Array
from plait.learners._sparse_kernels import LANES, lower_grams, rows_times

__all__ = ["DensePairDesign", "PairDesign", "SparsePairDesign", "pair_design"]


# From this share of entries on, a row of a sparse design counts as dense where pairs of entries are counted.
DENSE_ROW = 0.15


class PairDesign(Protocol):
    """What the solver asks of a design with n_samples rows and `size` columns."""

    size: int
    dtype: np.dtype[Any]

    def scores(self, coefficients: Array) -> Array:
        """Return `coefficients @ design.T`, shape (n_pairs, n_samples)."""

    def gradients(self, residuals: Array) -> Array:
        """Return `residuals @ design`, shape (n_pairs, size)."""

    def grams(self, weights: Array) -> Array:
        """Return `design.T @ diag(w) @ design` for each row w of `weights`; only lower triangles are right."""

    def diagonal(self, weights: Array) -> Array:
        """Return the diagonal of that matrix for one row of weights."""


class DensePairDesign:
    """A design held as an array."""

    def __init__(self, X: Array, scales: Array, centres: Array, intercept: bool, dtype: Any) -> None:
        self.values = np.ones((X.shape[0], X.shape[1] + int(intercept)), dtype=dtype)
        self.values[:, : X.shape[1]] = (X - centres) / scales
        self.size, self.dtype = self.values.shape[1], self.values.dtype

    def scores(self, coefficients: Array) -> Array:
        """Return `coefficients @ design.T`."""
        return np.asarray(coefficients @ self.values.T)

    def gradients(self, residuals: Array) -> Array:
        """Return `residuals @ design`."""
        return np.asarray(residuals @ self.values)

    def grams(self, weights: Array) -> Array:
        """Return the lower triangles of the weighted Gram matrices."""
        out = np.zeros((weights.shape[0], self.size, self.size), dtype=self.values.dtype)
        _add_grams(self.values, weights, out)
        return out

    def diagonal(self, weights: Array) -> Array:
        """Return the diagonal of the weighted Gram matrix."""
        return np.asarray(weights @ (self.values * self.values))


class SparsePairDesign:
    """A design held as CSR and, for gradients, its transpose."""

    def __init__(self, X: Any, scales: Array, intercept: bool, dtype: Any) -> None:
        ones = np.ones((X.shape[0], int(intercept)), dtype=dtype)
        scaled = X.copy()
        scaled.data = scaled.data / scales[scaled.indices]
        self.rows = sparse.hstack([scaled, sparse.csr_array(ones)], format="csr", dtype=dtype)
        self.rows.sum_duplicates()
        self.columns = self.rows.T.tocsr()
        self.size, self.dtype = self.rows.shape[1], self.rows.dtype
        filled = np.diff(self.rows.indptr) > self.size * DENSE_ROW
        # A row with many entries gives more pairs of entries than a dense product takes.
        self._heavy = np.flatnonzero(filled)
        self._block = self.rows[self._heavy].toarray()
        self._light = np.flatnonzero(~filled)
        self._few = self.rows[self._light]
        self._few_columns = self._few.T.tocsr()

    def scores(self, coefficients: Array) -> Array:
        """Return `coefficients @ design.T`."""
        return _transposed_product(self.rows, coefficients)

    def gradients(self, residuals: Array) -> Array:
        """Return `residuals @ design`."""
        return _transposed_product(self.columns, residuals)

    def grams(self, weights: Array) -> Array:
        """Return the lower triangles of the weighted Gram matrices."""
        out = np.zeros((weights.shape[0], self.size, self.size), dtype=self.rows.dtype)
        a, t = self._few, self._few_columns
        for start in range(0, len(out), LANES):
            part = slice(start, start + LANES)
            light = _filled(weights[part, self._light].T)
            lower_grams(a.indptr, a.indices, a.data, t.indptr, t.indices, t.data, light, out[part])
        if self._heavy.size:
            _add_grams(self._block, weights[:, self._heavy], out)
        return out

    def diagonal(self, weights: Array) -> Array:
        """Return the diagonal of the weighted Gram matrix."""
        return np.asarray(self.rows.power(2).T @ weights)


def _add_grams(values: Array, weights: Array, out: Array) -> None:
    """Add `values.T @ diag(w) @ values` to out[t], for each row w of weights."""
    for matrix, row in zip(out, np.sqrt(weights), strict=True):
        scaled = values * row[:, None]
        # NumPy sees that both factors are the same and computes one triangle only.
        matrix += scaled.T @ scaled


def _filled(block: Array) -> Array:
    """Return the block with columns of zeros added up to whole registers."""
    width = -(-block.shape[1] // LANES) * LANES
    out = np.zeros((block.shape[0], width), dtype=block.dtype)
    out[:, : block.shape[1]] = block
    return out


def _transposed_product(left: Any, right: Array) -> Array:
    """Return `right @ left.T` for CSR `left`: the inner loop runs over pairs, so they lie side by side."""
    block = _filled(right.T)
    out = np.empty((left.shape[0], block.shape[1]), dtype=left.dtype)
    rows_times(left.indptr, left.indices, left.data, block, out)
    return np.ascontiguousarray(out[:, : right.shape[0]].T)


def pair_design(X: Any, scales: Array, centres: Array, *, intercept: bool, dtype: Any) -> PairDesign:
    """Return the design of features (X - centres) / scales; CSR features are not centred."""
    if sparse.issparse(X):
        return SparsePairDesign(sparse.csr_array(X), scales, intercept, dtype)
    return DensePairDesign(X, scales, centres, intercept, dtype)
