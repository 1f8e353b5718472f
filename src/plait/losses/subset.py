"""`Subset`: whether the label set is wrong anywhere."""

from typing import ClassVar

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.inference import LabelSupport
from plait.losses.overlap import Overlap, OverlapLoss

__all__ = ["Subset"]


class Subset(OverlapLoss):
    """0 where the whole label set is right, else 1 [PCC 3]. Least risk: the joint mode [PCC 4].

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> Subset().value([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0., 1.])
    """

    wanted: ClassVar[str] = "mode"

    def of_overlap(self, overlap: Overlap) -> Floats:
        """Return 1 where one of the sets has a label that is not common."""
        both, true, predicted, _ = overlap
        return ((both != true) | (both != predicted)).astype(np.float64)

    def decide(self, support: LabelSupport) -> Labels:
        """Return the vector with the largest weight of every row."""
        return support.mode()
