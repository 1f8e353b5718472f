"""Sums over labels of what features say about them, alone or with another column known.

I(f;l) is I(f;l|s) for a column s that holds one symbol, so that relevance and conditional relevance are one
computation: tables of features and labels in the rows of each symbol of s.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.counts import Vocabulary
from plait.features._scalable_kernels import add_symbol, information_sums
from plait.features.log_table import every_count

__all__ = ["LabelSums"]


class LabelSums:
    """The sum of I(f;l|s) over labels l, in whole units, filled with one symbol of s after another.

    Parameters
    ----------
    features : Vocabulary
        Planes of the features f.
    n_labels : int
        Number of labels, which are 0 or 1.
    n_rows : int
        Number of rows.
    first : int, default=0
        The label the sum starts at.
    """

    def __init__(self, features: Vocabulary, n_labels: int, n_rows: int, first: int = 0):
        table, self._bits = every_count(n_rows)
        self._offsets, self._table = features.offsets, table.view(np.uint64)
        self._ends = _groups(first, n_labels, n_rows)
        n_groups = self._ends.size - 1
        self._content = np.uint64(0)
        self._label_pairs = np.zeros(n_groups, dtype=np.uint64)
        self._pairs = np.zeros(features.n_columns, dtype=np.uint64)
        self._triples = np.zeros((features.n_columns, n_groups), dtype=np.uint64)

    def add(self, cells: npt.NDArray[Any], counts: npt.NDArray[Any], labels: npt.NDArray[Any], size: int) -> None:
        """Add one symbol of s.

        Parameters
        ----------
        cells : ndarray of uint32, shape (n_planes, n_labels)
            Rows with the symbol, a plane and a label.
        counts : ndarray of shape (n_planes,)
            Rows with the symbol and a plane.
        labels : ndarray of shape (n_labels,)
            Rows with the symbol and a label.
        size : int
            Rows with the symbol.
        """
        contents = self._table[labels] + self._table[size - labels]
        base = np.add.reduceat(contents, self._ends[:-1].astype(np.intp))
        self._label_pairs += base
        self._content += self._table[size]
        add_symbol(
            cells,
            counts.astype(np.uint32, copy=False),
            self._offsets,
            labels.astype(np.uint32, copy=False),
            np.uint64(size),
            base,
            self._ends,
            self._table,
            self._pairs,
            self._triples,
        )

    def bits(self) -> npt.NDArray[np.float64]:
        """Return the sums for all features, in bits."""
        out = np.empty(self._pairs.size)
        information_sums(self._triples, self._pairs, self._label_pairs, self._content, self._ends, out)
        return out * self._bits


def _groups(first: int, n_labels: int, n_rows: int) -> npt.NDArray[np.uint64]:
    """Cut labels into groups whose informations, 1 bit each at most, sum to less than 2**63 units.

    A bit is at most 2**60 / log2(n_rows) units (see `plait.information.logs`).
    """
    size = 4 * max(n_rows.bit_length() - 1, 1)
    return np.append(np.arange(first, n_labels, size), n_labels).astype(np.uint64)
