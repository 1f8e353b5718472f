"""`Hamming`: the share of wrong labels."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.inference import LabelSupport
from plait.losses.loss import Loss, checked_pair

__all__ = ["Hamming"]


class Hamming(Loss):
    """Share of wrong labels [PCC 5]. Least risk: keep each label whose marginal exceeds one half [PCC 6].

    Examples
    --------
    >>> Hamming().value([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0. , 0.5])
    """

    wanted: ClassVar[str] = "marginals"

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row."""
        true, answers = checked_pair("Hamming", Y, Y_pred)
        return np.asarray((true != answers).mean(axis=1))

    def expected(self, support: LabelSupport, Y_pred: Any) -> Floats:
        """Return the expected loss of every row's answer, from the marginals."""
        marginals, answers = checked_pair("Hamming", support.marginal_estimate(), Y_pred)
        return np.asarray(np.where(answers == 1, 1.0 - marginals, marginals).mean(axis=1))

    def decide(self, support: LabelSupport) -> npt.NDArray[np.uint8]:
        """Return the labels whose marginals exceed one half."""
        return (support.marginal_estimate() > 0.5).astype(np.uint8)
