"""What all discretisers share: the scikit-learn contract, columns that keep their values, and the coding."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.checks import Constraint, InstanceOf, Nothing, check_parameters
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.plain_rejections import plainly_rejected
from plait.core.sentences import ParameterError, complaint
from plait.counts.codes import MANY_CELLS, MANY_ENTRIES
from plait.counts.discretizers.profile import ColumnProfile, profile_columns
from plait.counts.encoding import encode

__all__ = ["ColumnDiscretizer", "NOMINAL_RULE"]

_kernels = lazy_module("plait.counts.discretizers._kernels")


# Without kernels, a column takes as long as so many cells.
_CELLS_A_COLUMN = 512
# Up to so many cuts, comparing with all of them is faster than a search.
_FEW_CUTS = 8

NOMINAL_RULE: tuple[Constraint, ...] = (InstanceOf((list, tuple, np.ndarray)), Nothing())


class ColumnDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Numbers to few symbols, column by column, learnt from training rows.

    A subclass finds the cuts of numeric columns (`_find_cuts`). Columns with one or two distinct values and columns
    named in `nominal` keep their values as symbols.

    Notes
    -----
    The code of a dense entry is (number of cuts at or below it) - shift, so that codes ascend with values; a missing
    value has the code after the highest. Sparse input gives sparse codes: the dense code less `zero_codes_`, the code
    of the value 0, so that zeros stay implicit. The two differ by a constant in each column and every information
    measure of them is the same to the last bit.

    A column that keeps its values has the code 0 for 0, 1, 2, ... for the positive values seen in training, ascending,
    and -1, -2, ... for the negative ones, descending, so that 0/1 columns and columns that hold all of 0 .. k - 1 come
    out unchanged; after the highest come missing values, then values not seen in training. A constant column has one
    code.
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {}

    @abstractmethod
    def _find_cuts(self, X: Any, y: Any, profile: ColumnProfile, numeric: Ints) -> tuple[Ints, Floats, Ints]:
        """Return the cuts of the numeric columns: their columns, the cuts, and the shift of every column."""

    def fit(self, X: Any, y: Any = None) -> "ColumnDiscretizer":
        """Learn the cuts from training rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers; NaN is a missing value.
        y : array of shape (n_samples,) or (n_samples, n_labels), optional
            Labels, for discretisers that use them.
        """
        check_parameters(self)
        X = self._validated(X, reset=True)
        profile = profile_columns(X)
        nominal = self._nominal_columns(X.shape[1])
        exact = nominal | (profile.n_distinct == 2)
        numeric = np.flatnonzero(~exact)
        columns, cuts, shift = self._find_cuts(X, y, profile, numeric)
        own_columns, own_values = _own_values(X, profile, exact, nominal)
        self._table = CutTable.build(
            np.concatenate((columns, own_columns)), np.concatenate((cuts, own_values)), shift, exact
        )
        self.zero_codes_ = self._table.zero_codes
        self.n_symbols_ = _n_symbols(self._coded(X))
        return self

    def transform(self, X: Any) -> Any:
        """Return the codes of any rows, by the cuts of the training rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR matrix of small integers, shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._coded(self._validated(X, reset=False))

    @property
    def cuts_(self) -> list[Floats]:
        """Ascending cut points of each column, a value at a cut belonging above it; for a column that keeps its values,
        these and 0.
        """
        check_is_fitted(self, "n_symbols_")
        return np.split(self._table.cuts, self._table.offsets[1:-1])

    def _coded(self, X: Any) -> Any:
        return self._table.sparse(X) if sparse.issparse(X) else self._table.dense(X)

    def _validated(self, X: Any, reset: bool) -> Any:
        form: dict[str, Any] = {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}
        with plainly_rejected(type(self).__name__, X, nan_allowed=True):
            X = validate_data(self, X, reset=reset, ensure_all_finite="allow-nan", **form)
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X

    def _nominal_columns(self, n_columns: int) -> Bools:
        chosen: Bools = np.zeros(n_columns, dtype=np.bool_)
        given = self.nominal
        if given is None or len(given) == 0:
            return chosen
        index = np.asarray(given)
        if index.dtype.kind in "UO":
            index = self._named(index)
        try:
            if index.dtype.kind not in "bi" or (index.dtype.kind == "b" and index.shape != chosen.shape):
                raise IndexError
            chosen[index] = True
        except IndexError:
            must = f"a mask of {n_columns} columns, their numbers or their names"
            raise ParameterError(complaint(type(self).__name__, "nominal", must, given)) from None
        return chosen

    def _named(self, names: Array) -> Array:
        """Return the numbers of named columns; names as they are where one is unknown."""
        known = {name: j for j, name in enumerate(getattr(self, "feature_names_in_", ()))}
        return np.array([known[name] for name in names]) if known.keys() >= set(names.tolist()) else names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _own_values(X: Any, profile: ColumnProfile, exact: Bools, nominal: Bools) -> tuple[Ints, Floats]:
    """Return the values of columns that keep them, and 0 for each."""
    few = np.flatnonzero(exact & (profile.n_nonzero < 3))
    columns, values = [np.flatnonzero(exact)], [np.zeros(np.count_nonzero(exact))]
    for which, found in (
        (few[profile.n_nonzero[few] > 0], profile.first),
        (few[profile.n_nonzero[few] > 1], profile.second),
    ):
        columns.append(which)
        values.append(found[which])
    for j in np.flatnonzero(nominal & (profile.n_nonzero == 3)):
        column = X[:, [j]].data if sparse.issparse(X) else X[:, j]
        distinct = np.unique(column[~np.isnan(column)]).astype(np.float64)
        columns.append(np.full(distinct.size, j))
        values.append(distinct)
    return np.concatenate(columns), np.concatenate(values)


