"""Put columns of codes into their final columns: dropped, kept, or widened to one indicator a value."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.data.errors import DataError

__all__ = ["widened"]

# What a few bytes of a file declare may not fill the memory: a matrix may have this many cells, or so many for each
# cell that the file holds. Entries of a sparse matrix take more room, most of it on the way.
_MOST_CELLS, _CELLS_FOR_ONE = 1 << 26, 64
_MOST_ENTRIES, _ENTRIES_FOR_ONE = 1 << 22, 16


def _check(made: int, most: int, what: str, source: str) -> None:
    if made > most:
        raise DataError.at(
            source, None, f"at most {most} {what}", f"{made}", 'Read it with nominal="codes", or declare fewer values.'
        )


def widened(X: Any, widths: npt.NDArray[np.int64], filled: npt.NDArray[np.bool_], source: str) -> Any:
    """Return the matrix with each column dropped (width 0), kept (1) or turned into indicators of its codes (more).

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_attributes)
        Numbers and codes; NaN where missing.
    widths : ndarray of shape (n_attributes,)
        Columns that each attribute becomes.
    filled : ndarray of shape (n_attributes,)
        Whether what a CSR matrix does not store means 1 in a kept column. In a widened one it means code 0 always.
    source : str
        Where the values come from, for the error.
    """
    if sparse.issparse(X):
        return _sparse(X, widths, filled & (widths > 0), source)
    if (widths == 1).all():
        return X
    _check(
        X.shape[0] * int(widths.sum()), max(_MOST_CELLS, _CELLS_FOR_ONE * X.size), "cells in indicator columns", source
    )
    return _dense(X, widths)


def _dense(X: npt.NDArray[np.float64], widths: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    result = np.zeros((X.shape[0], int(widths.sum())))
    first = np.cumsum(widths) - widths
    kept = np.flatnonzero(widths == 1)
    result[:, first[kept]] = X[:, kept]
    for j in np.flatnonzero(widths > 1).tolist():
        missing = np.isnan(X[:, j])
        known = np.flatnonzero(~missing)
        result[known, first[j] + X[known, j].astype(np.int64)] = 1.0
        result[missing, first[j] : first[j] + widths[j]] = np.nan
    return result


def _sparse(X: Any, widths: npt.NDArray[np.int64], filled: npt.NDArray[np.bool_], source: str) -> Any:
    if (widths == 1).all() and not filled.any():
        return X
    X = X.tocsr()
    first = np.cumsum(widths) - widths
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    columns, values = X.indices, X.data
    to_fill = np.flatnonzero(filled | (widths > 1))
    repeats = np.where(np.isnan(values), widths[columns], np.minimum(widths[columns], 1))
    made = X.shape[0] * len(to_fill) + int(repeats.sum())
    most = max(_MOST_ENTRIES, _ENTRIES_FOR_ONE * (X.nnz + X.shape[0]))
    _check(made, most, "entries that are left out but not 0", source)
    filled_rows, filled_columns = _left_out(X, to_fill)

    # A missing value of a widened attribute is missing in all its columns, a known one is in one of them.
    which = np.repeat(np.arange(len(values)), repeats)
    within = np.arange(len(which)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    coded = (widths[columns[which]] > 1) & ~np.isnan(values[which])
    within = np.where(coded, np.where(coded, values[which], 0).astype(np.int64), within)
    entries = np.where(coded, 1.0, values[which])
    result = sparse.csr_matrix(
        (
            np.concatenate((entries, np.ones(len(filled_rows)))),
            (
                np.concatenate((rows[which], filled_rows)),
                np.concatenate((first[columns[which]] + within, first[filled_columns])),
            ),
        ),
        shape=(X.shape[0], int(widths.sum())),
    )
    result.eliminate_zeros()
    return result


def _left_out(X: Any, columns: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return row and column of every entry of some columns that is not stored."""
    by_column = X.tocsc()
    parts = []
    for j in columns.tolist():
        absent = np.ones(X.shape[0], dtype=bool)
        absent[by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]]] = False
        parts.append(np.flatnonzero(absent))
    lengths = [len(part) for part in parts]
    rows = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    return rows, np.repeat(columns, lengths)
