"""The products with rows of a design that the solvers of linear SVMs need, for dense and for sparse rows.

Dense rows need no compiled kernel: BLAS does the work.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from plait.core.arrays import Array, Floats, Ints
from plait.core.lazy_modules import lazy_module

__all__ = ["DenseRows", "Rows", "SparseRows"]

_kernels = lazy_module("plait.learners.svm._kernels")


class Rows(ABC):
    """Rows x_i."""

    shape: tuple[int, int]

    @abstractmethod
    def scores(self, w: Floats) -> Floats:
        """Return w.x_i of every row."""

    @abstractmethod
    def scores_of(self, rows: Ints, w: Floats) -> Floats:
        """Return w.x_i of some rows."""

    @abstractmethod
    def combined(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]."""

    @abstractmethod
    def add_outer(self, rows: Ints, factors: Floats, H: Floats) -> None:
        """Add the sum of factors[a] x_rows[a] x_rows[a]' to the lower triangle of H; factors have one sign."""

    @abstractmethod
    def extend_gram(self, rows: Ints, n_old: int, K: Floats) -> None:
        """Write K[a, b] = x_rows[a].x_rows[b] for n_old <= a < rows.size and b <= a."""

    @abstractmethod
    def part_of_gram(self, K: Floats, slots: Ints) -> Floats:
        """Return K[slots, slots], of which the lower triangle counts, for ascending slots."""

    @abstractmethod
    def squared_entries(self, rows: Ints, factors: Floats) -> Floats:
        """Return the diagonal of what `add_outer` adds."""

    @abstractmethod
    def n_entries(self, rows: Ints) -> int:
        """Return how many numbers some rows hold."""

    @abstractmethod
    def with_columns(self, columns: Ints) -> "Rows":
        """Return the rows with some columns only, in ascending order."""


@dataclass(frozen=True, eq=False)
class DenseRows(Rows):
    """Rows in one C-ordered array."""

    array: Floats

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Number of rows and columns."""
        return self.array.shape[0], self.array.shape[1]

    def scores(self, w: Floats) -> Floats:
        """Return w.x_i of every row."""
        return self.array @ w

    def scores_of(self, rows: Ints, w: Floats) -> Floats:
        """Return w.x_i of some rows."""
        return (self.array @ w)[rows]

    def combined(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]."""
        spread = np.zeros(self.array.shape[0])
        spread[rows] = factors
        return spread @ self.array

    def add_outer(self, rows: Ints, factors: Floats, H: Floats) -> None:
        """Add to the lower triangle of H, which is the upper one of H' in Fortran's order."""
        if rows.size:
            scaled = self.array[rows] * np.sqrt(np.abs(factors))[:, None]
            blas.dsyrk(np.sign(factors[0]), scaled.T, beta=1.0, c=H.T, lower=0, overwrite_c=1)

    def extend_gram(self, rows: Ints, n_old: int, K: Floats) -> None:
        """Write whole rows of K; what stands right of the diagonal is not read."""
        K[n_old : rows.size, : rows.size] = self.array[rows[n_old:]] @ self.array[rows].T

    def part_of_gram(self, K: Floats, slots: Ints) -> Floats:
        """Return K[slots, slots]: rows, then columns, which takes half the time of both at once."""
        return K.take(slots, axis=0).take(slots, axis=1)

    def squared_entries(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]^2, entry by entry."""
        return np.asarray(factors @ self.array[rows] ** 2)

    def n_entries(self, rows: Ints) -> int:
        """Return how many numbers some rows hold."""
        return rows.size * self.array.shape[1]

    def with_columns(self, columns: Ints) -> "DenseRows":
        """Return the rows with some columns only."""
        return DenseRows(np.ascontiguousarray(self.array[:, columns]))


@dataclass(frozen=True, eq=False)
class SparseRows(Rows):
    """Rows in CSR form, columns ascending within a row; for problems large enough for compiled kernels."""

    matrix: Any

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Number of rows and columns."""
        return self.matrix.shape[0], self.matrix.shape[1]

    @property
    def entries(self) -> tuple[Array, Array, Floats]:
        """Where each row starts, and columns and values of all entries."""
        return self.matrix.indptr, self.matrix.indices, self.matrix.data

    def scores(self, w: Floats) -> Floats:
        """Return w.x_i of every row."""
        return np.asarray(self.matrix @ w)

    def scores_of(self, rows: Ints, w: Floats) -> Floats:
        """Return w.x_i of some rows."""
        out = np.empty(rows.size)
        _kernels.row_scores(*self.entries, rows, w, out)
        return out

    def combined(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]."""
        total = np.zeros(self.shape[1])
        _kernels.add_rows(*self.entries, rows, factors, total)
        return total

    def add_outer(self, rows: Ints, factors: Floats, H: Floats) -> None:
        """Add to the lower triangle of H."""
        _kernels.add_outer_products(*self.entries, rows, factors, H)

    def extend_gram(self, rows: Ints, n_old: int, K: Floats) -> None:
        """Write the lower triangle of the new rows of K."""
        n_entries = self.n_entries(rows)
        starts, ends = np.zeros(self.shape[1] + 1, dtype=np.intp), np.empty(self.shape[1], dtype=np.intp)
        slots, values = np.empty(n_entries, dtype=np.intp), np.empty(n_entries)
        _kernels.extend_gram(*self.entries, rows, n_old, starts, ends, slots, values, K)

    def part_of_gram(self, K: Floats, slots: Ints) -> Floats:
        """Return K[slots, slots], the lower triangle only."""
        part = np.zeros((slots.size, slots.size))
        _kernels.gather_gram(K, slots, part)
        return part

    def squared_entries(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]^2, entry by entry."""
        return SparseRows(self.squares).combined(rows, factors)

    def n_entries(self, rows: Ints) -> int:
        """Return how many numbers some rows hold."""
        indptr = self.matrix.indptr
        return int((indptr[rows + 1] - indptr[rows]).sum())

    def with_columns(self, columns: Ints) -> "SparseRows":
        """Return the rows with some columns only."""
        return SparseRows(self.matrix[:, columns])

    @cached_property
    def squares(self) -> Any:
        """The matrix with its entries squared."""
        csr = self.matrix
        return sparse.csr_matrix((csr.data**2, csr.indices, csr.indptr), shape=csr.shape)
