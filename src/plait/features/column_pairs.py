"""What one column shares with every other: one pass over the rows in which it is not 0."""

from functools import cached_property

import numpy as np

from plait.core.arrays import Ints
from plait.counts import Codes
from plait.features._scalable_kernels import add_pair_symbol, add_pairs_binary, contents_to_shared
from plait.features.log_table import every_count
from plait.features.plane_counts import counts_within, plane_of, same_form
from plait.information import logs_of
from plait.information.contents import column_contents

__all__ = ["ColumnPairs"]


class ColumnPairs:
    """I(f;s) of all columns f with one column s, in whole units, so that equal columns have equal numbers.

    Parameters
    ----------
    codes : SparseCodes or PackedCodes
        The columns.

    Attributes
    ----------
    entropies : ndarray of int64, shape (n_columns,)
        H(f) in units.
    bits : float
        What a unit is worth.

    Examples
    --------
    >>> from plait.counts import encode
    >>> pairs = ColumnPairs(encode([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]))
    >>> (pairs.shared_with(0) * pairs.bits).tolist()
    [1.0, 0.0, 1.0]
    """

    def __init__(self, codes: Codes):
        self._codes: Codes = same_form(codes)
        self._table, self.bits = every_count(codes.n_rows)
        self._contents = column_contents(codes.vocabulary, codes.totals, codes.n_rows, logs_of(codes.n_rows))

    @cached_property
    def entropies(self) -> Ints:
        """H(f) in units."""
        return self._table[self._codes.n_rows] - self._contents

    def shared_with(self, column: int) -> Ints:
        """Return I(f;s) in units for the column s and every column f."""
        shared = self._joint_contents(column)
        contents_to_shared(shared, self._contents, self._contents[column], self._table[self._codes.n_rows])
        return shared

    def _joint_contents(self, column: int) -> Ints:
        codes, vocabulary = self._codes, self._codes.vocabulary
        first, last = vocabulary.offsets[column : column + 2].tolist()
        contents = np.zeros(vocabulary.n_columns, dtype=np.int64)
        if vocabulary.one_plane_each:
            joint = counts_within(plane_of(codes, first), codes)
            add_pairs_binary(joint, codes.totals[first], codes.totals, codes.n_rows, self._table, contents)
            return contents
        left, zeros = codes.totals.copy(), codes.n_rows
        for p in range(first, last):
            size = int(codes.totals[p])
            inside = counts_within(plane_of(codes, p), codes)
            add_pair_symbol(inside, vocabulary.offsets, size, self._table, left, contents)
            zeros -= size
        add_pair_symbol(left, vocabulary.offsets, zeros, self._table, left, contents)
        return contents
