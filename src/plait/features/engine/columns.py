"""Columns: features as numbers, and those among codes that vary."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import min_max_axis

from plait.core.arrays import Bools, Floats, Ints
from plait.core.sentences import ParameterError
from plait.counts import Codes, PackedCodes, SparseCodes, Vocabulary

__all__ = ["as_numbers", "column_bounds", "varying"]


def as_numbers(owner: str, X: Any) -> Any:
    """Return X as `float64`, dense or CSR without stored zeros.

    Parameters
    ----------
    owner : str
        Whose X it is, for the error.
    X : array or CSR matrix
        Checked numbers; codes hold symbols, whose values mean nothing, and are refused.
    """
    if isinstance(X, SparseCodes | PackedCodes):
        raise ParameterError(
            f"{owner} needs X to hold numbers, but it is {type(X).__name__}. Pass the features before they are encoded."
        )
    if not sparse.issparse(X):
        return np.asarray(X, dtype=np.float64)
    numbers = X.tocsr().astype(np.float64, copy=True)
    numbers.sum_duplicates()
    numbers.eliminate_zeros()
    return numbers


def column_bounds(X: Any) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of each column."""
    low, high = min_max_axis(X, axis=0) if sparse.issparse(X) else (X.min(axis=0), X.max(axis=0))
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)


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


def _renumbered(codes: SparseCodes, vocabulary: Vocabulary, planes: Bools) -> SparseCodes:
    numbers = (np.cumsum(planes) - 1).astype(np.uint32)
    if codes.totals[~planes].any():  # columns that hold one and the same symbol, not 0, in every row
        kept = planes[codes.indices]
        indptr = np.concatenate(([0], np.cumsum(kept)))[codes.indptr]
        return SparseCodes(vocabulary, indptr, numbers[codes.indices[kept]])
    return SparseCodes(vocabulary, codes.indptr, numbers[codes.indices])
