"""Matrices of features as the descent needs them: problems are rows of what comes in and of what goes out."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Floats, Ints
from plait.core.lazy_modules import lazy_module

__all__ = ["DenseRows", "RawRows", "SparseRows", "SupportedRows", "in_eights"]

_dense_rows = lazy_module("plait.learners.logistic._descent_kernels")
_sparse_rows = lazy_module("plait.learners.logistic._descent_kernels")

# From this share of entries on, a row of a sparse matrix counts as dense where pairs of entries are counted.
DENSE_ROW = 0.15
_EIGHT = 8
# Blocks of rows that stay in the cache while they are centred, scaled and shortened.
_ROWS_CACHED = 256


def in_eights(values: Array, matrix: Array) -> Array:
    """Return `values @ matrix`, eight rows at a time, so that the bits of a row do not depend on how many there are.

    Examples
    --------
    >>> in_eights(np.ones((3, 2)), np.eye(2)).shape
    (3, 2)
    """
    n_eights, size = -(-len(values) // _EIGHT), values.shape[1]
    whole = np.zeros((n_eights * _EIGHT, size), dtype=values.dtype)
    whole[: len(values)] = values
    panels = whole.reshape(n_eights, _EIGHT, size) @ matrix
    return np.asarray(panels).reshape(n_eights * _EIGHT, matrix.shape[1])[: len(values)]


def _whole_eights(values: Array) -> Array:
    """Return the rows, with zeros below them up to a multiple of eight."""
    n_rows = -(-len(values) // _EIGHT) * _EIGHT
    if n_rows == len(values):
        return np.ascontiguousarray(values)
    whole = np.zeros((n_rows, values.shape[1]), dtype=values.dtype)
    whole[: len(values)] = values
    return whole


class DenseRows:
    """An array (n_samples, size) of features, (X - centres) / scales, the intercept's ones as last column if wanted.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        Features.
    scales, centres : ndarray of shape (n_columns,)
        What to divide and to shift columns by.
    intercept : bool
        Whether there is a column of ones.
    dtype : dtype
        Floats to keep.
    compiled : bool
        Whether products of float32 are compiled.
    """

    def __init__(
        self, X: Array, scales: Array, centres: Array, *, intercept: bool, dtype: Any, compiled: bool = False
    ) -> None:
        self.n_columns, self.size = X.shape[1], X.shape[1] + int(intercept)
        self.values = np.empty((X.shape[0], self.size), dtype=dtype)
        self.values[:, self.n_columns :] = 1.0
        self.dtype = self.values.dtype
        self._compiled = compiled and self.dtype == np.float32
        scaled = bool((scales != 1).any())
        for start in range(0, len(X), _ROWS_CACHED):
            rows = slice(start, start + _ROWS_CACHED)
            block = np.subtract(X[rows], centres, dtype=np.float64)
            self.values[rows, : self.n_columns] = np.divide(block, scales, out=block) if scaled else block

    @cached_property
    def _transposed(self) -> Array:
        """A copy of the other order, with which products are up to twice as fast."""
        return np.ascontiguousarray(self.values.T)

    def scores(self, coefficients: Array, rows: Ints | None = None) -> Array:
        """Return `coefficients @ values.T`."""
        if not self._compiled:
            return in_eights(coefficients, self._transposed)
        return self._product(_dense_rows.dense_scores, coefficients, len(self.values))

    def gradients(self, residuals: Array, rows: Ints | None = None) -> Array:
        """Return `residuals @ values`."""
        if not self._compiled:
            return in_eights(residuals, self.values)
        return self._product(_dense_rows.dense_gradients, residuals, self.size)

    def _product(self, kernel: Any, values: Array, size: int) -> Array:
        whole = _whole_eights(values)
        panel, out = np.empty((self.size, _EIGHT), self.dtype), np.empty((len(whole), size), self.dtype)
        kernel(self.values, whole, panel, out)
        return out[: len(values)]

    def gram(self) -> Array:
        """Return the Gram matrix of all columns but the intercept's."""
        values = self.values[:, : self.n_columns]
        return np.ascontiguousarray(values.T @ values)

    def grams(self, weights: Array) -> Array:
        """Return `values.T @ diag(w) @ values` for each row w of `weights`; only lower triangles are promised."""
        out = np.zeros((weights.shape[0], self.size, self.size), dtype=self.dtype)
        _add_grams(self.values, weights, out)
        return out

    def diagonal(self, weights: Array) -> Array:
        """Return the diagonal of that matrix for one row of weights."""
        return np.asarray(weights @ (self.values * self.values))


