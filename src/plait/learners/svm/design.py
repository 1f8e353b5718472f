"""The shared design [X, bias, Y] of all labels, and which of its columns each label may use."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Bools, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.svm.rows import DenseRows, Rows, SparseRows
from plait.learners.training.problem import Problem

__all__ = ["Design"]

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
        self.rows: Rows = (self._sparse if few and kernels_pay(work, KERNELS_PAY) else self._dense)(X, problem.Y)

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
    varies = problem.Y.min(axis=0) != problem.Y.max(axis=0)
    parents = np.zeros((problem.n_labels, problem.n_labels), dtype=np.bool_)
    for label, group in enumerate(problem.graph.parents):
        parents[label, list(group)] = True
    return np.asarray(parents & varies)
