"""Conditional mutual information I(A;B|C) = H(A,C) + H(B,C) - H(A,B,C) - H(C) [OCC 10; SCLS 11]."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.sentences import ParameterError
from plait.counts import Codes, PairCounts, TripleCounts, count_triples, encode, is_streamed, joint_counts
from plait.information.columns import column_logs, joint_content, numbered
from plait.information.contents import column_contents, table_contents
from plait.information.dependence import mutual_amounts
from plait.information.logs import Logs, bits_to, logs_of

__all__ = ["conditional_mutual_information", "conditional_mutual_information_matrix", "level_contents"]


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
    factor = logs.bits * bits_to(base, "conditional_mutual_information")
    return float(mutual_amounts(np.array([[all_three]]), np.array([x]), np.array([y]), z, factor)[0, 0])


def conditional_mutual_information_matrix(
    X: Any, Y: Any = None, Z: Any = None, *, weights: Any = None, base: Any = 2, pairs: PairCounts | None = None
) -> Floats:
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
    factor = contents.logs.bits * bits_to(base, "conditional_mutual_information_matrix")
    return mutual_amounts(contents.joint, contents.x, contents.y, contents.z, factor)


@dataclass(frozen=True, eq=False)
class LevelContents:
    """Sums of n log2 n, in the units of `logs`.

    Parameters
    ----------
    logs : CountLogs or WeightLogs
        What a unit is worth.
    z : int or float
        Over the levels of the third variable.
    x, y : ndarray of shape (n_columns,)
        Over the cells of each column with the third variable.
    joint : ndarray of shape (x columns, y columns)
        Over the three-way cells of each pair.
    """

    logs: Logs
    z: Any
    x: Array
    y: Array
    joint: Array


def level_contents(X: Any, Y: Any, Z: Any, weights: Any = None, pairs: PairCounts | None = None) -> LevelContents:
    """Return the sums for all pairs of a column of X and one of Y (of X, when Y is None), split by Z.

    `pairs`, the pair tables of all rows, saves counting them where they are known.
    """
    if isinstance(X, TripleCounts):
        return _of_triples(X)
    if is_streamed(X):
        return _of_triples(count_triples(X, Y, Z, weights=weights))
    z = numbered(Z)
    if weights is not None:
        return _of_triples(count_triples(X, Y, z, weights=weights))
    a = encode(X)
    b = a if Y is None else encode(Y)
    if not a.n_rows == b.n_rows == z.size:
        raise ParameterError(
            f"plait.information needs variables with the same rows, but they have {(a.n_rows, b.n_rows, z.size)}. "
            "Pass rows of the same objects."
        )
    return _of_codes(a, b, z, joint_counts(a, b) if pairs is None else pairs.joint)


def _of_triples(triples: TripleCounts) -> LevelContents:
    logs = logs_of(triples.total)
    sums = [_sums(part, logs) for part in triples.parts]
    z = logs.of([part.total for part in triples.parts]).sum()
    return LevelContents(logs, z, *(sum(parts[1:], parts[0]) for parts in zip(*sums, strict=True)))


def _sums(part: PairCounts, logs: Logs) -> tuple[Array, Array, Array]:
    return (
        column_contents(part.x, part.x_counts, part.total, logs),
        column_contents(part.y, part.y_counts, part.total, logs),
        table_contents(part.x, part.x_counts, part.y, part.y_counts, part.joint, part.total, logs),
    )


def _of_codes(a: Codes, b: Codes, z: Ints, joint: Array) -> LevelContents:
    logs = logs_of(a.n_rows)
    sizes = np.bincount(z, minlength=1)
    # The most frequent level is what remains of all rows when the others are taken off.
    rest = PairCounts(a.n_rows, a.vocabulary, b.vocabulary, a.totals, b.totals, joint)
    parts = []
    for level in np.flatnonzero(np.arange(sizes.size) != sizes.argmax()):
        part = _within(a, b, z == level, int(sizes[level]))
        parts.append(_sums(part, logs))
        rest = _difference(rest, part)
    parts.append(_sums(rest, logs))
    return LevelContents(logs, logs.of(sizes).sum(), *(sum(p[1:], p[0]) for p in zip(*parts, strict=True)))


def _within(a: Codes, b: Codes, rows: Bools, size: int) -> PairCounts:
    left = a.within(rows)
    right = left if b is a else b.within(rows)
    return PairCounts(size, a.vocabulary, b.vocabulary, left.totals, right.totals, joint_counts(left, right))


def _difference(whole: PairCounts, part: PairCounts) -> PairCounts:
    return PairCounts(
        whole.total - part.total,
        whole.x,
        whole.y,
        whole.x_counts - part.x_counts,
        whole.y_counts - part.y_counts,
        whole.joint - part.joint,
    )
