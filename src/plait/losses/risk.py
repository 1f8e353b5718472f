"""`LeastRisk`: the first of many answers whose risk is the least, seen in blocks."""

import numpy as np

from plait.core.arrays import Floats

__all__ = ["TIE", "LeastRisk"]


# Risks that differ by no more than this are equal but for rounding; then the first answer stands.
TIE = 1e-13


class LeastRisk:
    """For every row the place of the least risk so far.

    Parameters
    ----------
    n_rows : int
        Number of rows.

    Attributes
    ----------
    risk : ndarray of float64, shape (n_rows,)
        The least risk.
    place : ndarray of int64, shape (n_rows,)
        The first place where it was seen.

    Examples
    --------
    >>> best = LeastRisk(1)
    >>> best.see(np.array([[0.5, 0.25, 0.25]]), 0)
    >>> best.see(np.array([[0.25, 0.75]]), 3)
    >>> best.place
    array([1])
    """

    def __init__(self, n_rows: int) -> None:
        self.risk = np.full(n_rows, np.inf)
        self.place = np.zeros(n_rows, dtype=np.int64)

    def see(self, risks: Floats, start: int) -> None:
        """Take the risks (n_rows, n_answers) of the answers from place `start` on."""
        least = risks.min(axis=1)
        better = least < self.risk - TIE
        first = (risks <= least[:, None] + TIE).argmax(axis=1)
        self.risk[better] = least[better]
        self.place[better] = start + first[better]
