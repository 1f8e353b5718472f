"""What labels tell about each other where some are unknown: pairs and triples count in rows where all are known."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plait.core.arrays import Array, Floats, Ints
from plait.core.unknown_labels import has_unknown
from plait.structure.label_information import LabelInformation

__all__ = ["AnyInformation", "KnownLabelInformation", "information_of"]

# Fewer rows say nothing about a pair.
_FEWEST = 5


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
        return np.where(self.rows_of_pairs >= _FEWEST, _information(self._pairs), 0.0)

    @cached_property
    def normalized(self) -> Floats:
        """I(Y_j;Y_k) / min(H(Y_j), H(Y_k)) of all pairs, entropies in the rows that know both [PACC 25]."""
        margins = [_entropy(self._pairs.sum(axis=axis)) for axis in (1, 0)]
        least = np.minimum(*margins)
        return np.minimum(np.divide(self.mutual, least, out=np.zeros_like(least), where=least > 1e-12), 1.0)

    def given_symbols(self, column: Array) -> Floats:
        """Return I(Y_j;Y_k|X) of all pairs for the symbols of one column."""
        total = np.zeros((self.n_labels, self.n_labels))
        for symbol in np.unique(column):
            tables = self._tables((column == symbol).astype(np.float64))
            total += tables.sum(axis=(0, 1)) * _information(tables)
        return np.where(self.rows_of_pairs >= _FEWEST, total / np.maximum(self.rows_of_pairs, 1.0), 0.0)

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
        out += np.where(n_rows >= _FEWEST, found / np.maximum(n_rows, 1.0), 0.0)


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
