"""The front doors of counting: arrays, memory maps, chunks of rows and Dask arrays, all to the same table."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import ParameterError
from plait.counts._kernels import add_plane_weights
from plait.counts.codes import Codes, SparseCodes
from plait.counts.encoding import encode
from plait.counts.pairs import PairCounts
from plait.counts.product import joint_counts, joint_weights
from plait.counts.streams import summed
from plait.counts.vocabulary import Vocabulary
from plait.counts.weighting import checked_weights

__all__ = ["count_columns", "count_pairs", "pairs_of_codes"]


def count_pairs(X: Any, Y: Any = None, *, weights: Any = None) -> PairCounts:
    """Count how often the symbols of each column of X meet those of each column of Y.

    Parameters
    ----------
    X : array, sparse matrix, memory map, Dask array, Codes, or iterator of row chunks
        Discrete values, shape (n_samples, n_columns). An iterator yields `(X_chunk,)`, `(X_chunk, Y_chunk)` or
        `(X_chunk, Y_chunk, weights_chunk)`; then `Y` and `weights` stay None. Only one chunk is held at a time.
    Y : the same kinds, optional
        The other columns, for the same rows; by default the columns of X itself.
    weights : array of shape (n_samples,), optional
        How much each row counts. Whole numbers give integer tables, others give float tables.

    Returns
    -------
    PairCounts
        The same table, bit for bit, whichever way the rows came in (float weights: up to rounding).

    Examples
    --------
    >>> X, Y = np.array([[0, 1], [1, 1], [1, 0]]), np.array([[1], [1], [0]])
    >>> count_pairs(X, Y).joint
    array([[1],
           [2]])
    >>> count_pairs(iter([(X[:1], Y[:1]), (X[1:], Y[1:])])) == count_pairs(X, Y)
    True
    """
    return summed(_pairs, X, Y, weights)


def count_columns(X: Any, *, weights: Any = None) -> PairCounts:
    """Count how often each symbol of each column occurs: `PairCounts` with no columns on the right.

    Takes what `count_pairs` takes; chunks are `(X_chunk,)` or `(X_chunk, weights_chunk)`.

    Examples
    --------
    >>> count_columns([[0, 1], [1, 2], [1, 1]]).x_counts
    array([2, 2, 1])
    """
    return summed(_columns, X, weights)


def _pairs(X: Any, Y: Any, weights: Any) -> PairCounts:
    a = encode(X)
    return pairs_of_codes(a, a if Y is None else encode(Y), weights)


def _columns(X: Any, weights: Any) -> PairCounts:
    a = encode(X)
    nothing = SparseCodes(Vocabulary.binary(0), np.zeros(a.n_rows + 1, dtype=np.int64), np.zeros(0, dtype=np.uint32))
    return pairs_of_codes(a, nothing, weights)


def pairs_of_codes(a: Codes, b: Codes, weights: Any = None) -> PairCounts:
    """Return the tables of two encoded matrices with the same rows."""
    if a.n_rows != b.n_rows:
        raise ParameterError(
            f"plait needs X and Y to have the same number of rows, but X has {a.n_rows} and Y has {b.n_rows}. "
            "Pass rows of the same objects."
        )
    if weights is None:
        joint = joint_counts(a, b).astype(np.int64, copy=False)
        return PairCounts(a.n_rows, a.vocabulary, b.vocabulary, a.totals, b.totals, joint)
    return _weighted(a, b, checked_weights(weights, a.n_rows))


def _weighted(a: Codes, b: Codes, weights: npt.NDArray[Any]) -> PairCounts:
    joint = joint_weights(a, b, weights)
    table = PairCounts(
        weights.sum().item(), a.vocabulary, b.vocabulary, _totals(a, weights), _totals(b, weights), joint
    )
    # Rows of weight 0 may have been the only ones with some symbol.
    return table if weights.all() else table.canonical()


def _totals(codes: Codes, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    totals = np.zeros(codes.vocabulary.n_planes, dtype=weights.dtype)
    rows = codes.sparse()
    add_plane_weights(rows.indptr, rows.indices, weights, totals)
    return totals
