"""What labels tell about each other: pairs at once, triples one label at a time.

Where some labels are unknown, pairs and triples count in rows where all of them are known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Array, Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.unknown_labels import has_unknown
from plait.counts import Codes, PairCounts, SparseCodes, Vocabulary, count_pairs, encode, joint_counts
from plait.information import (
    CountLogs,
    conditional_mutual_information_matrix,
    logs_of,
    mutual_information_matrix,
    normalized_mutual_information_matrix,
)
from plait.structure.co_occurrences import MANY_LABELS, CoOccurrences, rows_given_symbols

__all__ = [
    "FEWEST_ROWS",
    "AnyInformation",
    "CountedLabelInformation",
    "KnownLabelInformation",
    "LabelInformation",
    "LabelTables",
    "information_of",
]

_kernels = lazy_module("plait.information._kernels")


# Below this share of ones, rows as lists of labels are cheaper to cut than bits.
_SPARSE_BELOW = 1 / 16
# Triples of labels from which on kernels pay: a structure asks for most of them, NumPy takes a microsecond for each.
_MANY_TRIPLES = 24**3


class LabelInformation:
    """Mutual and conditional mutual information between 0/1 labels, in bits, from exact counts.

    Rows of pairs have the same bits whether a table of all pairs is kept or, from 2,048 labels on, none is.

    Parameters
    ----------
    Y : ndarray of uint8, or CSR matrix, shape (n_samples, n_labels)
        0/1 labels.

    Examples
    --------
    >>> labels = LabelInformation(np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=np.uint8))
    >>> labels.mutual[0].tolist()
    [1.0, 0.0, 0.0]
    >>> sums = np.zeros(1)
    >>> labels.tables_of(0).add_information(1, np.array([2]), sums)  # any two of them give the third
    >>> sums
    array([1.])
    """

    def __init__(self, Y: Any) -> None:
        codes: Codes = encode(Y)
        self.n_rows, self.n_labels = Y.shape
        self.many = self.n_labels >= MANY_LABELS
        thin = self.many or codes.nnz < _SPARSE_BELOW * np.prod(Y.shape)
        self.codes = codes.sparse() if thin else codes

    @cached_property
    def pairs(self) -> PairCounts:
        """Counts of all pairs of labels."""
        return count_pairs(self.codes)

    @cached_property
    def mutual(self) -> Floats:
        """I(Y_j;Y_k) of all pairs; on the diagonal the entropies."""
        return mutual_information_matrix(self.pairs)

    @cached_property
    def normalized(self) -> Floats:
        """NI(Y_j;Y_k) = I(Y_j;Y_k) / min(H(Y_j), H(Y_k)) of all pairs [PACC 25]."""
        return normalized_mutual_information_matrix(self.pairs)

    @cached_property
    def _met(self) -> CoOccurrences:
        return CoOccurrences.of(self.codes.sparse())

    def _joint_row(self, label: int) -> Ints:
        return self._met.row(label) if self.many else self.pairs.joint[label]

    def mutual_row(self, label: int) -> Floats:
        """Return I(Y_label;Y_k) of all k."""
        return mutual_information_matrix(self._met.tables(label))[0] if self.many else self.mutual[label]

    def normalized_row(self, label: int) -> Floats:
        """Return NI(Y_label;Y_k) of all k."""
        if self.many:
            return normalized_mutual_information_matrix(self._met.tables(label))[0]
        return self.normalized[label]

    @property
    def rows_of_pairs(self) -> Floats:
        """How many rows know both labels: all, (n_labels, n_labels)."""
        return np.full((self.n_labels, self.n_labels), float(self.n_rows))

    def given_symbols(self, column: Any) -> Floats:
        """Return I(Y_j;Y_k|X) of all pairs for the symbols of one column."""
        return conditional_mutual_information_matrix(self.codes, None, column, pairs=self.pairs)

    def rows_given_symbols(self, column: Any) -> Callable[[int], Floats]:
        """Return the function that gives I(Y_label;Y_k|X) of all k, for the symbols of one column."""
        return rows_given_symbols(self.codes.sparse(), column)

    @cached_property
    def _logs(self) -> tuple[Ints, float]:
        logs = logs_of(self.n_rows)
        if isinstance(logs, CountLogs) and logs.table.size > self.n_rows:
            return logs.table, logs.bits
        return logs.of(np.arange(self.n_rows + 1)).astype(np.int64), logs.bits

    def tables_of(self, label: int) -> "LabelTables":
        """Return the tables of one label with all pairs of labels."""
        return LabelTables(self, label)

    @cached_property
    def _rows_of_labels(self) -> tuple[Ints, npt.NDArray[np.uint32]]:
        return self.codes.sparse().by_plane

    def add_information(self, j: int, k: int, within: Ints, labels: Ints, out: Floats) -> None:
        """Add I(Y_j;Y_k|Y_l) to `out` for every l in `labels`; `within` counts label l in the rows of both j and k."""
        table, bits = self._logs
        ones, of_j, of_k = self.codes.totals, self._joint_row(j), self._joint_row(k)
        if kernels_pay(self.n_labels**3, _MANY_TRIPLES):
            _kernels.add_conditional_amounts(j, k, labels, of_j, of_k, within, ones, self.n_rows, table, bits, out)
            return
        n_l, n_jl, n_kl, n_jkl = ones[labels], of_j[labels], of_k[labels], within[labels].astype(np.int64)
        # The rows with label l, then those without it, as tables of j and k; then the pairs of j and l, and of k and l.
        inside = _two(n_jkl, n_jl, n_kl, n_l, table)
        outside = _two(of_j[k] - n_jkl, ones[j] - n_jl, ones[k] - n_kl, self.n_rows - n_l, table)
        jl, kl = _two(n_jl, ones[j], n_l, self.n_rows, table), _two(n_kl, ones[k], n_l, self.n_rows, table)
        amounts = (inside - jl) + (outside - kl) + table[n_l] + table[self.n_rows - n_l]
        out += bits * np.maximum(amounts, 0)


class CountedLabelInformation(LabelInformation):
    """The same of pairs from numbers of rows alone, such as those of rows that lie in parts; there are no triples.

    Parameters
    ----------
    counts : CoOccurrences
        In how many rows labels are, and meet.

    Examples
    --------
    >>> from scipy import sparse
    >>> rows = sparse.csr_array(np.array([[0, 0], [1, 1]] * 4))
    >>> CountedLabelInformation(CoOccurrences(rows[:3]) + CoOccurrences(rows[3:])).mutual[0, 1]
    np.float64(1.0)
    """

    def __init__(self, counts: CoOccurrences) -> None:
        self.n_rows, self.n_labels, self.many = counts.n_rows, counts.n_labels, True
        self._counts = counts

    @cached_property
    def pairs(self) -> PairCounts:
        """Counts of all pairs of labels."""
        columns, ones = Vocabulary.binary(self.n_labels), self._counts.counts
        return PairCounts(self.n_rows, columns, columns, ones, ones, self._counts.joint)

    @cached_property
    def _met(self) -> CoOccurrences:
        return self._counts


def _two(n_both: Ints, n_a: Any, n_b: Any, n_rows: Any, table: Ints) -> Ints:
    """Return the sum of n log2 n over the four cells of two labels."""
    return (table[n_both] + table[n_a - n_both]) + (table[n_b - n_both] + table[n_rows - n_a - n_b + n_both])


@dataclass(frozen=True, eq=False)
class LabelTables:
    """All three-way tables of one label with two others.

    Parameters
    ----------
    information : LabelInformation
        Of all labels.
    label : int
        Which label.
    """

    information: LabelInformation
    label: int

    @cached_property
    def _held(self) -> npt.NDArray[np.bool_]:
        """Which rows have the label; `encode` gave every label its one plane."""
        held = np.zeros(self.information.n_rows, dtype=np.bool_)
        starts, rows = self.information._rows_of_labels
        held[rows[starts[self.label] : starts[self.label + 1]]] = True
        return held

    @cached_property
    def _table(self) -> Ints:
        inside = self.information.codes.within(self._held)
        return np.ascontiguousarray(joint_counts(inside, inside))

    def within(self, other: int) -> Ints:
        """Return how many rows with the label and another one have each third label, (n_labels,)."""
        codes = self.information.codes
        if not isinstance(codes, SparseCodes):
            return np.ascontiguousarray(self._table[other])
        # Of lists of labels only those of rows with both are read: no table of all pairs for every label.
        starts, rows = self.information._rows_of_labels
        both = rows[starts[other] : starts[other + 1]]
        both = both[self._held[both]]
        lengths = np.diff(codes.indptr)[both]
        firsts = np.repeat(codes.indptr[both] - np.append(0, np.cumsum(lengths)[:-1]), lengths)
        return np.bincount(codes.indices[firsts + np.arange(lengths.sum())], minlength=self.information.n_labels)

    def add_information(self, other: int, given: Ints, out: Floats) -> None:
        """Add I(Y_label;Y_other|Y_l), in bits, to `out` for every l in `given`."""
        self.information.add_information(self.label, other, self.within(other), given, out)


# Fewer rows say nothing about a pair.
FEWEST_ROWS = 5


class KnownLabelInformation:
    """Mutual and conditional mutual information between labels of which some are unknown, in bits.

    A pair counts in the rows where both are known, a triple where all three are. Fewer than 5 such rows, or a label
    that is constant there, tell nothing.

    Parameters
    ----------
    Y : ndarray of int8, shape (n_samples, n_labels)
        0, 1, or -1 where unknown.

    Examples
    --------
    >>> Y = np.array([[0, 0], [1, 1]] * 3 + [[-1, 0], [0, -1]], dtype=np.int8)
    >>> KnownLabelInformation(Y).normalized
    array([[1., 1.],
           [1., 1.]])
    """

    # A table of all pairs is kept, however many labels there are.
    many: ClassVar[bool] = False

    def __init__(self, Y: Any) -> None:
        self.n_rows, self.n_labels = Y.shape
        # One after the other the rows without the label, and those with it.
        self._values = [(value == Y).astype(np.float64) for value in (0, 1)]

    def _tables(self, weight: Floats | None = None) -> Floats:
        """Return counts of all pairs, (2, 2, n_labels, n_labels), of rows that weigh 1."""
        rows = self._values if weight is None else [value * weight[:, None] for value in self._values]
        return np.array([[a.T @ b for b in self._values] for a in rows])

    @cached_property
    def _pairs(self) -> Floats:
        return self._tables()

    @cached_property
    def rows_of_pairs(self) -> Floats:
        """How many rows know both labels, (n_labels, n_labels)."""
        return np.asarray(self._pairs.sum(axis=(0, 1)))

    @cached_property
    def mutual(self) -> Floats:
        """I(Y_j;Y_k) of all pairs; on the diagonal the entropies."""
        return np.where(self.rows_of_pairs >= FEWEST_ROWS, _information(self._pairs), 0.0)

    @cached_property
    def normalized(self) -> Floats:
        """I(Y_j;Y_k) / min(H(Y_j), H(Y_k)) of all pairs, entropies in the rows that know both [PACC 25]."""
        least = np.minimum(*self._entropies)
        return np.minimum(np.divide(self.mutual, least, out=np.zeros_like(least), where=least > 1e-12), 1.0)

    @cached_property
    def symmetric(self) -> Floats:
        """2 I(Y_j;Y_k) / (H(Y_j) + H(Y_k)) of all pairs, entropies in the rows that know both."""
        total = np.add(*self._entropies)
        return np.minimum(np.divide(2.0 * self.mutual, total, out=np.zeros_like(total), where=total > 1e-12), 1.0)

    @cached_property
    def _entropies(self) -> tuple[Floats, Floats]:
        """H(Y_j) and H(Y_k) in the rows that know both, (n_labels, n_labels) each."""
        return _entropy(self._pairs.sum(axis=1)), _entropy(self._pairs.sum(axis=0))

    def mutual_row(self, label: int) -> Floats:
        """Return I(Y_label;Y_k) of all k."""
        return self.mutual[label]

    def normalized_row(self, label: int) -> Floats:
        """Return NI(Y_label;Y_k) of all k."""
        return self.normalized[label]

    def given_symbols(self, column: Array) -> Floats:
        """Return I(Y_j;Y_k|X) of all pairs for the symbols of one column."""
        total = np.zeros((self.n_labels, self.n_labels))
        for symbol in np.unique(column):
            tables = self._tables((column == symbol).astype(np.float64))
            total += tables.sum(axis=(0, 1)) * _information(tables)
        return np.where(self.rows_of_pairs >= FEWEST_ROWS, total / np.maximum(self.rows_of_pairs, 1.0), 0.0)

    def rows_given_symbols(self, column: Array) -> Callable[[int], Floats]:
        """Return the function that gives I(Y_label;Y_k|X) of all k, for the symbols of one column."""
        return self.given_symbols(column).__getitem__

    def tables_of(self, label: int) -> "KnownTables":
        """Return the tables of one label with all pairs of labels."""
        return KnownTables(self, label)


@dataclass(frozen=True, eq=False)
class KnownTables:
    """All three-way tables of one label with two others."""

    information: KnownLabelInformation
    label: int

    def add_information(self, other: int, given: Ints, out: Floats) -> None:
        """Add I(Y_label;Y_other|Y_l), in bits, to `out` for every l in `given`."""
        values = self.information._values
        pairs = [[a[:, self.label] * b[:, other] for b in values] for a in values]
        found, n_rows = np.zeros(len(given)), np.zeros(len(given))
        for value in values:
            tables = np.array([[rows @ value[:, given] for rows in line] for line in pairs])
            found += tables.sum(axis=(0, 1)) * _information(tables)
            n_rows += tables.sum(axis=(0, 1))
        out += np.where(n_rows >= FEWEST_ROWS, found / np.maximum(n_rows, 1.0), 0.0)


AnyInformation = LabelInformation | KnownLabelInformation


def information_of(Y: Any) -> AnyInformation:
    """Return what labels tell about each other, from all rows or, where some are unknown, from those that are known."""
    return KnownLabelInformation(Y) if has_unknown(Y) else LabelInformation(Y)


def _entropy(counts: Floats) -> Floats:
    """Return the entropies of counts along the first axis."""
    shares = counts / np.maximum(counts.sum(axis=0), 1.0)
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=0))


def _information(tables: Floats) -> Floats:
    """Return the mutual information of tables (2, 2, ...); 0 where nothing was counted."""
    rows, columns = _entropy(tables.sum(axis=1)), _entropy(tables.sum(axis=0))
    return np.maximum(rows + columns - _entropy(tables.reshape(4, *tables.shape[2:])), 0.0)
