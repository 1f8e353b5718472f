"""LAIM: supervised discretisation by the labels of many columns [Cano2016]."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint
from plait.core.kernel_policy import kernels_pay
from plait.core.label_forms import read_labels
from plait.core.labels import label_matrix
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError
from plait.counts.codes import MANY_CELLS
from plait.counts.discretizers.base import NOMINAL_RULE, ColumnDiscretizer
from plait.counts.discretizers.profile import ColumnProfile, SortedColumns, sorted_columns

__all__ = ["LAIMDiscretizer"]

_kernels = lazy_module("plait.counts.discretizers._kernels")


# Values of LAIM that differ by less, relatively, are equal.
_TIE = 1e-12


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
        pays = kernels_pay(X.shape[0] * numeric.size * Y.shape[1], MANY_CELLS)
        find = _compiled_cuts if pays else _plain_cuts
        columns, cuts = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for some in sorted_columns(X, numeric):
            found, n_cuts = find(some, Y)
            columns.append(np.repeat(some.columns, n_cuts))
            cuts.append(found)
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
    given = read_labels("LAIMDiscretizer", "y", y).table
    if given.ndim == 1:
        codes = np.unique(given, return_inverse=True)[1]
        Y = sparse.csr_array((np.ones(codes.size), codes, np.arange(codes.size + 1)))
    else:
        Y = sparse.csr_array(label_matrix("LAIMDiscretizer", "y", given))
    if Y.shape[0] != n_rows:
        check_consistent_length(np.empty(n_rows), np.empty(Y.shape[0]))
    return Y


def _compiled_cuts(some: SortedColumns, Y: Any) -> tuple[Floats, Ints]:
    """Return the cuts of all columns, and how many each has."""
    room, n_cuts = np.empty(some.values.size + 1), np.empty(some.columns.size, dtype=np.int64)
    totals = np.bincount(Y.indices, minlength=Y.shape[1])
    _kernels.laim_cuts(some.starts, some.rows, some.values, Y.shape[0], Y.indptr, Y.indices, totals, room, n_cuts, _TIE)
    within = np.arange(n_cuts.sum()) - np.repeat(np.cumsum(n_cuts) - n_cuts, n_cuts)
    return room[np.repeat(some.starts[:-1], n_cuts) + within], n_cuts


def _plain_cuts(some: SortedColumns, Y: Any) -> tuple[Floats, Ints]:
    """Do the same column by column."""
    labels = Y.toarray().astype(np.int64)
    found = [_cuts(some.rows[a:b], some.values[a:b], labels) for a, b in pairwise(some.starts)]
    return np.concatenate([np.zeros(0), *found]), np.array([cuts.size for cuts in found], dtype=np.int64)


def _cuts(rows: Ints, values: Floats, labels: Ints) -> Floats:
    """Return the cuts of one column, whose entries stand ascending; rows that are not among them hold 0."""
    present = ~np.isnan(values)
    distinct, firsts = np.unique(values[present], return_index=True)
    counts = np.add.reduceat(labels[rows[present]], firsts) if firsts.size else np.zeros((0, labels.shape[1]), np.int64)
    if rows.size < labels.shape[0]:
        place = int(np.searchsorted(distinct, 0.0))
        if place == distinct.size or distinct[place] != 0:
            distinct, counts = np.insert(distinct, place, 0.0), np.insert(counts, place, 0, axis=0)
        counts[place] += labels.sum(axis=0) - labels[rows].sum(axis=0)
    if distinct.size < 2 or not labels.shape[1]:
        return np.zeros(0)
    ends = _Intervals(np.vstack((np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)))).ends()
    below, above = distinct[ends - 1], distinct[ends]
    middle = below / 2 + above / 2
    # Between neighbouring floats there is no middle.
    return np.where(middle > below, middle, above)


class _Intervals:
    """Greedy search for the intervals of one column.

    Since LAIM is a sum over intervals divided by n * M, a cut changes only its own interval's part of the sum, and only
    the two halves need to be looked at again.

    Parameters
    ----------
    prefix : ndarray of int, shape (n_distinct + 1, n_labels)
        Rows with each label among the first distinct values of the column.
    """

    def __init__(self, prefix: Ints) -> None:
        self.prefix = prefix
        self.tie = _TIE * prefix[-1].sum()

    def ends(self) -> Ints:
        """Return before which distinct values the cuts lie."""
        last = len(self.prefix) - 1
        ends, best = [0, last], 0.0
        found = [self._best_cut(0, last)]
        total = float(_quality(self.prefix[-1] - self.prefix[0]))
        while len(found) < last:
            r = _first_clear_best([gain for _, gain in found], self.tie)
            place, gain = found[r]
            value = (total + gain) / (len(found) + 1)
            if place < 0 or value <= best * (1.0 + _TIE):
                break
            best, total = value, total + gain
            ends.insert(r + 1, place)
            found[r : r + 1] = [self._best_cut(a, b) for a, b in pairwise(ends[r : r + 3])]
        return np.array(ends[1:-1], dtype=np.int64)

    def _best_cut(self, low: int, high: int) -> tuple[int, float]:
        """Return the place in an interval where a cut adds most to the sum of qualities, and how much; -1: no place."""
        if high - low < 2:
            return -1, -np.inf
        inside = self.prefix[low + 1 : high]
        whole = _quality(self.prefix[high] - self.prefix[low])
        gains = _quality(inside - self.prefix[low]) + _quality(self.prefix[high] - inside) - whole
        # Only what is more than all before it can be clearly more than the best so far.
        records = np.flatnonzero(gains[1:] > np.maximum.accumulate(gains)[:-1]) + 1
        records = np.concatenate(([0], records))
        best = int(records[_first_clear_best(gains[records], self.tie)])
        return low + 1 + best, float(gains[best])


def _quality(counts: Ints) -> Any:
    """Return max_r^2 / M_r of intervals with these counts of labels, 0 where M_r is 0."""
    sizes, most = counts.sum(axis=-1), counts.max(axis=-1)
    return most * (most / np.maximum(sizes, 1))


def _first_clear_best(gains: Iterable[float], tie: float) -> int:
    """Return the place of the best gain, gone through in order: a later one must be more by more than `tie`."""
    best, most = 0, -np.inf
    for place, gain in enumerate(gains):
        if gain > most + tie:
            best, most = place, gain
    return best
