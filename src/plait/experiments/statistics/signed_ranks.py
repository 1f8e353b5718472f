"""Wilcoxon's signed-rank test with both zero rules and exact probabilities, ties or not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from plait.core.arrays import Floats
from plait.core.checks import OneOf, check_value
from plait.core.sentences import ParameterError

__all__ = ["SignedRanks", "wilcoxon_test"]

_MOST_EXACT = 200


@dataclass(frozen=True)
class SignedRanks:
    """Outcome of Wilcoxon's test on paired scores.

    Parameters
    ----------
    r_plus, r_minus : float
        Sum of the ranks of positive and of negative differences (first minus second).
    n_ranked : int
        Number of ranked differences.
    p_value : float
        Two-sided probability.
    exact : bool
        Whether the probability comes from all assignments of signs, not from the normal approximation.

    Examples
    --------
    >>> wilcoxon_test([0.5, 0.6, 0.9], [0.4, 0.3, 0.7]).r_plus
    6.0
    """

    r_plus: float
    r_minus: float
    n_ranked: int
    p_value: float
    exact: bool


def wilcoxon_test(first: Any, second: Any = None, *, zeros: str = "zsplit") -> SignedRanks:
    """Test whether paired scores differ.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        Scores of two methods on the same data sets; without `second`, `first` holds the differences.
    zeros : {"zsplit", "drop"}, default="zsplit"
        What becomes of equal scores: half of their ranks to each side [SCLS table 6], or left out before ranking
        [PACC table 7].

    Returns
    -------
    SignedRanks

    Notes
    -----
    The probability is that of the signs of the non-zero differences, all equally likely, given the ranks: exact up to
    200 of them, with ties too. Beyond, SciPy's normal approximation.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> wilcoxon_test([0.8, 0.7, 0.9, 0.6], [0.7, 0.65, 0.7, 0.6], zeros="drop").p_value
    0.25
    """
    check_value("wilcoxon_test", "zeros", zeros, [OneOf(("zsplit", "drop"))])
    d = _differences(first, second)
    if zeros == "drop":
        d = d[d != 0]
    ranks = stats.rankdata(abs(d))
    split = ranks[d == 0].sum() / 2
    r_plus, r_minus = float(ranks[d > 0].sum() + split), float(ranks[d < 0].sum() + split)
    moved = ranks[d != 0]
    if len(moved) > _MOST_EXACT:
        p_value = float(stats.wilcoxon(d, zero_method="zsplit", correction=False, method="approx").pvalue)
        return SignedRanks(r_plus, r_minus, len(d), p_value, False)
    return SignedRanks(r_plus, r_minus, len(d), _exact_p(moved, min(r_plus, r_minus) - split), True)


def _differences(first: Any, second: Any) -> Floats:
    a = np.asarray(first, dtype=np.float64)
    b = np.zeros_like(a) if second is None else np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) == 0 or np.isnan(a).any() or np.isnan(b).any():
        must = "two equally long lists of scores without gaps"
        raise ParameterError(f"wilcoxon_test needs {must}, but their shapes are {a.shape} and {b.shape}. Pair them.")
    scale = max(float(abs(a).max()), float(abs(b).max())) or 1.0
    # Scores are printed or averaged decimals: 0.3 - 0.2 and 0.2 - 0.1 must tie, and -0.0 is 0.
    return np.round((a - b) / scale, 12) + 0.0


def _exact_p(ranks: Floats, smaller: float) -> float:
    """Return P(R+ <= smaller or R+ >= total - smaller), counting over all signs by dynamic programming."""
    doubled = np.round(2 * ranks).astype(np.int64)
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled:
        shares[rank:] = (shares[rank:] + shares[:-rank]) / 2
        shares[:rank] /= 2
    return float(min(1.0, 2 * shares[: round(2 * smaller) + 1].sum()))
