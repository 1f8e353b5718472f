"""The merit of a set of features: good ones go with the target and not with each other [Hall1999]."""

from typing import Any

import numpy as np

__all__ = ["subset_merit"]


def subset_merit(to_target: Any, among: Any, n_members: int) -> Any:
    """Return n rcf / sqrt(n + n (n - 1) rff), with mean correlations to the target and between members.

    Parameters
    ----------
    to_target : float or ndarray
        Sum of the correlations of the members with the target, n rcf.
    among : float or ndarray
        Sum of the correlations over unordered pairs of members, n (n - 1) / 2 rff. PACC 21 prints a factor that
        doubles the mean; Hall's is used.
    n_members : int
        Number of members; none have merit 0.

    Examples
    --------
    A copy of the only member changes nothing.

    >>> float(subset_merit(0.6, 0.0, 1)), float(subset_merit(0.6 + 0.6, 1.0, 2))
    (0.6, 0.6)
    """
    return to_target / np.sqrt(n_members + 2.0 * among) if n_members else 0.0 * to_target
