"""Paired t-tests over the same folds, counted as win, tie and loss [MC section 6.3]."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from plait.core.sentences import ParameterError

__all__ = ["PairedT", "paired_t_test", "wins_ties_losses"]


@dataclass(frozen=True)
class PairedT:
    """Outcome of one paired t-test.

    Parameters
    ----------
    outcome : {"win", "tie", "loss"}
        From the side of the first method.
    mean_difference : float
        First minus second.
    t : float
        The statistic; infinite where all differences are equal and not 0.
    p_value : float
        Two-sided probability.

    Examples
    --------
    >>> PairedT("win", 0.1, 3.5, 0.02).outcome
    'win'
    """

    outcome: str
    mean_difference: float
    t: float
    p_value: float


def paired_t_test(first: Any, second: Any, *, higher_is_better: bool = True, alpha: float = 0.05) -> PairedT:
    """Compare two methods by their scores on the same folds.

    Parameters
    ----------
    first, second : array-like of shape (n_folds,)
        Scores on the same folds.
    higher_is_better : bool, default=True
        Whether large scores are good; False for losses.
    alpha : float, default=0.05
        Level of the two-sided test.

    Returns
    -------
    PairedT

    Examples
    --------
    >>> paired_t_test([0.8, 0.82, 0.81], [0.7, 0.71, 0.72]).outcome
    'win'
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2 or np.isnan(a).any() or np.isnan(b).any():
        must = "two equally long lists of at least 2 scores without gaps"
        raise ParameterError(f"paired_t_test needs {must}, but their shapes are {a.shape} and {b.shape}. Pair them.")
    d = a - b
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    # Equal differences have no variance but that of rounding: the sign decides.
    if spread <= 1e-12 * max(1.0, float(abs(a).max()), float(abs(b).max())):
        alike = abs(mean) <= 1e-12 * max(1.0, float(abs(a).max()))
        t, p_value = (0.0, 1.0) if alike else (float(np.copysign(np.inf, mean)), 0.0)
    else:
        t = mean / (spread / float(np.sqrt(len(d))))
        p_value = float(2 * stats.t.sf(abs(t), len(d) - 1))
    return PairedT(_outcome(mean, p_value, higher_is_better, alpha), mean, t, p_value)


def _outcome(mean: float, p_value: float, higher_is_better: bool, alpha: float) -> str:
    if p_value >= alpha or mean == 0:
        return "tie"
    return "win" if (mean > 0) == higher_is_better else "loss"


def wins_ties_losses(
    folds: Any, control: int = 0, *, higher_is_better: bool = True, alpha: float = 0.05
) -> dict[int, tuple[int, int, int]]:
    """Count over data sets how often the control wins, ties and loses against each other method.

    Parameters
    ----------
    folds : array-like of shape (n_datasets, n_methods, n_folds)
        Scores; a data set where either method has a NaN is left out of that pair's count.
    control : int, default=0
        The method from whose side is counted.
    higher_is_better : bool, default=True
        Whether large scores are good; False for losses.
    alpha : float, default=0.05
        Level of each test.

    Returns
    -------
    counts : dict of int to (wins, ties, losses)
        For every other method.

    Examples
    --------
    >>> wins_ties_losses([[[0.8, 0.82, 0.81], [0.7, 0.71, 0.72]], [[0.5, 0.6, 0.7], [0.6, 0.5, 0.7]]])
    {1: (1, 1, 0)}
    """
    scores = np.asarray(folds, dtype=np.float64)
    if scores.ndim != 3 or not 0 <= control < scores.shape[1]:
        must = "scores of shape (n_datasets, n_methods, n_folds) with the control among the methods"
        raise ParameterError(f"wins_ties_losses needs {must}, but their shape is {scores.shape}.")
    counts = {}
    for other in (m for m in range(scores.shape[1]) if m != control):
        pairs = [(row[control], row[other]) for row in scores if not np.isnan(row[[control, other]]).any()]
        outcomes = [paired_t_test(a, b, higher_is_better=higher_is_better, alpha=alpha).outcome for a, b in pairs]
        counts[other] = (outcomes.count("win"), outcomes.count("tie"), outcomes.count("loss"))
    return counts
