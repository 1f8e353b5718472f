"""`PairCounts`: all two-way tables between the columns of two matrices, which add up over rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Array, Ints
from plait.counts.vocabulary import Vocabulary

__all__ = ["PairCounts"]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each pair of symbols occurs, for every pair of columns.

    Parameters
    ----------
    total : int or float
        Number of rows, or their weight.
    x, y : Vocabulary
        Symbols of the columns on the left and on the right.
    x_counts, y_counts : ndarray of shape (n_planes,)
        Rows (or weight) of each non-zero symbol.
    joint : ndarray of shape (x.n_planes, y.n_planes)
        Rows (or weight) with both symbols. Cells with the symbol 0 follow by subtraction and are not kept.

    Notes
    -----
    `a + b` is the table of the joined rows: exactly, symbol for symbol, for counts and for weights that are whole
    numbers (`int64`); for other weights (`float64`) up to the rounding of a sum. Parts need not have seen the same
    symbols.

    Examples
    --------
    >>> from plait.counts import count_pairs
    >>> X, Y = np.array([[0], [1], [1], [2]]), np.array([[0], [1], [0], [1]])
    >>> whole = count_pairs(X, Y)
    >>> whole.table(0, 0)
    array([[1, 0],
           [1, 1],
           [0, 1]])
    >>> count_pairs(X[:2], Y[:2]) + count_pairs(X[2:], Y[2:]) == whole
    True
    """

    total: Any
    x: Vocabulary
    y: Vocabulary
    x_counts: Array
    y_counts: Array
    joint: Array

    @property
    def is_weighted(self) -> bool:
        """Whether the cells are floats."""
        return self.joint.dtype.kind == "f"

    def table(self, i: int, j: int) -> Array:
        """Return the whole table of column i on the left and j on the right, in the order of `symbols`, 0 first.

        Parameters
        ----------
        i, j : int
            Which column of X and of Y.
        """
        rows = slice(*self.x.offsets[[i, i + 1]])
        columns = slice(*self.y.offsets[[j, j + 1]])
        inner = self.joint[rows, columns]
        cells = np.empty((inner.shape[0] + 1, inner.shape[1] + 1), dtype=self.joint.dtype)
        cells[1:, 1:] = inner
        cells[1:, 0] = self.x_counts[rows] - inner.sum(axis=1)
        cells[0, 1:] = self.y_counts[columns] - inner.sum(axis=0)
        cells[0, 0] = self.total - self.x_counts[rows].sum() - cells[0, 1:].sum()
        return np.maximum(cells, 0) if self.is_weighted else cells

    def __add__(self, other: Any) -> "PairCounts":
        if not isinstance(other, PairCounts):
            return NotImplemented
        if self.x == other.x and self.y == other.y:
            return PairCounts(
                self.total + other.total,
                self.x,
                self.y,
                self.x_counts + other.x_counts,
                self.y_counts + other.y_counts,
                self.joint + other.joint,
            )
        self._check_columns(other)
        x, mine_x, others_x = self.x.union(other.x)
        y, mine_y, others_y = self.y.union(other.y)
        return (self._spread(x, y, mine_x, mine_y) + other._spread(x, y, others_x, others_y)).canonical()

    def __radd__(self, other: Any) -> "PairCounts":
        # sum() starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _check_columns(self, other: "PairCounts") -> None:
        mine, others = ((c.x.n_columns, c.y.n_columns) for c in (self, other))
        if mine != others:
            raise ValueError(
                f"PairCounts needs tables of the same columns to add them, but one is of {mine} and the other of "
                f"{others} columns. Count all parts with the same columns."
            )

    def _spread(self, x: Vocabulary, y: Vocabulary, x_planes: Ints, y_planes: Ints) -> "PairCounts":
        """Return the same counts over larger vocabularies."""
        joint = np.zeros((x.n_planes, y.n_planes), dtype=self.joint.dtype)
        joint[np.ix_(x_planes, y_planes)] = self.joint
        x_counts = np.zeros(x.n_planes, dtype=self.joint.dtype)
        y_counts = np.zeros(y.n_planes, dtype=self.joint.dtype)
        x_counts[x_planes], y_counts[y_planes] = self.x_counts, self.y_counts
        return PairCounts(self.total, x, y, x_counts, y_counts, joint)

    def canonical(self) -> "PairCounts":
        """Return the same counts without symbols that never occur."""
        x, x_planes = self.x.kept(self.x_counts > 0)
        y, y_planes = self.y.kept(self.y_counts > 0)
        # Plane -1 (a column of zeros) takes the empty line that is put behind the last one.
        joint = np.pad(self.joint, ((0, 1), (0, 1)))[np.ix_(x_planes, y_planes)]
        x_counts, y_counts = np.pad(self.x_counts, (0, 1))[x_planes], np.pad(self.y_counts, (0, 1))[y_planes]
        return PairCounts(self.total, x, y, x_counts, y_counts, joint)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairCounts):
            return NotImplemented
        return (
            self.total == other.total
            and self.x == other.x
            and self.y == other.y
            and self.joint.dtype == other.joint.dtype
            and np.array_equal(self.x_counts, other.x_counts)
            and np.array_equal(self.y_counts, other.y_counts)
            and np.array_equal(self.joint, other.joint)
        )

    __hash__ = None  # type: ignore[assignment]
