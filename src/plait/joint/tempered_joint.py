"""`TemperedJoint`: a fitted joint that is as sure as it ought to be."""

from dataclasses import dataclass
from typing import Any

from plait.joint.distribution import LabelDistribution

__all__ = ["TemperedJoint"]


@dataclass(frozen=True, eq=False)
class TemperedJoint:
    """A joint whose conditionals have their log-odds divided by a temperature.

    The log-odds are divided, not log P(y | x): the product stays a distribution, and every inference serves it.

    Parameters
    ----------
    joint : object with `condition(X)` and `n_labels`
        The fitted joint.
    temperature : float
        Above 1 makes it less sure.

    Examples
    --------
    >>> import numpy as np
    >>> from plait import recipes
    >>> model = recipes.br().fit([[0.0], [1.0], [2.0], [3.0]] * 5, [[0, 0], [0, 1], [1, 1], [1, 0]] * 5)
    >>> milder = TemperedJoint(model.joint_, temperature=1e6)
    >>> np.exp(milder.condition(np.array([[3.0]])).log_prob(np.array([[1, 1]]))).round(3)
    array([0.25])
    """

    joint: Any
    temperature: float

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.joint.n_labels)

    def condition(self, X: Any) -> LabelDistribution:
        """Return P(y | x) of every row of X (array or CSR matrix).

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        distribution: LabelDistribution = self.joint.condition(X).tempered(1.0 / self.temperature)
        return distribution
