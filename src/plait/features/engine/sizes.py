"""How many features a selector is asked for: an integer, a share of the features, or the square root of the rows."""

import math
from typing import Any

from plait.core.checks import Constraint, Interval, OneOf

__all__ = ["SIZE_RULES", "n_wanted"]

SIZE_RULES: tuple[Constraint, ...] = (
    Interval(int, 1, None),
    Interval(float, 0, 1, closed="right"),
    OneOf(("sqrt",)),
)


def n_wanted(n_features: Any, n_samples: int, n_columns: int) -> int:
    """Return how many of `n_columns` features to choose.

    Parameters
    ----------
    n_features : int, float or "sqrt"
        A number; a share of the columns in (0, 1], rounded down but at least one; or the square root of the number of
        rows, rounded up [SCLS, section 4.1]. An integer is a number even when it is 1.
    n_samples, n_columns : int
        Rows and columns of the training data.

    Examples
    --------
    >>> n_wanted(5, 100, 50), n_wanted(0.29, 100, 100), n_wanted("sqrt", 101, 50), n_wanted(80, 100, 50)
    (5, 29, 11, 50)
    """
    if isinstance(n_features, str):
        wanted = math.isqrt(max(n_samples - 1, 0)) + 1
    elif isinstance(n_features, float):
        # 0.29 * 100 is 28.999999999999996: the share that was meant is the one within rounding above.
        wanted = max(1, math.floor(n_features * n_columns * (1 + 1e-12)))
    else:
        wanted = int(n_features)
    return min(wanted, n_columns)
