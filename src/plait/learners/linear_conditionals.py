"""`LinearConditionals`: scores that are linear in the features and in the values of the parents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError
from plait.learners.conditionals import Conditionals, checked_n_settings
from plait.structure import LabelGraph

__all__ = ["LinearConditionals", "has_few_parents", "parent_matrix", "stacked", "weights_of_parents"]

_kernels = lazy_module("plait.learners._score_kernels")
# Coefficients from which scores of sparse rows are made by kernels; both ways give the same bits.
_COEFFICIENTS = 1 << 15

# Rows of a dense product in blocks that always have the same shape: for another shape BLAS adds in another order, and
# the last bits of a row would depend on how many rows stand beside it. Larger models are left to BLAS as they are: with
# several threads it cuts blocks, too.
_ROWS, _LARGEST = 64, 1 << 16


@dataclass(frozen=True, eq=False)
class LinearConditionals(Conditionals):
    """The score of label k is `x @ coef_[k] + intercept_[k] + sum over parents j of parent_coef_[k, j] * y_j`.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    coef_ : ndarray of float64 or CSR array, shape (n_labels, n_features)
        Coefficients of features; zero where a mask left a feature out. Sparse where small ones were dropped.
    parent_coef_ : ndarray of float64 or CSR array, shape (n_labels, n_labels)
        Coefficients of parents: row k belongs to label k; zero off the graph. Sparse from 2,048 labels on where these
        have few parents.
    intercept_ : ndarray of float64, shape (n_labels,)
        Intercepts.
    probabilistic : bool, default=True
        Whether the score is the log-odds.
    n_iter_ : ndarray of int, shape (n_labels,), optional
        Steps the solver took for each label.
    converged_ : ndarray of bool, shape (n_labels,), optional
        Whether the solver reached its tolerance.
    C_ : ndarray of float64, shape (n_labels,), optional
        Inverse strength of the penalty used for each label.
    made_by : str
        Name of the learner, for errors.

    Examples
    --------
    >>> from plait.learners import LogisticLearner
    >>> from plait.structure import LabelGraph
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 1], [1, 1], [1, 0]]
    >>> fitted = LogisticLearner().fit(X, Y, LabelGraph([[], [0]]))
    >>> fitted.coef_.shape, fitted.parent_coef_[0, 1], fitted.intercept_.shape
    ((2, 1), np.float64(0.0), (2,))
    """

    graph: LabelGraph
    coef_: Any
    parent_coef_: Any
    intercept_: Floats
    probabilistic: bool = True
    n_iter_: npt.NDArray[np.int64] | None = None
    converged_: npt.NDArray[np.bool_] | None = None
    C_: Floats | None = None
    made_by: str = "LinearConditionals"
    linear: ClassVar[bool] = True

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.coef_.shape[0])

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of columns of X."""
        return int(self.coef_.shape[1])

    @property
    def origin(self) -> str:
        """The learner's name."""
        return self.made_by

    def relaxed(self, factor: float) -> "LinearConditionals":
        """Return the same with every C multiplied by the factor."""
        return self if self.C_ is None else replace(self, C_=self.C_ * factor)

    def divided_by(self, scales: Floats) -> "LinearConditionals":
        """Return what was trained on columns divided by `scales`, for the columns themselves."""
        if sparse.issparse(self.coef_):
            return replace(self, coef_=sparse.csr_array(self.coef_.multiply(1.0 / scales)))
        return replace(self, coef_=self.coef_ / scales)

    def sparsified(self, least: float) -> "LinearConditionals":
        """Return the same without coefficients of features of at most this size, a CSR array; 0 drops none.

        Parameters
        ----------
        least : float
            Coefficients must be larger, whatever their sign.
        """
        if least == 0 or sparse.issparse(self.coef_):
            return self
        rows = [np.flatnonzero((row > least) | (row < -least)) for row in self.coef_]
        pointers = np.append(0, np.cumsum([len(row) for row in rows]))
        values = np.concatenate([row[kept] for row, kept in zip(self.coef_, rows, strict=True)] or [np.zeros(0)])
        indices = np.concatenate([*rows, np.zeros(0, dtype=np.int64)])
        return replace(self, coef_=sparse.csr_array((values, indices, pointers), shape=self.coef_.shape))

    @property
    def dense_parent_coef(self) -> Floats:
        """`parent_coef_` as an array."""
        return _dense(self.parent_coef_)

    def parent_weights(self, label: int) -> Floats:
        """Return the coefficients of the parents of a label, in the order of `graph.parents[label]`.

        Parameters
        ----------
        label : int
            Which.
        """
        return weights_of_parents(self.parent_coef_, label, self.graph.parents[label])

    @property
    def dense_coef(self) -> Floats:
        """`coef_` as an array."""
        return _dense(self.coef_)

    def base_scores(self, X: Any) -> Floats:
        """Return `X @ coef_.T + intercept_` (n_samples, n_labels): the scores where no parent is 1."""
        if sparse.issparse(self.coef_):
            return self._numbers(self._sparse_scores(X))
        if sparse.issparse(X) and X.format == "csr" and X.dtype.kind == "f":
            if not kernels_pay(self.coef_.size, _COEFFICIENTS):
                return self._numbers(np.asarray(X.astype(np.float64, copy=False) @ self._weights) + self.intercept_)
            scores = np.empty((X.shape[0], self.n_labels))
            _kernels.fill_scores(X.indptr, X.indices, X.data, self._weights, self.intercept_, scores)
            return self._numbers(scores)
        return self._numbers(np.asarray(_row_products(X, self.coef_.T) + self.intercept_, dtype=np.float64))

    def _sparse_scores(self, X: Any) -> Floats:
        """Return the scores by sparse coefficients; both ways give the same bits."""
        X, W = sparse.csr_array(X), self._weights
        if not kernels_pay(W.nnz, _COEFFICIENTS):
            return np.asarray((X.astype(np.float64, copy=False) @ W).toarray() + self.intercept_)
        scores = np.empty((X.shape[0], self.n_labels))
        parts = X.indptr, X.indices, X.data, W.indptr, W.indices, W.data, self.intercept_
        _kernels.fill_sparse_scores(*parts, scores)
        return scores

    @cached_property
    def _weights(self) -> Any:
        """The coefficients by feature, (n_features, n_labels), made once; of a matrix kept by columns no copy."""
        if sparse.issparse(self.coef_):
            return sparse.csr_array(self.coef_.T)
        return np.ascontiguousarray(self.coef_.T, dtype=np.float64)

    def __getstate__(self) -> dict[str, Any]:
        return {name: _parts(value) for name, value in vars(self).items() if name != "_weights"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, _joined(value) if isinstance(value, dict) else value)

    def _base(self, label: int, X: Any) -> Floats:
        weights = self.coef_[[label]].toarray()[0] if sparse.issparse(self.coef_) else self.coef_[label]
        return self._numbers(np.asarray(X @ weights).ravel() + self.intercept_[label])

    def _numbers(self, scores: Floats) -> Floats:
        """Return the scores, or refuse them: NaN is above no threshold, and would become a label that is absent."""
        if np.isnan(scores).any():
            raise ParameterError(
                f"{self.made_by} needs rows whose scores are numbers, but X gives NaN. Look for extreme values in X."
            )
        return scores

    def recorded_scores(self, X: Any, Y: Labels) -> Floats:
        """Return the scores of all labels, their parents as recorded; X is read once."""
        return np.asarray(self.base_scores(X) + Y @ self.parent_coef_.T)

    def scores(self, label: int, X: Any, parent_values: Labels) -> Floats:
        """Return the score of one label for every row."""
        return np.asarray(self._base(label, X) + parent_values @ self.parent_weights(label))

    def score_table(self, label: int, X: Any) -> Floats:
        """Return the scores of one label for every row and every setting of its parents; X is read once."""
        shifts = np.zeros(checked_n_settings(type(self).__name__, label, len(self.graph.parents[label])))
        for bit, weight in enumerate(self.parent_weights(label)):
            shifts[1 << bit : 2 << bit] = shifts[: 1 << bit] + weight
        return np.asarray(self._base(label, X)[:, None] + shifts)

    def scores_of_pairs(self, label: int, X: Any, rows: npt.ArrayLike, parent_values: Labels) -> Floats:
        """Return the scores of one label for pairs of a row and a setting of its parents."""
        used, place = np.unique(np.asarray(rows, dtype=np.int64), return_inverse=True)
        return np.asarray(self._base(label, X[used])[place.ravel()] + parent_values @ self.parent_weights(label))


