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

    Examples
    --------
    >>> import numpy as np
    >>> from plait import recipes
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), [[0], [0], [1], [1]]
    >>> model = recipes.br(learner="logistic").fit(X, Y)
    >>> wide = FeatureJoint(np.array([2]), model.joint_)  # sees the last of three columns
    >>> likely = wide.condition(np.array([[9.0, 9.0, 3.0]])).log_prob(np.array([[1]], dtype=np.uint8))
    >>> bool(np.exp(likely)[0] == model.joint(X[3:]).marginals()[0, 0])
    True
    """

    columns: npt.NDArray[np.int64]
    joint: Any

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.joint.n_labels)

    def condition(self, X: Any) -> LabelDistribution:
        """Return P(y | x) of every row of X (array or CSR matrix).

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            All features.
        """
        distribution: LabelDistribution = self.joint.condition(X[:, self.columns])
        return distribution
