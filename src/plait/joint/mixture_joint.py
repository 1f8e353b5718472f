"""`MixtureJoint`: fitted models of P(y | x), mixed by weights, waiting for X."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.joint.feature_joint import FeatureJoint
from plait.joint.graph_joint import GraphJoint
from plait.joint.mixture_distribution import MixtureDistribution

__all__ = ["MixtureJoint"]


@dataclass(frozen=True, eq=False)
class MixtureJoint:
    """A mixture of fitted joints over the same labels.

    Parameters
    ----------
    weights : ndarray of float64, shape (n_components,)
        Weights of the mixture; they sum to one.
    joints : tuple of GraphJoint or FeatureJoint
        What is mixed.

    Examples
    --------
    >>> from plait import recipes
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]] * 9, [[0, 0], [0, 1], [1, 1], [1, 0]] * 9
    >>> model = recipes.epcc(n_estimators=2, random_state=0).fit(X, Y)
    >>> type(model.joint_).__name__, model.joint_.weights
    ('MixtureJoint', array([0.5, 0.5]))
    """

    weights: npt.NDArray[np.float64]
    joints: tuple[GraphJoint | FeatureJoint, ...]

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.joints[0].n_labels

    def condition(self, X: Any) -> MixtureDistribution:
        """Return P(y | x) of every row of X (array or CSR matrix).

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        return MixtureDistribution(np.log(self.weights), [joint.condition(X) for joint in self.joints])