# From so many labels on a matrix of parents is kept sparse where no more than this share of it is on the graph.
_MANY_LABELS, _FEW = 2048, 1 / 16


def has_few_parents(graph: LabelGraph) -> bool:
    """Say whether the coefficients of a graph's parents are kept sparse.

    Examples
    --------
    >>> has_few_parents(LabelGraph([[], [0]])), has_few_parents(LabelGraph([[]] * 5000))
    (False, True)
    """
    return graph.n_labels >= _MANY_LABELS and len(graph.edges) <= _FEW * graph.n_labels**2


def parent_matrix(graph: LabelGraph, values: Floats, places: tuple[Any, Any]) -> Any:
    """Return the matrix of coefficients of parents, from those at (label, parent) places.

    Examples
    --------
    >>> parent_matrix(LabelGraph([[], [0]]), np.array([2.5]), (np.array([1]), np.array([0])))
    array([[0. , 0. ],
           [2.5, 0. ]])
    """
    n_labels = graph.n_labels
    shape = n_labels, n_labels
    if has_few_parents(graph):
        return sparse.csr_array((values, places), shape=shape)
    matrix = np.zeros(shape)
    matrix[places] = values
    return matrix


def weights_of_parents(matrix: Any, label: int, parents: tuple[int, ...]) -> Floats:
    """Return the coefficients of the parents of a label, in their order, from a dense or CSR matrix.

    Examples
    --------
    >>> weights_of_parents(sparse.csr_array([[0.0, 0.0, 0.0], [2.0, 0.0, 3.0], [0.0, 0.0, 0.0]]), 1, (2, 0))
    array([3., 2.])
    """
    if not sparse.issparse(matrix):
        return np.asarray(matrix[label, list(parents)])
    here = slice(matrix.indptr[label], matrix.indptr[label + 1])
    held = dict(zip(matrix.indices[here].tolist(), matrix.data[here].tolist(), strict=True))
    return np.array([held.get(parent, 0.0) for parent in parents])


