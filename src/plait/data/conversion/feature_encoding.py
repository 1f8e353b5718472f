"""Turn attributes that a file declares into number columns: nominal values and identifiers.

What becomes of an attribute:

- numeric: itself, kind "numeric".
- nominal with one or two values: one 0/1 column of kind "binary". Two values that mean no and yes (0/1, -1/1,
  false/true, no/yes, f/t, n/y, off/on, in any case and any order) keep that meaning; else the code is the index in
  the declared order.
- nominal with more values: columns `attribute=value` of kind "binary" (`nominal="onehot"`), or one column of indices
  of kind "nominal" (`nominal="codes"`).
- string, or nominal with a value of its own in every row: dropped with one `DataWarning` that names them all.

A missing value (NaN) stays NaN in each of its columns. A column name that is already taken gets ` (2)`, ` (3)`, ...
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.checks import OneOf, check_value
from plait.core.sentences import shown, warn_user
from plait.data.conversion.attributes import Attribute, AttributeTable, value_codes
from plait.data.errors import DataError, DataWarning

__all__ = [
    "NOMINAL_MODES",
    "encode_columns",
    "encode_features",
    "is_identifier",
    "unique_names",
    "widened",
]

NOMINAL_MODES = ("onehot", "codes")

# What a few bytes of a file declare may not fill the memory: a matrix may have this many cells, or so many for each
# cell that the file holds. Entries of a sparse matrix take more room, most of it on the way.
_MOST_CELLS, _CELLS_FOR_ONE = 1 << 26, 64
_MOST_ENTRIES, _ENTRIES_FOR_ONE = 1 << 22, 16


def is_identifier(n_rows: int, n_distinct: int, n_declared: int) -> bool:
    """Say whether a nominal attribute tells rows apart rather than describing them.

    It does if nearly every row (all but one in a hundred) has a value of its own although chance would not have it so:
    even `n_declared` equally frequent values give n_rows (n_rows - 1) / (2 n_declared) equal pairs of rows (the
    birthday problem). At least seven must be expected, so that a few rows that happen to differ keep their attribute.

    Parameters
    ----------
    n_rows : int
        Rows in which the value is known.
    n_distinct : int
        Different values in them.
    n_declared : int
        Values the attribute may have.

    Examples
    --------
    >>> is_identifier(199, 199, 662), is_identifier(3, 3, 3)
    (True, False)
    """
    pairs_by_chance = n_rows * (n_rows - 1) / (2 * max(n_declared, 1))
    return n_rows - n_distinct <= n_rows // 100 and pairs_by_chance >= 7


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names, each later double with ` (2)`, ` (3)`, ... behind it.

    Examples
    --------
    >>> unique_names(["a", "b", "a", "a (2)"])
    ['a', 'b', 'a (2)', 'a (2) (2)']
    """
    names = list(names)
    if len(set(names)) == len(names):
        return names
    taken: set[str] = set()
    counts: dict[str, int] = {}
    result = []
    for name in names:
        candidate, count = name, counts.get(name, 1)
        while candidate in taken:
            count += 1
            candidate = f"{name} ({count})"
        counts[name] = count
        taken.add(candidate)
        result.append(candidate)
    return result


def encode_features(
    X: Any, attributes: Sequence[Attribute], nominal: str = "onehot", source: str = "data"
) -> tuple[Any, list[str], list[str]]:
    """Return the feature matrix with nominal attributes encoded, the column names and the column kinds.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_attributes)
        Numbers; for a nominal attribute the `value_codes` of its values, NaN where missing; for a string anything.
        What a CSR matrix does not store is 0 for a number and the *first declared value* for a nominal attribute, so a
        stored 0 counts where that value's code is 1.
    attributes : sequence of Attribute
        What each column holds.
    nominal : {"onehot", "codes"}, default="onehot"
        What attributes with more than two values become.
    source : str, default="data"
        Where the values come from, for warnings and errors.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Of the form of the input; the input itself where nothing had to change.
    names, kinds : list of str
        For `Dataset`.

    Examples
    --------
    >>> sky = Attribute("sky", "nominal", ("sun", "rain", "snow"))
    >>> X, names, kinds = encode_features(np.array([[2.0, 0.5], [0.0, 1.5]]), [sky, Attribute("wind")])
    >>> names, kinds
    (['sky=sun', 'sky=rain', 'sky=snow', 'wind'], ['binary', 'binary', 'binary', 'numeric'])
    >>> X
    array([[0. , 0. , 1. , 0.5],
           [1. , 0. , 0. , 1.5]])
    """
    return encode_columns(X, AttributeTable.of(attributes), nominal, source)


def encode_columns(
    X: Any, table: AttributeTable, nominal: str = "onehot", source: str = "data"
) -> tuple[Any, list[str], list[str]]:
    """Do the same as `encode_features` for attributes that come as a table."""
    check_value("encode_features", "nominal", nominal, (OneOf(NOMINAL_MODES),))
    n_values = np.array([len(kind.values) for kind in table.types], dtype=np.int64)
    widths = np.maximum(n_values * ((n_values > 2) & (nominal == "onehot")), 1)[table.which]
    dropped = _identifiers(X, table)
    widths[dropped] = 0
    if dropped:
        some = ", ".join(shown(table.names[j]) for j in dropped[:5]) + (", ..." if len(dropped) > 5 else "")
        warn_user(f"{source}: left out {some}, which only tells rows apart.", DataWarning)
    # Only in a sparse matrix can a value be left out; only one that is not encoded as 0 has to be put in.
    filled = np.array([value_codes(kind.values)[:1] == (1,) for kind in table.types], dtype=bool)[table.which]
    names, kinds = _columns(table, widths)
    return widened(X, widths, filled, source), names, kinds


def _identifiers(X: Any, table: AttributeTable) -> list[int]:
    """Return the columns to drop: strings, and nominal attributes that tell rows apart."""
    n_rows = X.shape[0]
    is_text = np.array([kind.kind == "string" for kind in table.types], dtype=bool)[table.which]
    n_values = np.array([len(kind.values) for kind in table.types], dtype=np.int64)[table.which]
    # Seven expected pairs need at least this many rows; two values cannot tell so many rows apart.
    in_doubt = np.flatnonzero((n_values > 2) & (n_rows * (n_rows - 1) >= 14 * n_values))
    columns = sparse.csc_matrix(X) if len(in_doubt) and sparse.issparse(X) else None
    dropped = np.flatnonzero(is_text).tolist()
    for j in in_doubt.tolist():
        stored = X[:, j] if columns is None else columns.data[columns.indptr[j] : columns.indptr[j + 1]]
        codes = np.concatenate((stored, np.zeros(min(n_rows - len(stored), 1))))
        known = codes[~np.isnan(codes)]
        if is_identifier(n_rows - (len(codes) - len(known)), len(np.unique(known)), int(n_values[j])):
            dropped.append(j)
    return sorted(dropped)


def _columns(table: AttributeTable, widths: npt.NDArray[np.int64]) -> tuple[list[str], list[str]]:
    one = ["numeric" if not kind.values else "nominal" if len(kind.values) > 2 else "binary" for kind in table.types]
    names: list[str] = []
    kinds: list[str] = []
    for name, which, width in zip(table.names, table.which.tolist(), widths.tolist(), strict=True):
        if width == 1:
            names.append(name)
            kinds.append(one[which])
        elif width:
            names += [f"{name}={value}" for value in table.types[which].values]
            kinds += ["binary"] * width
    return unique_names(names), kinds


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
