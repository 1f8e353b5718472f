"""The rows [x, bias, y_parents] that one label is trained on: only the columns the label may use, dense or sparse."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas

from plait.core.arrays import Floats, Ints
from plait.core.randomness import generator
from plait.learners.margins._svm_kernels import (
    add_curvature,
    add_outer_products,
    add_rows,
    chosen_scores,
    extend_gram,
    row_scores,
    select_columns,
    squared_norms,
)

__all__ = ["DenseRows", "MarginRows", "SparseRows"]


class MarginRows(ABC):
    """Rows x_i of one label; the products that the solvers need of them."""

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
    def add_curvature(self, rows: Ints, factors: Floats, direction: Floats, total: Floats) -> None:
        """Add the sum of factors[a] (x_rows[a].direction) x_rows[a] to a vector."""

    @abstractmethod
    def squared_entries(self, rows: Ints, factors: Floats) -> Floats:
        """Return the diagonal of what `add_outer` adds."""

    @abstractmethod
    def n_entries(self, rows: Ints) -> int:
        """Return how many numbers some rows hold."""


@dataclass(frozen=True, eq=False)
class DenseRows(MarginRows):
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

    def squared_entries(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]^2, entry by entry."""
        return np.asarray(factors @ self.array[rows] ** 2)

    def add_curvature(self, rows: Ints, factors: Floats, direction: Floats, total: Floats) -> None:
        """Add the sum of factors[a] (x_rows[a].direction) x_rows[a] to a vector."""
        total += self.combined(rows, factors * self.scores_of(rows, direction))

    def n_entries(self, rows: Ints) -> int:
        """Return how many numbers some rows hold."""
        return rows.size * self.array.shape[1]


@dataclass(frozen=True, eq=False)
class SparseRows(MarginRows):
    """Rows in CSR form, columns ascending within a row."""

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    data: Floats
    shape: tuple[int, int]

    def scores(self, w: Floats) -> Floats:
        """Return w.x_i of every row."""
        out = np.empty(self.shape[0])
        row_scores(self.indptr, self.indices, self.data, w, out)
        return out

    def scores_of(self, rows: Ints, w: Floats) -> Floats:
        """Return w.x_i of some rows."""
        out = np.empty(rows.size)
        chosen_scores(self.indptr, self.indices, self.data, rows, w, out)
        return out

    def combined(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]."""
        total = np.zeros(self.shape[1])
        add_rows(self.indptr, self.indices, self.data, rows, factors, total)
        return total

    def add_outer(self, rows: Ints, factors: Floats, H: Floats) -> None:
        """Add to the lower triangle of H."""
        add_outer_products(self.indptr, self.indices, self.data, rows, factors, H)

    def extend_gram(self, rows: Ints, n_old: int, K: Floats) -> None:
        """Write the lower triangle of the new rows of K."""
        n_entries = self.n_entries(rows)
        starts, ends = np.zeros(self.shape[1] + 1, dtype=np.intp), np.empty(self.shape[1], dtype=np.intp)
        slots, values = np.empty(n_entries, dtype=np.intp), np.empty(n_entries)
        extend_gram(self.indptr, self.indices, self.data, rows, n_old, starts, ends, slots, values, K)

    def squared_entries(self, rows: Ints, factors: Floats) -> Floats:
        """Return the sum of factors[a] x_rows[a]^2, entry by entry."""
        total = np.zeros(self.shape[1])
        add_rows(self.indptr, self.indices, self.data**2, rows, factors, total)
        return total

    def add_curvature(self, rows: Ints, factors: Floats, direction: Floats, total: Floats) -> None:
        """Add the sum of factors[a] (x_rows[a].direction) x_rows[a] to a vector."""
        add_curvature(self.indptr, self.indices, self.data, rows, factors, direction, total)

    def n_entries(self, rows: Ints) -> int:
        """Return how many numbers some rows hold."""
        return int((self.indptr[rows + 1] - self.indptr[rows]).sum())

    @cached_property
    def norms(self) -> Floats:
        """Products x_i.x_i of every row."""
        out = np.empty(self.shape[0])
        squared_norms(self.indptr, self.data, out)
        return out

    @cached_property
    def draws(self) -> npt.NDArray[np.int64]:
        """Random numbers below 2^31 that shuffle the rows, the same for every label and run."""
        return generator(0).integers(0, 2**31, size=2 * self.shape[0])

    def with_columns(self, columns: Ints) -> "SparseRows":
        """Return the rows with some columns only, in ascending order."""
        place = np.full(self.shape[1], -1, dtype=np.intp)
        place[columns] = np.arange(columns.size)
        indptr = np.zeros_like(self.indptr)
        indices, data = np.empty_like(self.indices), np.empty_like(self.data)
        filled = select_columns(self.indptr, self.indices, self.data, place, indptr, indices, data)
        return SparseRows(indptr, indices[:filled], data[:filled], (self.shape[0], columns.size))
