"""The shared design [X, bias, Y] of all labels, and the rows of one label cut from it."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.margins.margin_rows import DenseRows, MarginRows, SparseRows
from plait.learners.training.problem import Problem

__all__ = ["MarginDesign"]


# A dense X with a smaller share of entries other than zero is worked on as a sparse one.
SPARSE_SHARE = 0.1


class MarginDesign:
    """[X, bias, Y] once for all labels.

    Parameters
    ----------
    problem : Problem
        What to train on.
    bias : float or None
        Value of the column whose coefficient is the intercept; None for no intercept.
    """

    def __init__(self, problem: Problem, bias: float | None) -> None:
        X, Y = problem.X, problem.Y
        self.n_samples, self.n_features = X.shape
        self.bias, self.support = bias, problem.support
        # A parent that has one value only gets weight 0, so it takes no part.
        varies = Y.min(axis=0) != Y.max(axis=0)
        self.parents = [[j for j in sorted(group) if varies[j]] for group in problem.graph.parents]
        used = sorted({j for group in self.parents for j in group})
        self._place = {j: self.first_parent + a for a, j in enumerate(used)}
        self.sparse = sparse.issparse(X) or np.count_nonzero(X) < SPARSE_SHARE * X.size
        self._whole = self._sparse_rows(X, Y[:, used]) if self.sparse else self._dense_rows(X, Y[:, used])
        self._plain: MarginRows | None = None

    @property
    def first_parent(self) -> int:
        """Number of the first column of Y."""
        return self.n_features + (self.bias is not None)

    def _columns_beside(self) -> list[Floats]:
        return [] if self.bias is None else [np.full((self.n_samples, 1), float(self.bias))]

    def _dense_rows(self, X: Any, parents: npt.NDArray[np.uint8]) -> MarginRows:
        X = X.toarray() if sparse.issparse(X) else X
        return DenseRows(np.concatenate([X, *self._columns_beside(), parents], axis=1, dtype=np.float64))

    def _sparse_rows(self, X: Any, parents: npt.NDArray[np.uint8]) -> MarginRows:
        X = sparse.csr_matrix(X, dtype=np.float64)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        beside = [sparse.csr_matrix(column) for column in (*self._columns_beside(), parents.astype(np.float64))]
        whole = sparse.hstack([X, *beside], format="csr", dtype=np.float64)
        return SparseRows(whole.indptr, whole.indices, whole.data, whole.shape)

    def columns(self, label: int) -> Ints:
        """Return the columns of the design that a label may use, ascending."""
        bias = [] if self.bias is None else [self.n_features]
        parents = [self._place[j] for j in self.parents[label]]
        return np.concatenate([self._features(label), np.array([*bias, *parents], dtype=np.intp)]).astype(np.intp)

    def shares_rows(self, label: int) -> bool:
        """Say whether a label may use all features and has no parents, as others may."""
        return self.support is None and not self.parents[label]

    def rows(self, label: int) -> MarginRows:
        """Return the rows of one label; labels that may use the same columns share them."""
        if not self.shares_rows(label):
            return self._cut(self.columns(label))
        if self._plain is None:
            self._plain = self._cut(self.columns(label)) if self._place else self._whole
        return self._plain

    def _cut(self, columns: Ints) -> MarginRows:
        if isinstance(self._whole, SparseRows):
            return self._whole.with_columns(columns)
        assert isinstance(self._whole, DenseRows)
        return DenseRows(np.ascontiguousarray(self._whole.array[:, columns]))

    def split(self, label: int, w: Floats) -> tuple[Floats, float, Floats]:
        """Return the coefficients of all features, the intercept, and the coefficients of all labels."""
        features, bias, parents = self._parts(label)
        coef, parent_coef = np.zeros(self.n_features), np.zeros(len(self.parents))
        coef[self._features(label)] = w[features]
        parent_coef[self.parents[label]] = w[parents]
        return coef, 0.0 if self.bias is None else float(w[bias][0] * self.bias), parent_coef

    def joined(self, label: int, earlier: LinearConditionals) -> Floats:
        """Return the vector that `split` takes apart, from earlier conditionals."""
        w = np.zeros(self.columns(label).size)
        features, bias, parents = self._parts(label)
        w[features] = earlier.coef_[label, self._features(label)]
        if self.bias is not None:
            w[bias] = earlier.intercept_[label] / self.bias
        w[parents] = earlier.parent_coef_[label, self.parents[label]]
        return w

    def _features(self, label: int) -> Ints:
        return np.arange(self.n_features) if self.support is None else np.flatnonzero(self.support[label])

    def _parts(self, label: int) -> tuple[slice, slice, slice]:
        n_features = self._features(label).size
        first_parent = n_features + (self.bias is not None)
        return slice(n_features), slice(n_features, first_parent), slice(first_parent, None)
