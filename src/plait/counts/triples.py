"""`TripleCounts`: all three-way tables of two matrices with one more column, which add up over rows."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plait.core.arrays import Array, Bools, Floats
from plait.core.sentences import ParameterError
from plait.counts.codes import Codes
from plait.counts.counting import checked_weights, pairs_of_codes
from plait.counts.encoding import encode
from plait.counts.pairs import PairCounts
from plait.counts.streams import summed

__all__ = ["TripleCounts", "count_triples"]


@dataclass(frozen=True, eq=False)
class TripleCounts:
    """For each symbol of a column Z, the pair tables of the rows that hold it.

    Parameters
    ----------
    levels : ndarray of shape (n_levels,)
        The values of Z that occur, ascending, NaN last.
    parts : tuple of PairCounts
        The tables of the rows with each value; their sum is the pair table of all rows.

    Notes
    -----
    `a + b` is the table of the joined rows, as for `PairCounts`.

    Examples
    --------
    >>> X, Y, z = np.array([[0], [1], [1]]), np.array([[1], [1], [0]]), np.array([5, 5, 7])
    >>> triples = count_triples(X, Y, z)
    >>> triples.levels, triples.table(0, 0).tolist()
    (array([5., 7.]), [[[0, 1], [0, 1]], [[0, 0], [1, 0]]])
    """

    levels: Floats
    parts: tuple[PairCounts, ...]

    @property
    def pairs(self) -> PairCounts:
        """The pair tables of all rows."""
        return sum(self.parts[1:], self.parts[0])

    @property
    def total(self) -> Any:
        """Number of rows, or their weight."""
        return sum(part.total for part in self.parts)

    def table(self, i: int, j: int) -> Array:
        """Return the table of Z, column i on the left and j on the right; symbols ordered as in `pairs`.

        Parameters
        ----------
        i, j : int
            Which column of X and of Y.
        """
        pairs = self.pairs
        cells = []
        for part in self.parts:
            x, y = (
                [_place(symbol, mine.symbols(k)) for symbol in whole.symbols(k)]
                for mine, whole, k in ((part.x, pairs.x, i), (part.y, pairs.y, j))
            )
            cells.append(np.pad(part.table(i, j), ((0, 1), (0, 1)))[np.ix_(x, y)])
        return np.stack(cells)

    def __add__(self, other: Any) -> "TripleCounts":
        if not isinstance(other, TripleCounts):
            return NotImplemented
        levels = np.unique(np.concatenate((self.levels, other.levels)))
        found = [[*self._at(level), *other._at(level)] for level in levels]
        return _occurring(levels, [sum(parts[1:], parts[0]) for parts in found])

    def __radd__(self, other: Any) -> "TripleCounts":
        # sum() starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _at(self, level: float) -> list[PairCounts]:
        same = (self.levels == level) | (np.isnan(self.levels) & np.isnan(level))
        return [self.parts[k] for k in np.flatnonzero(same)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripleCounts):
            return NotImplemented
        return np.array_equal(self.levels, other.levels, equal_nan=True) and self.parts == other.parts

    __hash__ = None  # type: ignore[assignment]


def _place(symbol: float, symbols: Floats) -> int:
    """Return where a symbol stands; one behind the end where it does not."""
    same = np.flatnonzero((symbols == symbol) | (np.isnan(symbols) & np.isnan(symbol)))
    return int(same[0]) if same.size else symbols.size


def count_triples(X: Any, Y: Any = None, z: Any = None, *, weights: Any = None) -> TripleCounts:
    """Count how often the symbols of X_i, Y_j and one column z meet, for every i and j.

    Parameters
    ----------
    X, Y : what `count_pairs` takes
        With `Y=None` the pairs of columns of X. An iterator yields `(X_chunk, Y_chunk, z_chunk)` with weights as an
        optional fourth; then the other arguments are None.
    z : array of shape (n_samples,) or (n_samples, 1)
        The third column: any numbers.
    weights : array of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    TripleCounts

    Examples
    --------
    >>> X, Y, z = np.array([[0], [1], [1]]), np.array([[1], [1], [0]]), np.array([0, 0, 1])
    >>> count_triples(X, Y, z).table(0, 0)[0]  # where z = 0: rows x = 0, 1 and columns y = 0, 1
    array([[0, 1],
           [0, 1]])
    """
    return summed(_triples, X, Y, z, weights)


def _triples(X: Any, Y: Any, z: Any, weights: Any) -> TripleCounts:
    a = encode(X)
    b = a if Y is None else encode(Y)
    column = encode(z[:, None] if isinstance(z, np.ndarray) and z.ndim == 1 else z)
    if column.vocabulary.n_columns != 1 or column.n_rows != a.n_rows:
        shape = (column.n_rows, column.vocabulary.n_columns)
        raise ParameterError(
            f"count_triples needs z to be one column of {a.n_rows} rows, but its shape is {shape}. Pass one column."
        )
    row_weights = np.ones(a.n_rows, dtype=np.int64) if weights is None else checked_weights(weights, a.n_rows)
    levels = _levels(column)
    return _occurring(np.array([level for level, _ in levels]), [_part(a, b, row_weights, rows) for _, rows in levels])


def _occurring(levels: Floats, parts: list[PairCounts]) -> TripleCounts:
    """Leave out levels without rows; of no rows at all, the level 0 is kept for the shapes."""
    kept = [k for k, part in enumerate(parts) if part.total > 0] or [int(np.flatnonzero(levels == 0)[0])]
    return TripleCounts(levels[kept], tuple(parts[k] for k in kept))


def _levels(column: Codes) -> list[tuple[float, Bools]]:
    """Return the values of a column in ascending order with the rows that hold them."""
    rows = column.sparse()
    planes = np.full(rows.n_rows, -1, dtype=np.int64)
    planes[np.diff(rows.indptr) > 0] = rows.indices
    symbols = column.vocabulary.symbols(0)
    return [(symbols[k], planes == k - 1) for k in np.argsort(symbols)]


def _part(a: Codes, b: Codes, weights: Array, rows: Bools) -> PairCounts:
    inside = weights * rows
    if inside.dtype == np.int64 and inside.max(initial=0) <= 1:
        left = a.within(inside > 0)
        table = pairs_of_codes(left, left if b is a else b.within(inside > 0))
        return replace(table, total=int(inside.sum())).canonical()
    return pairs_of_codes(a, b, inside).canonical()