def stacked(parts: Sequence[LinearConditionals], *names: str) -> list[Floats]:
    """Return two or more attributes of the labels of several conditionals; coefficients are dense in training."""
    columns = zip(*map(attrgetter(*names), parts), strict=True)
    return [np.concatenate(list(map(_dense, each)) if any(map(sparse.issparse, each)) else each) for each in columns]


def _parts(value: Any) -> Any:
    """Return a sparse matrix as plain arrays: files pack one by itself first, which takes a minute for large ones."""
    if not sparse.issparse(value):
        return value
    return {"shape": value.shape, **{name: getattr(value, name) for name in ("data", "indices", "indptr")}}


def _joined(parts: dict[str, Any]) -> Any:
    return sparse.csr_array((parts["data"], parts["indices"], parts["indptr"]), shape=tuple(parts["shape"]))


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)


def _row_products(X: Any, weights: Floats) -> Floats:
    """Return X @ weights, the same bits for a row alone and among others."""
    if sparse.issparse(X) or weights.size > _LARGEST:
        return np.asarray(X @ weights)
    X = np.asarray(X)
    products = np.empty((X.shape[0], weights.shape[1]))
    for begin in range(0, X.shape[0], _ROWS):
        rows = X[begin : begin + _ROWS]
        n_rows = rows.shape[0]
        if n_rows < _ROWS:
            rows = np.concatenate([rows, np.zeros((_ROWS - n_rows, X.shape[1]), dtype=X.dtype)])
        products[begin : begin + n_rows] = (rows @ weights)[:n_rows]
    return products
