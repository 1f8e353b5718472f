"""Labels that are not known: NaN, None or NA outside, -1 inside.

Labels that are all known are `uint8`. A matrix in which some are not is `int8`, dense, with -1 for these: its type
alone says that there are unknown labels, and rows of it can be taken as of any other.
"""

from typing import Any

import numpy as np

from plait.core.arrays import Bools, Floats
from plait.core.lazy_modules import lazy_module
from plait.core.sentences import ParameterError

__all__ = [
    "UNKNOWN",
    "given_again",
    "has_unknown",
    "is_gap",
    "known_cells",
    "known_rows_of_column",
    "known_shares",
    "unknown_as_absent",
    "whole_rows",
]

# Reading data needs no scikit-learn, and importing it takes longer than reading most files.
_utils = lazy_module("sklearn.utils")

UNKNOWN = -1


def is_gap(value: Any) -> bool:
    """Say whether a value stands for nothing: None, NaN, or what frames write in their place.

    Examples
    --------
    >>> [is_gap(value) for value in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    # pandas need not be there; its NA is equal to nothing, not even to itself, and does not say so by a bool.
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def has_unknown(Y: Any) -> bool:
    """Say whether a matrix of labels may hold unknown ones.

    Parameters
    ----------
    Y : ndarray or CSR matrix
        Labels as they are inside; an array of int8 holds -1 where a label is unknown.

    Returns
    -------
    bool

    Examples
    --------
    >>> has_unknown(np.array([[1, -1]], dtype=np.int8)), has_unknown(np.array([[1, 0]], dtype=np.uint8))
    (True, False)
    """
    return bool(Y.dtype == np.int8)


def known_cells(Y: Any) -> Bools:
    """Return which cells of a dense matrix are known.

    Parameters
    ----------
    Y : ndarray of uint8 or int8, shape (n_samples, n_labels)
        Labels as they are inside; -1 is unknown.

    Returns
    -------
    ndarray of bool, shape (n_samples, n_labels)

    Examples
    --------
    >>> known_cells(np.array([[1, -1]], dtype=np.int8))
    array([[ True, False]])
    """
    return np.asarray(Y >= 0) if has_unknown(Y) else np.ones(Y.shape, dtype=np.bool_)


def unknown_as_absent(Y: Any) -> Any:
    """Return labels as `uint8`, unknown ones as 0; labels that are all known as they are.

    Parameters
    ----------
    Y : ndarray or CSR matrix
        Labels as they are inside; -1 is unknown.

    Returns
    -------
    ndarray or CSR matrix of uint8

    Examples
    --------
    >>> unknown_as_absent(np.array([[1, -1]], dtype=np.int8))
    array([[1, 0]], dtype=uint8)
    """
    return (Y == 1).view(np.uint8) if has_unknown(Y) else Y


def given_again(Y: Any) -> Any:
    """Return labels in a form that `fit` takes: unknown ones as NaN.

    Parameters
    ----------
    Y : ndarray or CSR matrix
        Labels as they are inside: -1 is unknown.

    Returns
    -------
    ndarray or CSR matrix

    Examples
    --------
    >>> given_again(np.array([[1, -1]], dtype=np.int8))
    array([[ 1., nan]])
    """
    return np.where(Y >= 0, Y, np.nan) if has_unknown(Y) else Y


def known_shares(Y: Any) -> Floats:
    """Return the share of each label's known cells that are 1; 0 where none is known, (n_labels,).

    Parameters
    ----------
    Y : ndarray of uint8 or int8, shape (n_samples, n_labels)
        Labels as they are inside; -1 is unknown.

    Returns
    -------
    ndarray of float64, shape (n_labels,)

    Examples
    --------
    >>> known_shares(np.array([[1, -1], [0, -1]], dtype=np.int8))
    array([0.5, 0. ])
    """
    return np.asarray((Y == 1).sum(axis=0) / np.maximum((Y >= 0).sum(axis=0), 1))


def whole_rows(owner: str, Y: Any) -> Bools:
    """Return which rows know all their labels; an error where none does.

    Parameters
    ----------
    owner : str
        Who asks, for the error.
    Y : ndarray of uint8 or int8, or CSR matrix of uint8, shape (n_samples, n_labels)
        Labels as they are inside; -1 is unknown.

    Returns
    -------
    ndarray of bool, shape (n_samples,)

    Examples
    --------
    >>> whole_rows("score", np.array([[1, -1], [0, 1]], dtype=np.int8))
    array([False,  True])
    """
    if not has_unknown(Y):
        return np.ones(Y.shape[0], dtype=np.bool_)
    whole = known_cells(Y).all(axis=1)
    if not whole.any():
        raise ParameterError(
            f"{owner} needs a row whose labels are all known, but every one holds NaN. Pass such rows, or score by "
            "plait.metrics.hamming_score, which leaves out single labels."
        )
    return np.asarray(whole)


def known_rows_of_column(owner: str, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Return the rows that have a class, for a single column of classes; an error where none has.

    Parameters
    ----------
    owner : str
        Who asks, for the error.
    X : array, sparse matrix or data frame
        Rows.
    y : array of shape (n_samples,)
        Classes; NaN, None or NA where unknown.
    sample_weight : array of shape (n_samples,), optional
        Weights of rows.

    Returns
    -------
    X, y, sample_weight : as given
        Without the rows whose class is unknown; the same objects where there is none.

    Examples
    --------
    >>> known_rows_of_column("score", np.array([[5.0], [6.0]]), [float("nan"), 1.0])[1].tolist()
    [1.0]
    """
    values = np.asarray(y)
    gaps = np.array([is_gap(value) for value in values.ravel().tolist()], dtype=np.bool_)
    if values.dtype.kind not in "fO" or not gaps.any():
        return X, y, sample_weight
    rows = np.flatnonzero(~gaps)
    if not len(rows):
        raise ParameterError(f"{owner} needs y to hold known labels, but all of them are NaN. Pass some.")
    weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
    return _utils._safe_indexing(X, rows), np.array(values.ravel()[rows].tolist()), weights
