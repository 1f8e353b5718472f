"""`Jaccard`: one minus the labels in both sets divided by the labels in either."""

import numpy as np

from plait.core.arrays import Floats
from plait.losses.overlap import Overlap, OverlapLoss

__all__ = ["Jaccard"]


class Jaccard(OverlapLoss):
    """`1 - |y and h| / |y or h|`, and 0 where both sets are empty [PACC 22].

    No closed form of the least risk is known. With up to 12 labels all label sets are tried, so the decision is the
    best one; with more it is the best of the candidates that `Loss.decide` names.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> Jaccard().value([[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]])
    array([0.5, 0. ])
    """

    def of_overlap(self, overlap: Overlap) -> Floats:
        """Return one minus the share of common labels."""
        both, true, predicted, _ = overlap
        either = true + predicted - both
        return np.asarray(1.0 - np.divide(both, either, out=np.ones_like(both), where=either > 0))