class RawRows:
    """The same matrix as `DenseRows`, by products with the columns as they came: for the few that have to be exact.

    Parameters
    ----------
    X, scales, centres, intercept
        As for `DenseRows`; X holds float64.
    """

    def __init__(self, X: Floats, scales: Floats, centres: Floats, *, intercept: bool) -> None:
        self._X, self._scales, self._centres = X, scales, centres
        self.n_columns, self.size, self.dtype = X.shape[1], X.shape[1] + int(intercept), X.dtype

    def scores(self, coefficients: Array, rows: Ints | None = None) -> Array:
        """Return the scores of coefficients."""
        coef = coefficients[:, : self.n_columns] / self._scales
        # Sums row by row: the bits of a matrix times a vector depend on how many rows there are.
        shifts = coefficients[:, self.n_columns :].sum(axis=1) - (coef * self._centres).sum(axis=1)
        return in_eights(coef, self._X.T) + shifts[:, None]

    def gradients(self, residuals: Array, rows: Ints | None = None) -> Array:
        """Return the derivatives that residuals cause."""
        out, total = np.empty((len(residuals), self.size)), residuals.sum(axis=1)[:, None]
        out[:, : self.n_columns] = (in_eights(residuals, self._X) - total * self._centres) / self._scales
        out[:, self.n_columns :] = total
        return out


class SparseRows:
    """CSR features divided by their scales, the intercept's ones as last column if wanted, and the transposed.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_columns)
        Features.
    scales : ndarray of shape (n_columns,)
        What to divide columns by; they are not centred.
    intercept : bool
        Whether there is a column of ones.
    dtype : dtype
        Floats to keep.
    """

    def __init__(self, X: Any, scales: Array, *, intercept: bool, dtype: Any) -> None:
        ones = np.ones((X.shape[0], int(intercept)), dtype=dtype)
        scaled = sparse.csr_array(X, copy=True)
        scaled.data = scaled.data / scales[scaled.indices]
        self.values = sparse.hstack([scaled, sparse.csr_array(ones)], format="csr", dtype=dtype)
        self.values.sum_duplicates()
        self._transposed = self.values.T.tocsr()
        self.size, self.dtype = self.values.shape[1], self.values.dtype
        filled = np.diff(self.values.indptr) > self.size * DENSE_ROW
        # A row with many entries gives more pairs of entries than a dense product takes.
        self._heavy = np.flatnonzero(filled)
        self._block = self.values[self._heavy].toarray()
        self._light = np.flatnonzero(~filled)
        self._few = self.values[self._light]
        self._few_transposed = self._few.T.tocsr()

    def scores(self, coefficients: Array, rows: Ints | None = None) -> Array:
        """Return `coefficients @ values.T`."""
        return _transposed_product(self.values, coefficients)

    def gradients(self, residuals: Array, rows: Ints | None = None) -> Array:
        """Return `residuals @ values`."""
        return _transposed_product(self._transposed, residuals)

    def grams(self, weights: Array) -> Array:
        """Return `values.T @ diag(w) @ values` for each row w of `weights`; only lower triangles are right."""
        out = np.zeros((weights.shape[0], self.size, self.size), dtype=self.dtype)
        a, t, lanes = self._few, self._few_transposed, _sparse_rows.LANES
        for start in range(0, len(out), lanes):
            part = slice(start, start + lanes)
            light = _filled(weights[part, self._light].T)
            _sparse_rows.lower_grams(a.indptr, a.indices, a.data, t.indptr, t.indices, t.data, light, out[part])
        if self._heavy.size:
            _add_grams(self._block, weights[:, self._heavy], out)
        return out

    def diagonal(self, weights: Array) -> Array:
        """Return the diagonal of that matrix for one row of weights."""
        return np.asarray(self.values.power(2).T @ weights)


def _add_grams(values: Array, weights: Array, out: Array) -> None:
    """Add `values.T @ diag(w) @ values` to out[t], for each row w of weights."""
    for matrix, row in zip(out, np.sqrt(weights), strict=True):
        scaled = values * row[:, None]
        # NumPy sees that both factors are the same and computes one triangle only.
        matrix += scaled.T @ scaled


def _filled(block: Array) -> Array:
    """Return the block with columns of zeros added up to whole registers."""
    lanes = _sparse_rows.LANES
    out = np.zeros((block.shape[0], -(-block.shape[1] // lanes) * lanes), dtype=block.dtype)
    out[:, : block.shape[1]] = block
    return out


def _transposed_product(left: Any, right: Array) -> Array:
    """Return `right @ left.T` for CSR `left`: the inner loop runs over problems, so they lie side by side."""
    block = _filled(right.T)
    out = np.empty((left.shape[0], block.shape[1]), dtype=left.dtype)
    _sparse_rows.rows_times(left.indptr, left.indices, left.data, block, out)
    return np.ascontiguousarray(out[:, : right.shape[0]].T)


class SupportedRows:
    """Rows of which every problem may use some columns only.

    Parameters
    ----------
    rows : DenseRows or RawRows
        The matrix.
    support : ndarray of shape (n_problems, size)
        1 where a problem may use a column, 0 elsewhere.
    """

    def __init__(self, rows: DenseRows | RawRows, support: Array) -> None:
        self._rows, self._support = rows, support

    def scores(self, coefficients: Array, rows: Ints) -> Array:
        """Return the scores of coefficients, which are zero off the support."""
        return self._rows.scores(coefficients)

    def gradients(self, residuals: Array, rows: Ints) -> Array:
        """Return the derivatives that residuals cause, zero off the support."""
        return self._rows.gradients(residuals) * self._support[rows]
