"""The products with rows of a design that the solvers of linear SVMs need, for dense and for sparse rows.

Dense rows need no compiled kernel: BLAS does the work.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.training.problem import Problem

__all__ = ["DenseRows", "Design", "Rows", "SparseRows"]

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


# A smaller share of entries other than zero is worked on as sparse rows, however X is stored: at a fifth they take a
# fifth of the time of dense ones, at three fifths twice as long.
SPARSE_SHARE = 0.25
# Cells of the design times labels. Dense rows take about 20 ns for each, so that what is below takes a tenth of a
# second at most; the kernels of sparse rows are up to twenty times as fast, but take three seconds to compile.
KERNELS_PAY = 5e6


class Design:
    """[X, bias, Y] once for all labels: features that some label uses, the bias, labels that are parents.

    Parameters
    ----------
    problem : Problem
        What to train on.
    bias : float or None
        Value of the column whose coefficient is the intercept; None for no intercept.
    """

    def __init__(self, problem: Problem, bias: float | None) -> None:
        self.bias, self._shape = bias, (problem.n_labels, problem.X.shape[1])
        allowed = np.ones(self._shape, dtype=np.bool_) if problem.support is None else problem.support
        parents = _varying_parents(problem)
        self._features, self._parents = np.flatnonzero(allowed.any(axis=0)), np.flatnonzero(parents.any(axis=0))
        beside = np.ones((problem.n_labels, int(bias is not None)), dtype=np.bool_)
        self.allowed: Bools = np.hstack([allowed[:, self._features], beside, parents[:, self._parents]])
        X = problem.X[:, self._features] if self._features.size < self._shape[1] else problem.X
        n_filled = np.count_nonzero(X.data if sparse.issparse(X) else X)
        few = n_filled < SPARSE_SHARE * X.shape[0] * X.shape[1]
        work = X.shape[0] * self.allowed.size
        made = self._sparse if few and kernels_pay(work, KERNELS_PAY) else self._dense
        self.rows: Rows = made(X, problem.parent_values)

    def _beside(self, Y: Any) -> list[Floats]:
        """Return the columns beside X."""
        bias = [] if self.bias is None else [np.full((len(Y), 1), float(self.bias))]
        return [*bias, Y[:, self._parents].astype(np.float64)]

    def _dense(self, X: Any, Y: Any) -> Rows:
        X = X.toarray() if sparse.issparse(X) else X
        return DenseRows(np.concatenate([X, *self._beside(Y)], axis=1, dtype=np.float64))

    def _sparse(self, X: Any, Y: Any) -> Rows:
        beside = [sparse.csr_matrix(columns) for columns in self._beside(Y)]
        whole = sparse.hstack([sparse.csr_matrix(X), *beside], format="csr", dtype=np.float64)
        whole.sum_duplicates()
        whole.eliminate_zeros()
        return SparseRows(whole)

    def columns(self, label: int) -> Ints:
        """Return the columns of the design that a label may use, ascending."""
        return np.flatnonzero(self.allowed[label])

    def groups(self, labels: Iterable[int]) -> Iterator[tuple[Rows, list[int]]]:
        """Yield labels that may use the same columns, with the rows of these columns."""
        groups: dict[bytes, list[int]] = {}
        for label in labels:
            groups.setdefault(self.allowed[label].tobytes(), []).append(label)
        for group in groups.values():
            whole = self.allowed[group[0]].all()
            yield self.rows if whole else self.rows.with_columns(self.columns(group[0])), group

    def split(self, label: int, w: Floats) -> tuple[Floats, float, Floats]:
        """Return the coefficients of all features, the intercept, and the coefficients of all labels."""
        whole = np.zeros(self.allowed.shape[1])
        whole[self.columns(label)] = w
        coef, parent_coef = np.zeros(self._shape[1]), np.zeros(self._shape[0])
        coef[self._features] = whole[: self._features.size]
        parent_coef[self._parents] = whole[whole.size - self._parents.size :]
        return coef, 0.0 if self.bias is None else float(whole[self._features.size] * self.bias), parent_coef

    def joined(self, label: int, earlier: LinearConditionals) -> Floats:
        """Return the vector that `split` takes apart, from earlier conditionals."""
        bias = [] if self.bias is None else [earlier.intercept_[label] / self.bias]
        parents = earlier.parent_coef_[label, self._parents]
        return np.concatenate([earlier.coef_[label, self._features], bias, parents])[self.allowed[label]]


def _varying_parents(problem: Problem) -> Bools:
    """Return which labels are parents of each label; one that has a single value gets weight 0 and takes no part."""
    varies = problem.parent_values.min(axis=0) != problem.parent_values.max(axis=0)
    parents = np.zeros((problem.n_labels, problem.n_labels), dtype=np.bool_)
    for label, group in enumerate(problem.graph.parents):
        parents[label, list(group)] = True
    return np.asarray(parents & varies)
