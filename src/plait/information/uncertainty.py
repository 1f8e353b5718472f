"""Entropy H(A) = - sum p(a) log p(a), of one variable, of several together, and of every column of a matrix."""

from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.counts import PairCounts, count_columns
from plait.information.columns import column_logs, joint_content
from plait.information.contents import column_contents
from plait.information.logs import bits_to, logs_of

__all__ = ["conditional_entropy", "entropies", "entropy"]


def entropy(*columns: Any, weights: Any = None, base: Any = 2) -> float:
    """Return how uncertain a variable is, or several variables together.

    Parameters
    ----------
    *columns : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; NaN is a symbol of its own. Several give their joint entropy.
    weights : array of shape (n_samples,), optional
        How much each row counts; only proportions matter.
    base : float or "e", default=2
        Base of the logarithms: 2 gives bits, "e" nats.

    Returns
    -------
    float

    Examples
    --------
    >>> entropy([0, 1, 0, 1]), entropy([0, 1, 0, 1], ["a", "a", "b", "b"])
    (1.0, 2.0)
    """
    logs, parts, checked = column_logs(columns, weights)
    amount = logs.whole - joint_content(parts, checked, logs)
    return float(max(amount, 0) * (logs.bits * bits_to(base, "entropy")))


def conditional_entropy(a: Any, b: Any, *, weights: Any = None, base: Any = 2) -> float:
    """Return H(A|B) = H(A,B) - H(B): how uncertain a remains when b is known.

    Parameters
    ----------
    a, b : array of shape (n_samples,)
        The uncertain variable, and the known one; or tables, whose columns count together.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    base : float or "e", default=2
        Of logarithms: 2 gives bits.

    Returns
    -------
    float

    Examples
    --------
    >>> conditional_entropy([0, 1, 2, 3], [0, 0, 1, 1])
    1.0
    """
    logs, parts, checked = column_logs((a, b), weights)
    amount = joint_content(parts[1:], checked, logs) - joint_content(parts, checked, logs)
    return float(max(amount, 0) * (logs.bits * bits_to(base, "conditional_entropy")))


def entropies(X: Any, *, weights: Any = None, base: Any = 2) -> Floats:
    """Return the entropy of every column of a matrix.

    Parameters
    ----------
    X : matrix of symbols, or PairCounts
        What `plait.counts.count_columns` takes; of a `PairCounts` the columns on the left.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    base : float or "e", default=2
        Base of the logarithms.

    Returns
    -------
    ndarray of shape (n_columns,)

    Examples
    --------
    >>> entropies([[0, 5], [1, 5], [0, 5], [1, 5]])
    array([1., 0.])
    """
    table = X if isinstance(X, PairCounts) else count_columns(X, weights=weights)
    logs = logs_of(table.total)
    contents = column_contents(table.x, table.x_counts, table.total, logs)
    amounts: Floats = np.maximum(logs.whole - contents, 0) * (logs.bits * bits_to(base, "entropies"))
    return amounts
