"""LAIM: supervised discretisation by the labels of many columns [Cano2016]."""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint
from plait.core.labels import label_matrix
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError
from plait.counts.discretizers.base import NOMINAL_RULE, ColumnDiscretizer
from plait.counts.discretizers.profile import ColumnProfile, sorted_columns

__all__ = ["LAIMDiscretizer"]

_kernels = lazy_module("plait.counts.discretizers._kernels")


class LAIMDiscretizer(ColumnDiscretizer):
    """Bins that keep labels together, found by greedy search over cuts.

    For intervals r = 1 .. n of a column, with Q[l, r] the number of rows in r that carry label l, M_r the sum and
    max_r the maximum of Q[., r] over labels, and M the sum of all M_r,

        LAIM = (sum_r max_r^2 / M_r) / (n * M).

    Starting from one interval, the cut between two neighbouring distinct values that gives the largest LAIM is added as
    long as it beats the best value so far, which starts at 0, so that the first cut is always taken. Equal cuts: the
    smallest. Intervals are closed on the left; columns with two distinct values and nominal columns keep their values;
    NaN is a symbol of its own and does not count.

    Parameters
    ----------
    nominal : sequence of bool, int or str, optional
        Columns that keep their values: a mask, their numbers, or their names in a data frame.

    Attributes
    ----------
    cuts_ : list of ndarray
        Cut points of each column; a value at a cut belongs above it.
    zero_codes_ : ndarray of int, shape (n_features,)
        Code of the value 0, which is taken off all codes of sparse input.
    n_symbols_ : ndarray of int, shape (n_features,)
        How many symbols occur in each column of the training rows.

    Examples
    --------
    >>> X, Y = [[1.0], [2.0], [3.0], [4.0]], [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> LAIMDiscretizer().fit(X, Y).cuts_
    [array([2.5])]
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"nominal": NOMINAL_RULE}

    def __init__(self, *, nominal: Any = None) -> None:
        self.nominal = nominal

    def fit(self, X: Any, y: Any = None) -> "LAIMDiscretizer":
        """Learn the cuts from training rows and their labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers; NaN is a missing value.
        y : array or sparse matrix of shape (n_samples, n_labels), or array of shape (n_samples,)
            Labels as 0 and 1; a single column of classes stands for one label for each class.
        """
        super().fit(X, y)
        return self

    def _find_cuts(self, X: Any, y: Any, profile: ColumnProfile, numeric: Ints) -> tuple[Ints, Floats, Ints]:
        Y = _label_rows(y, X.shape[0])
        totals = np.bincount(Y.indices, minlength=Y.shape[1])
        columns, cuts = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for some in sorted_columns(X, numeric):
            room, n_cuts = np.empty(some.values.size + 1), np.empty(some.columns.size, dtype=np.int64)
            _kernels.laim_cuts(
                some.starts, some.rows, some.values, X.shape[0], Y.indptr, Y.indices, totals, room, n_cuts
            )
            columns.append(np.repeat(some.columns, n_cuts))
            within = np.arange(n_cuts.sum()) - np.repeat(np.cumsum(n_cuts) - n_cuts, n_cuts)
            cuts.append(room[np.repeat(some.starts[:-1], n_cuts) + within])
        return np.concatenate(columns), np.concatenate(cuts), np.zeros(X.shape[1], dtype=np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _label_rows(y: Any, n_rows: int) -> Any:
    """Return labels as a CSR matrix of 0 and 1."""
    if y is None:
        raise ParameterError(
            "LAIMDiscretizer requires y to be passed, but the target y is None. Pass the labels of the rows."
        )
    given = y if sparse.issparse(y) else np.asarray(y)
    if given.ndim == 1:
        codes = np.unique(given, return_inverse=True)[1]
        Y = sparse.csr_array((np.ones(codes.size), codes, np.arange(codes.size + 1)))
    else:
        Y = sparse.csr_array(label_matrix("LAIMDiscretizer", "y", given))
    if Y.shape[0] != n_rows:
        check_consistent_length(np.empty(n_rows), np.empty(Y.shape[0]))
    return Y
