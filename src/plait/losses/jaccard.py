"""`Jaccard`: one minus the labels in both sets divided by the labels in either."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.losses.loss import Loss, checked_pair, set_sizes

__all__ = ["Jaccard"]


class Jaccard(Loss):
    """`1 - |y and h| / |y or h|`, and 0 where both sets are empty [PACC 22].

    No closed form of the least risk is known. With up to 12 labels all label sets are tried, so the decision is the
    best one; with more it is the best of the candidates that `Loss.decide` names.

    Examples
    --------
    >>> Jaccard().value([[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]])
    array([0.5, 0. ])
    """

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row."""
        true, answers = checked_pair("Jaccard", Y, Y_pred)
        both = set_sizes((true == 1) & (answers == 1))
        return _one_minus_share(both, set_sizes(true == 1) + set_sizes(answers == 1) - both)

    def pairwise(self, Y: npt.NDArray[np.uint8], Y_pred: Any) -> Floats:
        """Return the loss of every true vector under every answer, with one product for the common labels."""
        both = (Y.astype(np.float32) @ np.asarray(Y_pred, dtype=np.float32).T).astype(np.float64)
        return _one_minus_share(both, set_sizes(Y)[:, None] + set_sizes(Y_pred) - both)


def _one_minus_share(both: Floats, either: Floats) -> Floats:
    return np.asarray(1.0 - np.divide(both, either, out=np.ones_like(both), where=either > 0))