def _n_symbols(coded: Any) -> Ints:
    """Return the number of symbols that occur in each column of the training rows."""
    codes = encode(coded)
    columns = codes.vocabulary.plane_columns
    n_columns = codes.vocabulary.n_columns
    non_zero = np.bincount(columns[codes.totals > 0], minlength=n_columns)
    filled = np.bincount(columns, weights=codes.totals, minlength=n_columns)
    return non_zero + (filled < codes.n_rows)


@dataclass(frozen=True, eq=False)
class CutTable:
    """Cut points by column: the code of v is (number of cuts <= v) - shift.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_columns + 1,)
        Column j has the cuts `cuts[offsets[j] : offsets[j + 1]]`.
    cuts : ndarray of float64
        Ascending in each column.
    shift : ndarray of int64, shape (n_columns,)
        Number of cuts below the bin with the code 0.
    exact : ndarray of bool, shape (n_columns,)
        Columns that keep their own values as symbols: the cuts are these values and 0.
    """

    offsets: Ints
    cuts: Floats
    shift: Ints
    exact: Bools

    @staticmethod
    def build(columns: Ints, cuts: Floats, shift: Ints, exact: Bools) -> "CutTable":
        """Return the table of (column, cut) pairs in any order; `shift` of exact columns is found from the cuts."""
        order = np.lexsort((cuts, columns))
        columns, cuts = columns[order], cuts[order]
        repeated = np.zeros(cuts.size, dtype=np.bool_)
        repeated[1:] = exact[columns[1:]] & (columns[1:] == columns[:-1]) & (cuts[1:] == cuts[:-1])
        columns, cuts = columns[~repeated], cuts[~repeated]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=exact.size))))
        up_to_zero = np.bincount(columns[cuts <= 0], minlength=exact.size)
        return CutTable(offsets, cuts, np.where(exact, up_to_zero, shift), exact)

    @cached_property
    def beyond(self) -> Ints:
        """Code of NaN, one above the highest of the values; in exact columns one more is for values never seen."""
        return np.diff(self.offsets) - self.shift + 1

    @cached_property
    def zero_codes(self) -> Ints:
        """Code of the value 0 in each column; it is among the values that an exact column keeps."""
        columns = np.repeat(np.arange(self.exact.size), np.diff(self.offsets))
        return np.bincount(columns[self.cuts <= 0], minlength=self.exact.size) - self.shift

    @cached_property
    def dtype(self) -> Any:
        """The smallest signed integer type that holds all codes, with and without the code of 0 taken off."""
        reach = np.abs(self.shift) + np.abs(self.zero_codes) + self.beyond + 1
        return np.min_scalar_type(-int(reach.max(initial=1)) - 1)

    @property
    def _rules(self) -> tuple[Any, ...]:
        return self.offsets, self.cuts, self.shift, self.exact, self.beyond

    def dense(self, X: Array) -> Array:
        """Return the codes of a dense matrix."""
        codes = np.empty(X.shape, dtype=self.dtype)
        if kernels_pay(X.size + _CELLS_A_COLUMN * X.shape[1], MANY_CELLS):
            _kernels.code_dense(X, *self._rules, codes)
        else:
            for j, values in enumerate(np.ascontiguousarray(X.T, dtype=np.float64)):
                codes[:, j] = self._column_codes(values, j)
        return codes

    def sparse(self, X: Any) -> Any:
        """Return the codes of a CSR matrix, less the code of 0, so that zeros stay implicit."""
        codes = np.empty(X.nnz, dtype=np.int64)
        if kernels_pay(X.nnz + _CELLS_A_COLUMN * X.shape[1] // 4, MANY_ENTRIES):
            _kernels.code_entries(X.indices, X.data, *self._rules, codes)
        else:
            by_column = np.split(np.argsort(X.indices, kind="stable"), np.cumsum(np.bincount(X.indices))[:-1])
            for j, entries in enumerate(by_column):
                codes[entries] = self._column_codes(X.data[entries].astype(np.float64), j)
        codes -= self.zero_codes[X.indices]
        kept = codes != 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[X.indptr].astype(X.indptr.dtype)
        kind = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
        return kind((codes[kept].astype(self.dtype), X.indices[kept], indptr), shape=X.shape)

    def _column_codes(self, values: Floats, j: int) -> Ints:
        """Return the codes of some values of column j."""
        cuts, beyond = self.cuts[self.offsets[j] : self.offsets[j + 1]], self.beyond[j]
        if cuts.size <= _FEW_CUTS:
            below = (values >= cuts[:, None]).sum(axis=0)
        else:
            below = np.searchsorted(cuts, values, side="right")
        codes = below - self.shift[j]
        if self.exact[j]:
            codes[(below == 0) | (cuts.take(below - 1, mode="wrap") != values)] = beyond + 1
        codes[np.isnan(values)] = beyond
        return codes
