"""Mean and standard deviation as cuts: three or five bins around the mean [OCC 7.1; PACC 7.1]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.counts.discretizers.base import NOMINAL_RULE, ColumnDiscretizer
from plait.counts.discretizers.profile import ColumnProfile

__all__ = ["MeanStdDiscretizer"]


class MeanStdDiscretizer(ColumnDiscretizer):
    """Bins at the mean plus and minus `c` standard deviations.

    Dense codes are -1 below, 0 around the mean and +1 above; with five bins -2 and +2 lie beyond twice the distance.
    Columns with two distinct values and nominal columns keep their values; NaN is a symbol of its own.

    Parameters
    ----------
    c : float, default=1.0
        Distance of the cuts from the mean, in sample standard deviations (`ddof=1`).
    n_bins : {3, 5}, default=3
        Number of bins; five have further cuts at twice the distance.
    decimals : int, optional
        Round the cuts to so many decimals.
    closed : {"both", "left"}, default="both"
        Whether the bin around the mean holds values at both of its cuts, or at the lower one only.
    nominal : sequence of bool, int or str, optional
        Columns that keep their values: a mask, their numbers, or their names in a data frame.

    Attributes
    ----------
    cuts_ : list of ndarray
        Cut points of each column; a value at a cut belongs above it.
    zero_codes_ : ndarray of int, shape (n_features,)
        Code of the value 0, which is taken off all codes of sparse input.
    n_symbols_ : ndarray of int, shape (n_features,)
        How many symbols occur in each column of the training rows.

    Notes
    -----
    The program that its authors released with OCC differs from the paper: it has `c=0.5`, `decimals=3` and
    `closed="left"`. That is an option, not the default.

    Examples
    --------
    >>> MeanStdDiscretizer().fit_transform([[0.0], [1.0], [0.0], [1.0], [10.0]]).ravel()
    array([0, 0, 0, 0, 1], dtype=int8)
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "c": (Interval(float, 0.0, None, closed="neither"),),
        "n_bins": (OneOf((3, 5)),),
        "decimals": (Interval(int, 0, None), Nothing()),
        "closed": (OneOf(("both", "left")),),
        "nominal": NOMINAL_RULE,
    }

    def __init__(
        self,
        c: float = 1.0,
        *,
        n_bins: int = 3,
        decimals: int | None = None,
        closed: str = "both",
        nominal: Any = None,
    ) -> None:
        self.c = c
        self.n_bins = n_bins
        self.decimals = decimals
        self.closed = closed
        self.nominal = nominal

    def _find_cuts(self, X: Any, y: Any, profile: ColumnProfile, numeric: Ints) -> tuple[Ints, Floats, Ints]:
        mean, deviation = profile.moments(X)
        half = self.n_bins // 2
        cuts = []
        for step in (*range(-half, 0), *range(1, half + 1)):
            cut = mean + step * self.c * deviation
            if self.decimals is not None:
                cut = np.round(cut, self.decimals)
            # A constant column lies between its cuts, whatever rounding does to its mean.
            cut = np.where(profile.n_distinct == 1, profile.first, cut)
            above = step > 0 and self.closed == "both"
            cuts.append(
                np.where(above | ((profile.n_distinct == 1) & (step > 0)), np.nextafter(cut, np.inf), cut)[numeric]
            )
        shift = np.full(mean.size, half)
        return np.tile(numeric, len(cuts)), np.concatenate(cuts), shift
