"""`CoOccurrences`: how often labels meet, for so many labels that a table of all pairs would not fit in memory."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.counts import PairCounts, SparseCodes, TripleCounts, Vocabulary
from plait.information import conditional_mutual_information_matrix
from plait.information.columns import numbered

__all__ = ["MANY_LABELS", "CoOccurrences", "rows_given_symbols"]

# From so many labels on no table of all pairs is made (32 MiB of counts).
MANY_LABELS = 2048


class CoOccurrences:
    """Pairs of labels that meet in some row, kept sparse: tables of one label with all others are made when asked for.

    Pairs that never meet are not left out, since they tell something too: their tables follow from how often each of
    the two labels is there. Memory grows with the labels and with the pairs that meet.

    Parameters
    ----------
    rows : CSR array of shape (n_rows, n_labels)
        1 where a row has a label.
    copies : ndarray of int, shape (n_rows,), optional
        How often each row counts; once by default.

    Notes
    -----
    Counts of some rows and of others add up, by `+`.

    Examples
    --------
    >>> met = CoOccurrences(sparse.csr_array(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]])))
    >>> met.row(0), met.tables(0).table(0, 2)
    (array([2, 1, 0]), array([[0, 1],
           [2, 0]]))
    """

    def __init__(self, rows: Any, copies: Ints | None = None) -> None:
        self.n_rows, self.n_labels = rows.shape
        if copies is not None:
            self.n_rows = int(copies.sum())
        each = np.ones(rows.nnz, dtype=np.int64)
        ones = sparse.csr_array((each, rows.indices, rows.indptr), shape=rows.shape)
        if copies is not None:
            each = np.repeat(copies, np.diff(rows.indptr)).astype(np.int64)
        counted = sparse.csr_array((each, rows.indices, rows.indptr), shape=rows.shape)
        self.counts: Ints = np.asarray(counted.sum(axis=0), dtype=np.int64)
        self._joint = sparse.csr_array(ones.T @ counted)
        self._columns = Vocabulary.binary(self.n_labels)

    def __add__(self, other: "CoOccurrences") -> "CoOccurrences":
        found = copy(self)
        found.n_rows, found.counts = self.n_rows + other.n_rows, self.counts + other.counts
        found._joint = sparse.csr_array(self._joint + other._joint)
        return found

    @staticmethod
    def of(codes: SparseCodes) -> "CoOccurrences":
        """Return what labels as planes say."""
        return CoOccurrences(_as_rows(codes))

    @property
    def joint(self) -> Ints:
        """In how many rows two labels meet, (n_labels, n_labels)."""
        return np.asarray(self._joint.toarray())

    def row(self, label: int) -> Ints:
        """Return in how many rows a label meets each label, (n_labels,); itself in all of its own."""
        found = np.zeros(self.n_labels, dtype=np.int64)
        here = slice(self._joint.indptr[label], self._joint.indptr[label + 1])
        found[self._joint.indices[here]] = self._joint.data[here]
        return found

    def tables(self, label: int) -> PairCounts:
        """Return the tables of one label with all labels."""
        own = self.counts[label : label + 1]
        joint = self.row(label)[None]
        return PairCounts(self.n_rows, Vocabulary.binary(1), self._columns, own, self.counts, joint)


def _as_rows(codes: SparseCodes) -> Any:
    shape = codes.n_rows, codes.vocabulary.n_planes
    return sparse.csr_array((np.ones(codes.nnz, dtype=np.int8), codes.indices.astype(np.int32), codes.indptr), shape)


def rows_given_symbols(codes: SparseCodes, column: Any) -> Callable[[int], Floats]:
    """Return the function that gives I(Y_j;Y_k|X) of a label j with all labels k, for the symbols of a column.

    Examples
    --------
    >>> from plait.counts import encode
    >>> Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> rows_given_symbols(encode(Y).sparse(), Y[:, 0] ^ Y[:, 1])(0)
    array([1., 1.])
    """
    rows, symbols = _as_rows(codes), numbered(column)
    levels = np.arange(symbols.max(initial=0) + 1)
    parts = [CoOccurrences(rows[symbols == level]) for level in levels]

    def row(label: int) -> Floats:
        tables = TripleCounts(levels.astype(np.float64), tuple(part.tables(label) for part in parts))
        return np.asarray(conditional_mutual_information_matrix(tables)[0])

    return row
