"""The matrix that all labels share, prepared once: scaled, centred where it is dense, and multiplied by blocks."""

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.learners.logistic.hessian_inverses import DensePreconditioner, LevelInverses
from plait.learners.logistic.row_matrices import DenseRows, RawRows
from plait.learners.training.column_scaling import column_means, column_scales
from plait.learners.training.problem import require_moderate

__all__ = [
    "DenseDesign",
    "Design",
    "LANES",
    "NARROW",
    "PLAIN",
    "SparseDesign",
    "WIDTHS",
    "prepared_design",
    "zero_block",
]

# Problems side by side in a block, and how kernels are told how many there are (see `plait.core._lanes`).
LANES, NARROW = 16, 8
WIDTHS: dict[int, tuple[int, ...]] = {NARROW: (0,), LANES: (0, 0)}

_LINE = 64


def zero_block(shape: tuple[int, int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros in C order that start with a line of the cache.

    Examples
    --------
    >>> block = zero_block((5, 16), np.float32)
    >>> block.shape, block.ctypes.data % 64
    ((5, 16), 0)
    """
    n_bytes = shape[0] * shape[1] * np.dtype(dtype).itemsize
    memory = np.zeros(n_bytes + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    return memory[first : first + n_bytes].view(dtype).reshape(shape)


_products = lazy_module("plait.learners.logistic._logistic_kernels")

# Designs of so many numbers are solved in float64 and to the last digits: on emotions (593 x 72) plain NumPy takes less
# time for that than the kernels do for less, warm.
SMALL = 65_536
# Up to so many, plain NumPy takes some hundredths of a second longer than kernels, whose import takes half a second.
PLAIN = 131_072
# Numbers of a Hessian from which on a sparse design is not made dense, however few its rows are.
WIDE = 512**2


# From so many columns on a block no longer fits the cache beside another, and a transposed copy pays.
_WIDE = 4000
# Entries whose squares are made at a time.
_SQUARED = 1 << 20


class Design:
    """A prepared matrix A: columns of X divided by `scales`, then columns of labels; minus `centres` where dense.

    Blocks are arrays of shape (n, 8) or (n, 16); their dtype, float32 or float64, decides the arithmetic.

    Attributes
    ----------
    n_rows, n_columns : int
        Shape of A.
    scales, centres : ndarray of shape (n_columns,)
        A = (columns - centres) / scales.
    fit_intercept : bool
        Whether labels have an intercept.
    order : ndarray of int, shape (n_columns,), or None
        Products number the columns as here; scales, centres and all that comes from outside have them as they came.
    """

    order: Ints | None = None

    @property
    def n_numbers(self) -> int:
        """How many numbers a product reads."""
        return self.n_rows * self.n_columns

    def for_thread(self) -> "Design":
        """Return the same matrix for another thread, with room of its own to work in."""
        return self

    @property
    def is_small(self) -> bool:
        """Whether solutions to the last digits cost next to nothing."""
        return self.n_rows * self.n_columns <= SMALL

    @cached_property
    def compiled(self) -> bool:
        """Whether kernels pay."""
        return kernels_pay(self.n_rows * self.n_columns, PLAIN + 1)

    def __init__(self, shape: tuple[int, int], scales: Floats, centres: Floats, fit_intercept: bool) -> None:
        self.n_rows, self.n_columns = shape
        self.scales, self.centres, self.fit_intercept = scales, centres, fit_intercept

    def original(self, coef: Floats, intercept: Floats, *, in_place: bool = False) -> tuple[Floats, Floats]:
        """Return coefficients (n, n_columns) and intercepts for the columns as they were before preparation."""
        coef = np.divide(coef, self.scales, out=coef if in_place else None)
        return coef, intercept - (coef * self.centres).sum(axis=1) if self.centres.any() else intercept

    def prepared(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """Return the coefficients and intercepts for A: the way back from `original`."""
        return coef * self.scales, intercept + (coef * self.centres).sum(axis=1)


class DenseDesign(Design):
    """A dense matrix, centred, in both kinds of floats.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        The columns before they are centred and scaled.
    """

    # Inverse Hessians of more columns cost more than the steps they save: one for all labels, and one for each.
    widest_shared, widest_own = 4000, 1000

    def __init__(self, columns: Array, scales: Floats, centres: Floats, fit_intercept: bool) -> None:
        super().__init__(columns.shape, scales, centres, fit_intercept)
        self._columns = columns
        self._rows: dict[Any, DenseRows] = {}
        self._levels: dict[Any, LevelInverses] = {}

    def rows(self, dtype: Any) -> DenseRows:
        """Return A, with the intercept's column last if there is one."""
        if dtype not in self._rows:
            form = {"intercept": self.fit_intercept, "dtype": dtype, "compiled": self.compiled}
            self._rows[dtype] = DenseRows(self._columns, self.scales, self.centres, **form)
        return self._rows[dtype]

    def exact_rows(self) -> DenseRows | RawRows:
        """Return A in float64: as it was made before, or for a few products."""
        exact = np.dtype(np.float64)
        if exact in self._rows or self._columns.dtype != exact:
            return self.rows(exact)
        return RawRows(self._columns, self.scales, self.centres, intercept=self.fit_intercept)

    def preconditioner(
        self, dtype: Any, penalty: Floats, support: Bools | None, shared: Bools | None
    ) -> DensePreconditioner:
        """Return inverse Hessians for problems with these penalties and columns, of which they share some (or all)."""
        shared = np.ones(self.n_columns, dtype=np.bool_) if shared is None else shared
        widest = self.widest_shared if shared.all() else self.widest_own
        levels = self._level_inverses(dtype, shared) if self.n_columns <= widest else None
        return DensePreconditioner(self.rows(dtype), levels, penalty, support)

    def _level_inverses(self, dtype: Any, shared: Bools) -> LevelInverses:
        """Return the inverses for a set of shared columns; the last is kept, as it serves again in a path or in EM."""
        key = dtype, shared.tobytes()
        found = self._levels.get(key)
        if found is None:
            found = LevelInverses(self.rows(dtype).gram(), shared)
            self._levels = {key: found}
        return found


class SparseDesign(Design):
    """A CSR matrix, not centred; products are the kernels for blocks, in the floats of the block.

    Numbers are kept once, in float32 where that changes none of them, else in float64. Of many columns the most
    frequent come first: most reads then fall into a part of a block that stays in the cache.
    """

    def __init__(self, A: Any, scales: Floats, fit_intercept: bool) -> None:
        super().__init__(A.shape, scales, np.zeros(A.shape[1]), fit_intercept)
        if A.shape[1] > _WIDE:
            self.order = np.argsort(-np.bincount(A.indices, minlength=A.shape[1]), kind="stable")
            A = A[:, self.order]
            A.sort_indices()
        short = A.data.astype(np.float32)
        A.data = short if np.array_equal(short, A.data) else A.data
        self._entries = _entries(A)
        self._transposed = _entries(A.tocsc()) if A.shape[1] > _WIDE else None
        self._scores: Array | None = None
        self.binary = bool((A.data == 1).all())

    @property
    def n_numbers(self) -> int:
        """How many numbers a product reads."""
        return int(self._entries[0][-1])

    def for_thread(self) -> "SparseDesign":
        """Return the same matrix for another thread, with room of its own to work in."""
        twin = copy(self)
        twin._scores = None
        return twin

    def forward(self, P: Array, T: Array) -> None:
        """T = A P."""
        _products.sparse_forward(*self._entries, P, T, WIDTHS[P.shape[1]])

    def backward(self, T: Array, Q: Array) -> None:
        """Q = A' T."""
        if self._transposed is None:
            _products.sparse_backward(*self._entries, T, Q, WIDTHS[T.shape[1]])
        else:
            _products.sparse_forward(*self._transposed, T, Q, WIDTHS[T.shape[1]])

    def squares(self, T: Array, sums: Array, Q: Array) -> None:
        """Q = (A * A)' T, which is A' T where all entries are 1."""
        if self.binary:
            Q[:] = sums
        elif self._transposed is not None:
            _squared_forward(self._transposed, T, Q)
        else:
            pointers, indices, values = self._entries
            _products.sparse_backward(pointers, indices, _squared(values, T.dtype), T, Q, WIDTHS[T.shape[1]])

    def leverage(self, inverse: Array, T: Array) -> None:
        """T = (A * A) inverse: the size of each row where column k counts by inverse_k."""
        if self.binary:
            self.forward(inverse, T)
        else:
            _squared_forward(self._entries, inverse, T)

    def rows(self, rows: npt.NDArray[np.int64]) -> tuple[Any, Any, Any]:
        """Return row pointers, indices and float64 values of some rows."""
        pointers, indices, values = self._entries
        starts, lengths = pointers[rows], np.diff(pointers)[rows]
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(pointers[-1]) + np.repeat(starts - pointers[:-1], lengths)
        return pointers, indices[places], values[places].astype(np.float64)

    def curvature(self, S: Array, P: Array, Q: Array, linear: Floats, square: Floats) -> None:
        """Q = A' (S * A P), in one pass over the rows where P and Q fit the cache together."""
        if self._transposed is None:
            _products.sparse_curvature(*self._entries, S, P, Q, linear, square, WIDTHS[P.shape[1]])
        else:
            if self._scores is None or self._scores.dtype != S.dtype or self._scores.shape != S.shape:
                self._scores = zero_block((S.shape[0], S.shape[1]), S.dtype)
            self.forward(P, self._scores)
            _products.curvature_rows(S, self._scores, linear, square, WIDTHS[S.shape[1]])
            self.backward(self._scores, Q)


def _entries(A: Any) -> tuple[Any, Any, Any]:
    """Return pointers, indices and values of a matrix as kernels read them."""
    return A.indptr.astype(np.int64, copy=False), A.indices.astype(np.int32, copy=False), A.data


def _squared(values: Array, dtype: Any) -> Array:
    return np.square(values.astype(dtype, copy=False))


def _squared_forward(entries: tuple[Any, Any, Any], P: Array, T: Array) -> None:
    """T = (A * A) P, the squares of some rows at a time."""
    pointers, indices, values = entries
    start, n_rows = 0, T.shape[0]
    while start < n_rows:
        stop = int(np.searchsorted(pointers, pointers[start] + _SQUARED, "right")) - 1
        stop = min(max(stop, start + 1), n_rows)
        here, first = slice(pointers[start], pointers[stop]), pointers[start : stop + 1] - pointers[start]
        squares = _squared(values[here], P.dtype)
        _products.sparse_forward(first, indices[here], squares, P, T[start:stop], WIDTHS[P.shape[1]])
        start = stop


def prepared_design(
    X: Any,
    extra: Any = None,
    *,
    standardize: bool | str = "auto",
    fit_intercept: bool = True,
    row_weights: Floats | None = None,
    scale_extra: bool = False,
) -> Design:
    """Return the design of [X, extra]: X scaled (see `column_scales`), extra columns (labels) as they are or scaled.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    extra : ndarray or sparse matrix of shape (n_samples, n_extra), optional
        More columns, such as the labels that are parents of others.
    standardize : bool or "auto"
        Which columns of X to scale.
    fit_intercept : bool
        Whether there will be an intercept. Dense columns are centred only then: a free intercept makes up for it.
    row_weights : ndarray of shape (n_samples,), optional
        How often a row counts when columns are scaled.
    scale_extra : bool
        Whether the extra columns are divided by their standard deviations.
    """
    if standardize is False:
        require_moderate("LogisticLearner(standardize=False)", X)
    scales = column_scales(X, standardize, row_weights)
    if extra is not None:
        scales = np.append(scales, column_scales(extra.astype(np.float64), scale_extra, row_weights))
    n_columns = len(scales)
    if sparse.issparse(X) and (kernels_pay(X.shape[0] * n_columns, PLAIN + 1) or kernels_pay(n_columns**2, WIDE)):
        return SparseDesign(_sparse_columns(X, extra, scales), scales, fit_intercept)
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    extra = extra.toarray() if sparse.issparse(extra) else extra
    A = np.asarray(X) if extra is None else np.hstack([X, extra])
    centres = column_means(A) if fit_intercept else np.zeros(A.shape[1])
    return DenseDesign(A, scales, centres, fit_intercept)


def _sparse_columns(X: Any, extra: Any, scales: Floats) -> Any:
    X = sparse.csr_array(X)
    A = X if extra is None else sparse.hstack([X, sparse.csr_array(extra)], format="csr")
    A = sparse.csr_array(A, dtype=np.float64, copy=True)
    A.sum_duplicates()
    if (scales != 1).any():
        A.data /= scales[A.indices]
    return A
