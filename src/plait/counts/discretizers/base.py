"""What all discretisers share: the scikit-learn contract, columns that keep their values, and the coding."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint, InstanceOf, Nothing, check_parameters
from plait.core.plain_rejections import plainly_rejected
from plait.core.sentences import ParameterError, complaint
from plait.counts.discretizers.cut_table import CutTable
from plait.counts.discretizers.profile import ColumnProfile, profile_columns
from plait.counts.encoding import encode

__all__ = ["NOMINAL_RULE", "ColumnDiscretizer"]


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

    def _nominal_columns(self, n_columns: int) -> npt.NDArray[np.bool_]:
        chosen: npt.NDArray[np.bool_] = np.zeros(n_columns, dtype=np.bool_)
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

    def _named(self, names: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers of named columns; names as they are where one is unknown."""
        known = {name: j for j, name in enumerate(getattr(self, "feature_names_in_", ()))}
        return np.array([known[name] for name in names]) if known.keys() >= set(names.tolist()) else names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _own_values(
    X: Any, profile: ColumnProfile, exact: npt.NDArray[np.bool_], nominal: npt.NDArray[np.bool_]
) -> tuple[Ints, Floats]:
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
