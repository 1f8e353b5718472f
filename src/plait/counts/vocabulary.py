"""Which symbols the columns of a matrix hold, and where each symbol's plane lies."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plait.core.arrays import Bools, Floats, Ints

__all__ = ["Vocabulary", "distinct_symbols"]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The non-zero symbols of each column; the symbol 0 is in every column and has no plane.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_columns + 1,)
        Column j has the planes `offsets[j] .. offsets[j + 1] - 1`.
    values : ndarray of float64, shape (n_planes,)
        The value whose rows a plane marks; ascending within a column, NaN last.

    Notes
    -----
    A column lists the values that occur in it, or the single value 1 when only zeros occur. So the vocabulary of
    joined rows is the same whether they were counted together or in parts.

    Examples
    --------
    >>> from plait.counts import encode
    >>> words = encode([[1, 0], [1, 5], [0, 2]]).vocabulary
    >>> [words.symbols(column).tolist() for column in range(2)]
    [[0.0, 1.0], [0.0, 2.0, 5.0]]
    """

    offsets: Ints
    values: Floats

    @staticmethod
    def binary(n_columns: int) -> "Vocabulary":
        """Return the vocabulary of columns that hold 0 and 1.

        Parameters
        ----------
        n_columns : int
            How many.
        """
        return Vocabulary(np.arange(n_columns + 1), np.ones(n_columns))

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.offsets.size - 1

    @property
    def n_planes(self) -> int:
        """Number of non-zero symbols of all columns."""
        return self.values.size

    @cached_property
    def one_plane_each(self) -> bool:
        """Whether every column has one symbol beside 0."""
        return self.n_planes == self.n_columns and bool((np.diff(self.offsets) == 1).all())

    @cached_property
    def plane_columns(self) -> Ints:
        """Column of each plane, shape (n_planes,)."""
        return np.repeat(np.arange(self.n_columns), np.diff(self.offsets))

    def symbols(self, column: int) -> Floats:
        """Return the symbols of a column, 0 first.

        Parameters
        ----------
        column : int
            Which.
        """
        return np.concatenate(([0.0], self.values[self.offsets[column] : self.offsets[column + 1]]))

    def part(self, first: int, last: int) -> "Vocabulary":
        """Return the vocabulary of the columns first .. last - 1.

        Parameters
        ----------
        first, last : int
            From which on, and before which.
        """
        ends = self.offsets[first : last + 1]
        return Vocabulary(ends - ends[0], self.values[ends[0] : ends[-1]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return bool(
            np.array_equal(self.offsets, other.offsets) and np.array_equal(self.values, other.values, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def union(self, other: "Vocabulary") -> tuple["Vocabulary", Ints, Ints]:
        """Return the vocabulary of both, and where the planes of each go.

        Parameters
        ----------
        other : Vocabulary
            Of the same columns.
        """
        columns = np.concatenate((self.plane_columns, other.plane_columns))
        values = np.concatenate((self.values, other.values))
        both, planes = distinct_symbols(columns, values, self.n_columns)
        return both, planes[: self.n_planes], planes[self.n_planes :]

    def kept(self, occurs: Bools) -> tuple["Vocabulary", Ints]:
        """Return the vocabulary without symbols that do not occur, and the old plane of each new one (-1: none).

        Parameters
        ----------
        occurs : ndarray of bool, shape (n_planes,)
            Which planes do.
        """
        columns, planes = self.plane_columns[occurs], np.flatnonzero(occurs)
        only_zeros = np.flatnonzero(np.bincount(columns, minlength=self.n_columns) == 0)
        columns = np.concatenate((columns, only_zeros))
        planes = np.concatenate((planes, np.full(only_zeros.size, -1)))
        values = np.concatenate((self.values[occurs], np.ones(only_zeros.size)))
        order = np.lexsort((values, columns))
        return Vocabulary(_ends(columns, self.n_columns), values[order]), planes[order]


def _ends(columns: Ints, n_columns: int) -> Ints:
    ends = np.zeros(n_columns + 1, dtype=np.int64)
    np.cumsum(np.bincount(columns, minlength=n_columns), out=ends[1:])
    return ends


def distinct_symbols(columns: Ints, values: Floats, n_columns: int) -> tuple[Vocabulary, Ints]:
    """Return the vocabulary of (column, value) entries, and the plane of each entry.

    Columns without an entry get the symbol 1. All NaN of a column are one symbol.
    """
    empty = np.flatnonzero(np.bincount(columns, minlength=n_columns) == 0)
    columns = np.concatenate((columns, empty))
    values = np.concatenate((values, np.ones(empty.size)))
    order = np.lexsort((values, columns))
    columns, values = columns[order], values[order]
    same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    new = np.ones(values.size, dtype=np.bool_)
    new[1:] = (columns[1:] != columns[:-1]) | ~same
    planes = np.empty(values.size, dtype=np.int64)
    planes[order] = np.cumsum(new) - 1
    return Vocabulary(_ends(columns[new], n_columns), values[new]), planes[: planes.size - empty.size]
