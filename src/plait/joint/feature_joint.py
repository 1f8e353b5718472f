"""`FeatureJoint`: a fitted joint that sees some columns of X only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.joint.distribution import LabelDistribution

__all__ = ["FeatureJoint"]


@dataclass(frozen=True, eq=False)
class FeatureJoint:
    """A joint fitted on a subset of the features, taking all of them.

    Parameters
    ----------
    columns : ndarray of int64
        The features it sees.
    joint : object with `condition(X)` and `n_labels`
        The fitted joint.
    """

    columns: npt.NDArray[np.int64]
    joint: Any

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.joint.n_labels)

    def condition(self, X: Any) -> LabelDistribution:
        """Return P(y | x) of every row of X (array or CSR matrix)."""
        distribution: LabelDistribution = self.joint.condition(X[:, self.columns])
        return distribution
