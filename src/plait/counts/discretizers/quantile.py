"""Quantiles as cuts: bins with about the same number of training rows."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Bools, Floats, Ints
from plait.core.checks import Constraint, Interval
from plait.counts.discretizers.base import NOMINAL_RULE, ColumnDiscretizer
from plait.counts.discretizers.profile import ColumnProfile, SortedColumns, sorted_columns

__all__ = ["QuantileDiscretizer"]


class QuantileDiscretizer(ColumnDiscretizer):
    """Bins with about the same number of training rows each.

    Cut k is the smallest training value with at least k / n_bins of the rows at or below it; it belongs to the bin
    below. Cuts that coincide are one, so that columns with many equal values have fewer bins: the zeros of a mostly
    empty non-negative column are a bin of their own. Columns with two distinct values and nominal columns keep their
    values; NaN is a symbol of its own and does not count.

    Parameters
    ----------
    n_bins : int, default=5
        Largest number of bins.
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
    >>> QuantileDiscretizer(n_bins=2).fit_transform([[1.0], [2.0], [5.0], [9.0]]).ravel()
    array([0, 0, 1, 1], dtype=int8)
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "n_bins": (Interval(int, 2, None),),
        "nominal": NOMINAL_RULE,
    }

    def __init__(self, n_bins: int = 5, *, nominal: Any = None) -> None:
        self.n_bins = n_bins
        self.nominal = nominal

    def _find_cuts(self, X: Any, y: Any, profile: ColumnProfile, numeric: Ints) -> tuple[Ints, Floats, Ints]:
        columns, cuts = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for some in sorted_columns(X, numeric):
            room, new = _quantiles(some, X.shape[0], self.n_bins)
            columns.append(np.repeat(some.columns, new.sum(axis=1)))
            # A value at a cut belongs below, so the cut moves up by the smallest step there is.
            cuts.append(np.nextafter(room[new], np.inf))
        return np.concatenate(columns), np.concatenate(cuts), np.zeros(X.shape[1], dtype=np.int64)


def _quantiles(some: SortedColumns, n_rows: int, n_bins: int) -> tuple[Floats, Bools]:
    """Return the least value with at least k / n_bins of a column at or below it, for k = 1, 2, ..., and which count.

    What is not listed in a column is 0. A value counts the first time, and if something lies above it.
    """
    n_listed = np.diff(some.starts)
    owner = np.repeat(np.arange(n_listed.size), n_listed)
    n_values = n_listed - np.bincount(owner[np.isnan(some.values)], minlength=n_listed.size)
    n_below = np.bincount(owner[some.values < 0], minlength=n_listed.size)
    n_zeros = n_rows - n_listed
    n = (n_values + n_zeros)[:, None]
    listed = np.append(some.values, 0.0)  # with a place for columns without values
    ranks = (np.arange(1, n_bins) * n + n_bins - 1) // n_bins - 1
    at_zero = (n_below[:, None] <= ranks) & (ranks < (n_below + n_zeros)[:, None])
    places = some.starts[:-1, None] + ranks - np.where(ranks < n_below[:, None], 0, n_zeros[:, None])
    values = np.where(at_zero, 0.0, listed.take(places, mode="clip"))
    largest = np.where(n_values > 0, listed.take(some.starts[:-1] + n_values - 1, mode="clip"), 0.0)
    largest = np.where(n_zeros > 0, np.maximum(largest, 0.0), largest)
    new = (n > 0) & (values < largest[:, None])
    new[:, 1:] &= values[:, 1:] > values[:, :-1]
    return values, new
