"""The Friedman test in its F form: do the methods differ at all? [Demsar2006]"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats import rankdata

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError

__all__ = ["Friedman", "friedman_from_ranks", "friedman_test", "score_table"]


@dataclass(frozen=True, eq=False)
class Friedman:
    """Outcome of the Friedman test.

    Parameters
    ----------
    average_ranks : ndarray of shape (n_methods,)
        Mean rank of each method over the data sets; 1 is best.
    n_datasets : int
        Number of data sets.
    chi2 : float
        Friedman's statistic.
    f : float
        Its F form, infinite where all data sets agree perfectly.
    p_value : float
        Probability of an F at least as large if the methods are alike.

    Examples
    --------
    >>> friedman_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4]]).average_ranks.round(2)
    array([1.  , 2.33, 2.67])
    """

    average_ranks: Floats
    n_datasets: int
    chi2: float
    f: float
    p_value: float

    @property
    def degrees_of_freedom(self) -> tuple[int, int]:
        """Return the degrees of freedom of the F distribution."""
        others = len(self.average_ranks) - 1
        return others, others * (self.n_datasets - 1)

    def critical_value(self, alpha: float = 0.05) -> float:
        """Return the value that F must exceed for the methods to differ at level `alpha`.

        Parameters
        ----------
        alpha : float, default=0.05
            How often equal methods may be told apart.
        """
        return float(stats.f.ppf(1 - alpha, *self.degrees_of_freedom))


def friedman_test(scores: Any, *, higher_is_better: bool = True, correct_ties: bool = False) -> Friedman:
    """Test whether methods differ over data sets.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        One number per data set and method.
    higher_is_better : bool, default=True
        Whether large scores are good; False for losses.
    correct_ties : bool, default=False
        Divide chi2 by the share of the ranks' variance that ties leave, as SciPy does. The papers do not.

    Returns
    -------
    Friedman

    Examples
    --------
    >>> found = friedman_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.6, 0.5, 0.4]])
    >>> found.average_ranks.round(2), round(found.f, 2)
    (array([1.  , 2.33, 2.67]), 7.0)
    """
    ranks = method_ranks(score_table("friedman_test", scores), higher_is_better=higher_is_better)
    return _friedman(ranks.mean(axis=0), len(ranks), _untied_share(ranks) if correct_ties else 1.0)


def friedman_from_ranks(average_ranks: Any, n_datasets: int) -> Friedman:
    """Return the test from published average ranks; they must add up to k(k+1)/2 but for their rounding.

    Parameters
    ----------
    average_ranks : array-like of shape (n_methods,)
        As printed.
    n_datasets : int
        Over how many data sets.

    Returns
    -------
    Friedman

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> round(friedman_from_ranks([1.12, 4.52, 3.40, 2.20, 3.76], 25).f, 3)  # [SCLS table 5]
    62.406
    """
    means = np.asarray(average_ranks, dtype=np.float64)
    k = len(means)
    if means.ndim != 1 or k < 2 or n_datasets < 2 or not abs(means.sum() - k * (k + 1) / 2) <= 0.01 * k:
        must = "a list of at least 2 average ranks that add up to k(k+1)/2, over at least 2 data sets"
        raise ParameterError(f"friedman_from_ranks needs {must}, but they add up to {means.sum():g} over {n_datasets}.")
    return _friedman(means, int(n_datasets), 1.0)


def _friedman(means: Floats, n: int, untied_share: float) -> Friedman:
    k = len(means)
    # chi2 = 12 N / (k (k + 1)) sum_j (R_j - (k + 1) / 2)^2: the printed form without its cancellation.
    chi2 = float(12 * n / (k * (k + 1)) * ((means - (k + 1) / 2) ** 2).sum())
    chi2 = chi2 / untied_share if untied_share > 0 else 0.0
    room = n * (k - 1) - chi2
    # Perfect agreement leaves nothing to compare with, up to the rounding of mean ranks.
    f = float("inf") if room <= 1e-9 * n * (k - 1) else (n - 1) * chi2 / room
    p_value = 0.0 if np.isinf(f) else float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return Friedman(means, n, chi2, f, p_value)


def _untied_share(ranks: Floats) -> float:
    n, k = ranks.shape
    lost = sum(int((t**3 - t).sum()) for t in (np.unique(row, return_counts=True)[1] for row in ranks))
    return 1 - lost / (n * k * (k * k - 1))


def score_table(owner: str, scores: Any, min_datasets: int = 2, min_methods: int = 2) -> Floats:
    """Return scores as a float array of shape (n_datasets, n_methods), or say what is wrong with them."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ParameterError(f"{owner} needs scores of shape (n_datasets, n_methods), but they have {table.ndim} axes.")
    n_datasets, n_methods = table.shape
    if n_datasets < min_datasets or n_methods < min_methods:
        least = f"at least {min_datasets} data sets and {min_methods} methods"
        raise ParameterError(f"{owner} needs {least}, but there are {n_datasets} and {n_methods}. Add some.")
    empty = np.argwhere(np.isnan(table))
    if len(empty):
        row, column = empty[0]
        where = f"that of data set {row} and method {column} is missing"
        raise ParameterError(f"{owner} needs every score, but {where}. Leave out that data set or that method.")
    return table


def method_ranks(scores: Any, *, higher_is_better: bool = True) -> Floats:
    """Return the rank of every method on every data set: 1 is best, equal scores share the mean rank.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        One number per data set and method.
    higher_is_better : bool, default=True
        Whether large scores are good; False for losses.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> method_ranks([[0.9, 0.8, 0.8]])
    array([[1. , 2.5, 2.5]])
    """
    table = score_table("method_ranks", scores, min_datasets=1, min_methods=1)
    ranks: Floats = rankdata(-table if higher_is_better else table, axis=1)
    return ranks
