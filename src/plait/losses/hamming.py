"""`Hamming`: the share of wrong labels."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.inference import LabelSupport
from plait.losses.loss import checked_pair
from plait.losses.overlap import Overlap, OverlapLoss

__all__ = ["Hamming"]


class Hamming(OverlapLoss):
    """Share of wrong labels [PCC 5]. Least risk: keep each label whose marginal exceeds one half [PCC 6].

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> Hamming().value([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0. , 0.5])
    """

    wanted: ClassVar[str] = "marginals"

    def of_overlap(self, overlap: Overlap) -> Floats:
        """Return the share of labels that are in one of the sets only."""
        both, true, predicted, n_labels = overlap
        return (true + predicted - 2.0 * both) / n_labels

    def expected(self, support: LabelSupport, Y_pred: Any) -> Floats:
        """Return the expected loss of every row's answer, from the marginals."""
        marginals, answers = checked_pair("Hamming", support.marginal_estimate(), Y_pred)
        return np.asarray(np.where(answers == 1, 1.0 - marginals, marginals).mean(axis=1))

    def decide(self, support: LabelSupport) -> Labels:
        """Return the labels whose marginals exceed one half."""
        return (support.marginal_estimate() > 0.5).astype(np.uint8)
