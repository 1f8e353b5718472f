"""Quantiles as cuts: bins with about the same number of training rows."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint, Interval
from plait.core.lazy_modules import lazy_module
from plait.counts.discretizers.base import NOMINAL_RULE, ColumnDiscretizer
from plait.counts.discretizers.profile import ColumnProfile, sorted_columns

__all__ = ["QuantileDiscretizer"]

_kernels = lazy_module("plait.counts.discretizers._kernels")


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
            room = np.empty((some.columns.size, self.n_bins - 1))
            n_cuts = np.empty(some.columns.size, dtype=np.int64)
            _kernels.quantile_cuts(some.starts, some.values, X.shape[0], self.n_bins, room, n_cuts)
            columns.append(np.repeat(some.columns, n_cuts))
            # A value at a cut belongs below, so the cut moves up by the smallest step there is.
            cuts.append(np.nextafter(room[np.arange(self.n_bins - 1) < n_cuts[:, None]], np.inf))
        return np.concatenate(columns), np.concatenate(cuts), np.zeros(X.shape[1], dtype=np.int64)
