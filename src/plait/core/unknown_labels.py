"""Labels that are not known: NaN, None or NA outside, -1 inside.

Labels that are all known are `uint8`. A matrix in which some are not is `int8`, dense, with -1 for these: its type
alone says that there are unknown labels, and rows of it can be taken as of any other.
"""

from typing import Any

import numpy as np

from plait.core.arrays import Bools, Floats

__all__ = ["UNKNOWN", "given_again", "has_unknown", "is_gap", "known_cells", "known_shares", "unknown_as_absent"]

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
