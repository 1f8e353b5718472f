"""Interaction information of a set of variables, I(V) = - sum over non-empty U of (-1)^|U| H(U) [SCLS 5-9]."""

from itertools import combinations
from typing import Any

from plait.core.arrays import Floats
from plait.counts import PairCounts, TripleCounts, count_triples, is_streamed
from plait.information.columns import column_logs, joint_content
from plait.information.conditional import level_contents
from plait.information.contents import pair_contents
from plait.information.logs import bits_to

__all__ = ["interaction_information", "interaction_information_matrix"]


def interaction_information(*columns: Any, weights: Any = None, base: Any = 2) -> float:
    """Return what all variables of a set share, beyond what smaller sets of them share.

    Parameters
    ----------
    *columns : array-like of shape (n_samples,) or (n_samples, k)
        At least one variable. One gives its entropy, two their mutual information, three
        I(A;B) - I(A;B|C), which may be negative.
    weights : array of shape (n_samples,), optional
        How much each row counts; only proportions matter.
    base : float or "e", default=2
        Base of the logarithms.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> interaction_information(a, b, a ^ b)
    -1.0
    """
    logs, parts, checked = column_logs(columns, weights)
    # H(U) = (whole - content(U)) / N, and the signs of all non-empty U sum to -1.
    amount = logs.whole
    for size in range(1, len(parts) + 1):
        sign = -1 if size % 2 else 1
        amount += sign * sum(joint_content(some, checked, logs) for some in combinations(parts, size))
    if len(parts) < 3:
        amount = max(amount, 0)
    return float(amount * (logs.bits * bits_to(base, "interaction_information")))


def interaction_information_matrix(
    X: Any, Y: Any = None, Z: Any = None, *, weights: Any = None, base: Any = 2, pairs: PairCounts | None = None
) -> Floats:
    """Return I(X_i,Y_j,Z) = I(X_i;Y_j) - I(X_i;Y_j|Z) for all pairs of columns and one variable Z.

    Takes what `conditional_mutual_information_matrix` takes.

    Parameters
    ----------
    X, Y : what `count_pairs` takes
        Columns of symbols; all pairs of columns of X where Y is None.
    Z : array of shape (n_samples,)
        The third variable.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    base : float or "e", default=2
        Of logarithms: 2 gives bits.
    pairs : PairCounts, optional
        The counts of X and Y, where they are known already.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> interaction_information_matrix(Y, None, Y[:, 0] ^ Y[:, 1])
    array([[ 0., -1.],
           [-1.,  0.]])
    """
    if is_streamed(X):
        X = count_triples(X, Y, Z, weights=weights)
    split = level_contents(X, Y, Z, weights, pairs)
    if isinstance(X, TripleCounts):
        X = X.pairs
    whole = pair_contents(X, Y, weights) if pairs is None else pair_contents(pairs)
    shared = (whole.joint - whole.x[:, None] - whole.y[None, :]) + whole.logs.whole
    known = (split.joint - split.x[:, None] - split.y[None, :]) + split.z
    amounts: Floats = (shared - known) * (split.logs.bits * bits_to(base, "interaction_information_matrix"))
    return amounts
