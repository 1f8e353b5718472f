"""Mutual information I(A;B) = H(A) + H(B) - H(A,B) [OCC 44; PACC 24]."""

from typing import Any

import numpy as np

from plait.core.arrays import Array, Floats
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.information.columns import column_logs, joint_content
from plait.information.contents import MANY_CELLS, PairContents, pair_contents
from plait.information.logs import bits_to

__all__ = ["amounts_shared", "mutual_amounts", "mutual_information", "mutual_information_matrix", "pair_of_columns"]

_kernels = lazy_module("plait.information._kernels")


def mutual_information(a: Any, b: Any, *, weights: Any = None, base: Any = 2) -> float:
    """Return how much one variable tells about another.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable. NaN is a symbol of its own.
    weights : array of shape (n_samples,), optional
        How much each row counts; only proportions matter.
    base : float or "e", default=2
        Base of the logarithms: 2 gives bits, "e" nats.

    Returns
    -------
    float
        Between 0 and the smaller entropy of the two.

    Examples
    --------
    >>> mutual_information([0, 0, 1, 1], ["no", "no", "yes", "yes"])
    1.0
    """
    contents = pair_of_columns(a, b, weights)
    return float(amounts_shared(contents, contents.logs.bits * bits_to(base, "mutual_information"))[0, 0])


def mutual_information_matrix(
    X: Any, Y: Any = None, *, weights: Any = None, base: Any = 2, n_jobs: int | None = None
) -> Floats:
    """Return I(X_i;Y_j) for all pairs of columns.

    Parameters
    ----------
    X, Y : matrices of symbols, or PairCounts
        What `plait.counts.count_pairs` takes: dense, CSR, packed, chunks of rows, Dask arrays. Without Y, all pairs
        of columns of X. A `PairCounts` is used as it is.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    base : float or "e", default=2
        Base of the logarithms.
    n_jobs : int, optional
        Threads; the result is the same, bit for bit, for any number.

    Returns
    -------
    ndarray of shape (x columns, y columns)
        Each between 0 and the smaller entropy; on the diagonal of one matrix with itself exactly the entropies. Equal
        to the last bit for dense, sparse, packed and chunked input and under renaming of symbols (float weights: up
        to rounding).

    Examples
    --------
    >>> mutual_information_matrix([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]])
    array([[1.],
           [0.]])
    """
    contents = pair_contents(X, Y, weights, n_jobs)
    return amounts_shared(contents, contents.logs.bits * bits_to(base, "mutual_information_matrix"))


def amounts_shared(contents: PairContents, factor: float) -> Floats:
    """Return I for all pairs in units times a factor; it may take the memory of `contents.joint`, which is lost."""
    return mutual_amounts(contents.joint, contents.x, contents.y, contents.logs.whole, factor)


def mutual_amounts(joint: Array, x: Array, y: Array, whole: Any, factor: float) -> Floats:
    """Return I = H(X) + H(Y) - H(X,Y), moved into [0, min(H(X), H(Y))], times a factor.

    `joint`, which may be lost, `x`, `y` and `whole` are sums of n log2 n. The largest is taken off first, so that with
    floats, too, I(A;A) = H(A) and I(A;constant) = 0 hold to the last bit.
    """
    if not joint.flags.c_contiguous:
        return mutual_amounts(joint.T, y, x, whole, factor).T
    if kernels_pay(joint.size, MANY_CELLS):
        # Both hold eight bytes a cell, and a fresh matrix costs as much as the arithmetic.
        out = joint.view(np.float64)
        _kernels.mutual_amounts(joint, x, y, whole, factor, out)
        return out
    high, low = np.maximum.outer(x, y), np.minimum.outer(x, y)
    return factor * np.maximum(np.minimum((joint - high) + (whole - low), whole - high), 0)


def pair_of_columns(a: Any, b: Any, weights: Any) -> PairContents:
    """Return the sums of n log2 n of two single variables."""
    logs, (a, b), checked = column_logs((a, b), weights)
    x, y, both = (joint_content(parts, checked, logs) for parts in ((a,), (b,), (a, b)))
    symbols = (np.array([np.count_nonzero(np.bincount(part, checked))]) for part in (a, b))
    return PairContents(logs, np.array([x]), np.array([y]), np.array([[both]]), *symbols)
