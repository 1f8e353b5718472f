"""Bayesian comparison of two methods: how probable it is that one is better, or that they are as good as equal.

Two scores that differ by at most `rope` (the region of practical equivalence) count as equal [Benavoli2017].
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from plait.core.arrays import Floats
from plait.core.checks import Interval, check_value
from plait.core.randomness import generator
from plait.core.sentences import ParameterError

__all__ = ["PracticalComparison", "bayesian_signed_ranks", "correlated_t_posterior"]

_CHUNK = 2**22


@dataclass(frozen=True)
class PracticalComparison:
    """Probabilities that add up to 1, for larger scores being better or worse as the caller sees it.

    Parameters
    ----------
    first_larger : float
        Probability that the first method's score is larger by more than the region of practical equivalence.
    equivalent : float
        Probability that the two are practically equal.
    second_larger : float
        Probability that the second method's score is larger by more than the region.

    Examples
    --------
    >>> PracticalComparison(0.7, 0.2, 0.1).first_larger
    0.7
    """

    first_larger: float
    equivalent: float
    second_larger: float


def bayesian_signed_ranks(
    first: Any,
    second: Any,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    n_samples: int = 20000,
    random_state: Any = 0,
) -> PracticalComparison:
    """Compare two methods over many data sets by the Bayesian signed-rank test [Benavoli2017].

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        Scores of two methods on the same data sets.
    rope : float, default=0.01
        Differences up to this size count as none.
    prior_strength : float, default=0.5
        Weight of the prior's one pseudo-observation, which is a difference of 0.
    n_samples : int, default=20000
        Draws from the posterior.
    random_state : int, RandomState or Generator, default=0
        Seed of the draws.

    Returns
    -------
    PracticalComparison

    References
    ----------
    [Benavoli2017] Benavoli, Corani, Demsar and Zaffalon: Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis, 2017.

    Examples
    --------
    >>> found = bayesian_signed_ranks([0.8, 0.7, 0.9, 0.85, 0.6], [0.7, 0.65, 0.7, 0.7, 0.5])
    >>> found.first_larger > 0.95
    True
    """
    check_value("bayesian_signed_ranks", "n_samples", n_samples, [Interval(int, 1, None)])
    check_value("bayesian_signed_ranks", "prior_strength", prior_strength, [Interval(float, 0, None, "neither")])
    d = np.concatenate([[0.0], _differences("bayesian_signed_ranks", first, second, rope, least=1)])
    pair_means = (d[:, None] + d[None, :]) / 2
    larger, smaller = (pair_means > rope).astype(float), (pair_means < -rope).astype(float)
    concentration = np.r_[prior_strength, np.ones(len(d) - 1)]
    rng, wins, left = generator(random_state), np.zeros(3), n_samples
    while left:
        size = min(left, max(1, _CHUNK // len(d)))
        wins += _shares_of_largest(rng.dirichlet(concentration, size), larger, smaller)
        left -= size
    return PracticalComparison(*(wins / n_samples).tolist())


def _shares_of_largest(weights: Floats, larger: Floats, smaller: Floats) -> Floats:
    """Count draws in which each of the three events has most posterior mass; equal masses share the draw."""
    above = ((weights @ larger) * weights).sum(axis=1)
    below = ((weights @ smaller) * weights).sum(axis=1)
    masses = np.stack([above, 1 - above - below, below], axis=1)
    # Masses that are equal but for rounding (a symmetric sample) share the draw.
    most: npt.NDArray[np.bool_] = masses >= masses.max(axis=1, keepdims=True) - 1e-12
    shares: Floats = (most / most.sum(axis=1, keepdims=True)).sum(axis=0)
    return shares


def correlated_t_posterior(
    first: Any, second: Any, *, rope: float = 0.01, test_share: float | None = None
) -> PracticalComparison:
    """Compare two methods on one data set by the correlated Bayesian t-test over its folds [Benavoli2017].

    Parameters
    ----------
    first, second : array-like of shape (n_folds,)
        Scores on the same folds.
    rope : float, default=0.01
        Differences up to this size count as none.
    test_share : float, optional
        Share of the rows in a test part, which is the correlation of two folds' differences; by default
        1 / n_folds, as in one cross-validation.

    Returns
    -------
    PracticalComparison

    References
    ----------
    [Benavoli2017] Benavoli, Corani, Demsar and Zaffalon: Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis, 2017.

    Examples
    --------
    >>> found = correlated_t_posterior([0.8, 0.82, 0.81], [0.7, 0.71, 0.72], test_share=1 / 3)
    >>> found.first_larger > 0.95
    True
    """
    d = _differences("correlated_t_posterior", first, second, rope, least=2)
    share = 1 / len(d) if test_share is None else test_share
    check_value("correlated_t_posterior", "test_share", share, [Interval(float, 0, 1, "left")])
    scale = float(d.std(ddof=1) * np.sqrt(1 / len(d) + share / (1 - share)))
    mean = float(d.mean())
    if scale <= 1e-12 * max(1.0, abs(mean)):
        certain = (mean > rope, abs(mean) <= rope, mean < -rope)
        return PracticalComparison(*(float(event) for event in certain))
    above = float(stats.t.sf(rope, len(d) - 1, mean, scale))
    below = float(stats.t.cdf(-rope, len(d) - 1, mean, scale))
    return PracticalComparison(above, max(0.0, 1 - above - below), below)


def _differences(owner: str, first: Any, second: Any, rope: float, least: int) -> Floats:
    check_value(owner, "rope", rope, [Interval(float, 0, None)])
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) < least or np.isnan(a).any() or np.isnan(b).any():
        must = f"two equally long lists of at least {least} scores without gaps"
        raise ParameterError(f"{owner} needs {must}, but their shapes are {a.shape} and {b.shape}. Pair them.")
    return a - b
