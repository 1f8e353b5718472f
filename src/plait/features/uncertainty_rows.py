"""Symmetric uncertainty of one column with all others, made when it is asked for and kept while there is room."""

from collections import OrderedDict
from threading import Lock

from plait.core.arrays import Floats
from plait.counts import Codes
from plait.features.column_pairs import ColumnPairs

__all__ = ["UncertaintyRows"]


# Bytes of rows kept.
_MOST_BYTES = 1 << 28


class UncertaintyRows:
    """SU(f,s) = 2 I(f;s) / (H(f) + H(s)) of all columns f with a column s, equal to the last bit for equal columns.

    Parameters
    ----------
    codes : SparseCodes or PackedCodes
        Columns that each hold more than one symbol.

    Examples
    --------
    >>> from plait.counts import encode
    >>> UncertaintyRows(encode([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])).of(0)
    array([1., 0., 1.])
    """

    def __init__(self, codes: Codes) -> None:
        self._pairs = ColumnPairs(codes)
        self._most = max(_MOST_BYTES // (8 * max(codes.vocabulary.n_columns, 1)), 1)
        self._rows: OrderedDict[int, Floats] = OrderedDict()
        self._lock = Lock()

    def of(self, column: int) -> Floats:
        """Return SU of every column with this one; not to be written to."""
        with self._lock:
            if column in self._rows:
                self._rows.move_to_end(column)
                return self._rows[column]
        entropies = self._pairs.entropies
        row = 2.0 * self._pairs.shared_with(column) / (entropies + entropies[column])
        with self._lock:
            self._rows[column] = row
            if len(self._rows) > self._most:
                self._rows.popitem(last=False)
        return row
