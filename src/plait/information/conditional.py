"""Conditional mutual information I(A;B|C) = H(A,C) + H(B,C) - H(A,B,C) - H(C) [OCC 10; SCLS 11]."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.counts import PairCounts
from plait.information._kernels import mutual_amounts
from plait.information.columns import column_logs, joint_content
from plait.information.levels import level_contents
from plait.information.units import bits_to

__all__ = ["conditional_mutual_information", "conditional_mutual_information_matrix"]


def conditional_mutual_information(a: Any, b: Any, c: Any, *, weights: Any = None, base: Any = 2) -> float:
    """Return how much one variable tells about another when a third is known.

    Parameters
    ----------
    a, b, c : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable. NaN is a symbol of its own.
    weights : array of shape (n_samples,), optional
        How much each row counts; only proportions matter.
    base : float or "e", default=2
        Base of the logarithms.

    Returns
    -------
    float
        Between 0 and the smaller of H(A|C) and H(B|C).

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> conditional_mutual_information(a, b, a ^ b)
    1.0
    """
    logs, (a, b, c), checked = column_logs((a, b, c), weights)
    z, x, y, all_three = (joint_content(parts, checked, logs) for parts in ((c,), (a, c), (b, c), (a, b, c)))
    out = np.empty((1, 1))
    factor = logs.bits * bits_to(base, "conditional_mutual_information")
    mutual_amounts(np.array([[all_three]]), np.array([x]), np.array([y]), z, factor, out)
    return float(out[0, 0])


def conditional_mutual_information_matrix(
    X: Any, Y: Any = None, Z: Any = None, *, weights: Any = None, base: Any = 2, pairs: PairCounts | None = None
) -> npt.NDArray[np.float64]:
    """Return I(X_i;Y_j|Z) for all pairs of columns and one variable Z.

    Parameters
    ----------
    X, Y : matrices of symbols, or TripleCounts
        What `plait.counts.count_triples` takes; a `TripleCounts` is used as it is. With `Y=None` all pairs of columns
        of X.
    Z : array of shape (n_samples,) or (n_samples, k)
        The known variable, of any kind of symbol; several columns are taken as one joint variable.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    base : float or "e", default=2
        Base of the logarithms.
    pairs : PairCounts, optional
        `count_pairs(X, Y)`, where it is known already: with a rare Z only few rows are then counted.

    Returns
    -------
    ndarray of shape (x columns, y columns)

    Examples
    --------
    >>> Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> conditional_mutual_information_matrix(Y, None, Y[:, 0] ^ Y[:, 1])
    array([[1., 1.],
           [1., 1.]])
    """
    contents = level_contents(X, Y, Z, weights, pairs)
    out = np.empty(contents.joint.shape)
    factor = contents.logs.bits * bits_to(base, "conditional_mutual_information_matrix")
    mutual_amounts(np.ascontiguousarray(contents.joint), contents.x, contents.y, contents.z, factor, out)
    return out
