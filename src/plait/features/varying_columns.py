"""The columns that hold more than one symbol: only they can say anything."""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Ints
from plait.counts import Codes, PackedCodes, SparseCodes, Vocabulary

__all__ = ["varying"]


def varying(codes: Codes) -> tuple[Codes, Ints]:
    """Return the columns with an entropy above 0, and where they stand.

    Examples
    --------
    >>> from plait.counts import encode
    >>> kept, columns = varying(encode([[0, 5, 1], [0, 5, 2]]))
    >>> columns, kept.vocabulary.n_columns
    (array([2]), 1)
    """
    vocabulary = codes.vocabulary
    columns = np.flatnonzero(_n_symbols(codes) > 1)
    if columns.size == vocabulary.n_columns:
        return codes, columns
    keep = np.zeros(vocabulary.n_columns, dtype=np.bool_)
    keep[columns] = True
    planes = keep[vocabulary.plane_columns]
    ends = np.concatenate(([0], np.cumsum(np.diff(vocabulary.offsets)[columns])))
    left = Vocabulary(ends, vocabulary.values[planes])
    if isinstance(codes, PackedCodes):
        return PackedCodes(left, codes.n_rows, codes.words[planes]), columns
    return _renumbered(codes, left, planes), columns


def _n_symbols(codes: Codes) -> Ints:
    """Return how many symbols occur in each column, 0 included."""
    owner, totals = codes.vocabulary.plane_columns, codes.totals
    n_columns = codes.vocabulary.n_columns
    non_zero = np.bincount(owner, weights=totals, minlength=n_columns)
    return np.bincount(owner[totals > 0], minlength=n_columns) + (non_zero < codes.n_rows)


def _renumbered(codes: SparseCodes, vocabulary: Vocabulary, planes: npt.NDArray[np.bool_]) -> SparseCodes:
    numbers = (np.cumsum(planes) - 1).astype(np.uint32)
    if codes.totals[~planes].any():  # columns that hold one and the same symbol, not 0, in every row
        kept = planes[codes.indices]
        indptr = np.concatenate(([0], np.cumsum(kept)))[codes.indptr]
        return SparseCodes(vocabulary, indptr, numbers[codes.indices[kept]])
    return SparseCodes(vocabulary, codes.indptr, numbers[codes.indices])
