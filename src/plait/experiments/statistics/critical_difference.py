"""How far apart average ranks must be: Nemenyi for all pairs, Bonferroni-Dunn against one control [Demsar2006]."""

from typing import Any

import numpy as np
from scipy import stats

from plait.core.checks import Interval, OneOf, check_value

__all__ = ["POST_HOC_TESTS", "rank_difference", "rank_quantile", "undecided_groups"]

POST_HOC_TESTS = ("nemenyi", "bonferroni-dunn")


def rank_quantile(n_methods: int, alpha: float = 0.05, test: str = "nemenyi") -> float:
    """Return q_alpha, by which the standard error of a rank is multiplied.

    Parameters
    ----------
    n_methods : int
        Number of methods k, the control among them.
    alpha : float, default=0.05
        Level of the test.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        All pairs (the studentised range over sqrt 2), or all against one (the normal at alpha / (2 (k - 1))).

    Returns
    -------
    float

    Examples
    --------
    >>> round(rank_quantile(5), 3), round(rank_quantile(5, test="bonferroni-dunn"), 3)
    (2.728, 2.498)
    """
    check_value("rank_quantile", "n_methods", n_methods, [Interval(int, 2, None)])
    check_value("rank_quantile", "alpha", alpha, [Interval(float, 0, 1, "neither")])
    check_value("rank_quantile", "test", test, [OneOf(POST_HOC_TESTS)])
    if test == "nemenyi":
        return float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2))
    return float(stats.norm.isf(alpha / (2 * (n_methods - 1))))


def rank_difference(n_methods: int, n_datasets: int, alpha: float = 0.05, test: str = "nemenyi") -> float:
    """Return CD = q_alpha sqrt(k (k + 1) / (6 N)): average ranks further apart differ at level `alpha`.

    Parameters
    ----------
    n_methods, n_datasets : int
        How many are compared, and on how many data sets.
    alpha : float, default=0.05
        Level of the test.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        All pairs, or all against one.

    Returns
    -------
    float

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> round(rank_difference(7, 13), 2)  # [OCC section 8.7]
    2.5
    """
    check_value("rank_difference", "n_datasets", n_datasets, [Interval(int, 1, None)])
    q = rank_quantile(n_methods, alpha, test)
    return q * float(np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def undecided_groups(average_ranks: Any, difference: float) -> tuple[tuple[int, ...], ...]:
    """Return the maximal groups of methods whose extreme ranks differ by less than the critical difference.

    Parameters
    ----------
    average_ranks : array-like of shape (n_methods,)
        Mean ranks.
    difference : float
        The critical difference.

    Returns
    -------
    groups : tuple of tuples of int
        Methods of each group from the best, groups from the best; a method alone makes no group.

    Examples
    --------
    >>> undecided_groups([3.0, 1.0, 2.0, 5.0], 1.5)
    ((1, 2), (2, 0))
    """
    means = np.asarray(average_ranks, dtype=np.float64)
    order = np.argsort(means, kind="stable")
    groups: list[tuple[int, ...]] = []
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and means[order[end]] - means[order[start]] < difference:
            end += 1
        if end - start > 1 and end > last_end:
            groups.append(tuple(int(m) for m in order[start:end]))
            last_end = end
    return tuple(groups)
