"""Holm's correction [Demsar2006]: probabilities of several tests, raised so that together they keep their level."""

from typing import Any

import numpy as np

from plait.core.arrays import Floats

__all__ = ["holm_correction"]


def holm_correction(p_values: Any) -> Floats:
    """Return the probabilities that Holm's step-down procedure compares with the level.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none becomes smaller than one before it.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        Probabilities of single tests; NaN stands for a test that was not made, and stays.

    Returns
    -------
    corrected : ndarray of shape (n_tests,)
        At most 1; a test is significant where this is below the level.

    Examples
    --------
    >>> holm_correction([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p_values, dtype=np.float64)
    corrected = np.full(given.shape, np.nan)
    made = np.flatnonzero(~np.isnan(given))
    order = made[np.argsort(given[made], kind="stable")]
    raised = given[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(raised)) if len(order) else raised
    return corrected
