"""`Subset`: whether the label set is wrong anywhere."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.inference import LabelSupport
from plait.losses.loss import Loss, checked_pair

__all__ = ["Subset"]


class Subset(Loss):
    """0 where the whole label set is right, else 1 [PCC 3]. Least risk: the joint mode [PCC 4].

    Examples
    --------
    >>> Subset().value([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0., 1.])
    """

    wanted: ClassVar[str] = "mode"

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row."""
        true, answers = checked_pair("Subset", Y, Y_pred)
        return (true != answers).any(axis=1).astype(np.float64)

    def decide(self, support: LabelSupport) -> npt.NDArray[np.uint8]:
        """Return the vector with the largest weight of every row."""
        return support.mode()
