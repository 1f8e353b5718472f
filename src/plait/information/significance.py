"""The G-test: is a mutual information more than chance? [PACC 14]

Under independence G = 2 N I(A;B), in nats, follows the chi-square distribution with (|A| - 1)(|B| - 1) degrees of
freedom, |A| and |B| the numbers of symbols that occur.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from plait.core.arrays import Ints
from plait.core.checks import Interval, check_value
from plait.information.contents import PairContents, pair_contents
from plait.information.dependence import amounts_shared, pair_of_columns
from plait.information.logs import bits_to

__all__ = ["GTest", "g_test", "g_test_matrix"]


@dataclass(frozen=True, eq=False)
class GTest:
    """What a G-test finds, for one pair of variables (numbers) or for all pairs of columns (matrices).

    Parameters
    ----------
    statistic : float or ndarray
        2 N I(A;B) in nats.
    dof : int or ndarray
        Degrees of freedom; 0 where a variable is constant.
    pvalue : float or ndarray
        Probability of so large a statistic under independence; 1 where a variable is constant.

    Examples
    --------
    >>> from plait.information import g_test
    >>> found = g_test([0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 0])
    >>> round(float(found.statistic), 3), int(found.dof), round(float(found.pvalue), 3)
    (3.819, 1, 0.051)
    """

    statistic: Any
    dof: Any
    pvalue: Any

    def significant(self, alpha: float = 0.05) -> Any:
        """Say whether the statistic reaches the chi-square quantile at 1 - alpha; never for a constant variable.

        Parameters
        ----------
        alpha : float, default=0.05
            How often an independent pair may be called dependent.
        """
        check_value("GTest", "alpha", alpha, (Interval(float, 0.0, 1.0, closed="neither"),))
        limit = chi2.isf(alpha, np.maximum(self.dof, 1))
        return ((self.statistic >= limit) & (np.asarray(self.dof) > 0))[()]


def g_test(a: Any, b: Any, *, weights: Any = None) -> GTest:
    """Test whether two variables are independent.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,) or (n_samples, k)
        Discrete values of any kind; several columns are taken as one joint variable.
    weights : array of shape (n_samples,), optional
        How many observations each row stands for.

    Returns
    -------
    GTest

    Examples
    --------
    >>> test = g_test([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])
    >>> round(test.statistic, 4), test.dof, bool(test.significant())
    (8.3178, 1, True)
    """
    test = _tests(pair_of_columns(a, b, weights))
    return GTest(float(test.statistic[0, 0]), int(test.dof[0, 0]), float(test.pvalue[0, 0]))


def g_test_matrix(X: Any, Y: Any = None, *, weights: Any = None, n_jobs: int | None = None) -> GTest:
    """Test all pairs of columns; takes what `mutual_information_matrix` takes.

    Parameters
    ----------
    X, Y : what `count_pairs` takes, or PairCounts as X
        Columns of symbols; all pairs of columns of X where Y is None.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    GTest

    Examples
    --------
    >>> g_test_matrix([[0, 5], [0, 5], [1, 5]]).dof
    array([[1, 0],
           [0, 0]])
    """
    return _tests(pair_contents(X, Y, weights, n_jobs))


def _tests(contents: PairContents) -> GTest:
    factor = 2.0 * contents.logs.total * contents.logs.bits * bits_to("e", "g_test")
    statistic = amounts_shared(contents, factor)
    dof: Ints = np.multiply.outer(np.maximum(contents.x_symbols - 1, 0), np.maximum(contents.y_symbols - 1, 0))
    pvalue = np.where(dof > 0, chi2.sf(statistic, np.maximum(dof, 1)), 1.0)
    return GTest(statistic, dof, pvalue)
