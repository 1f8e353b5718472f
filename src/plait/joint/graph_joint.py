"""`GraphJoint`: fitted conditionals as one model of P(y | x), waiting for X."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from plait.joint.called_distribution import CalledDistribution
from plait.joint.graph_distribution import GraphDistribution
from plait.joint.linear_distribution import LinearDistribution, ParentEffects, effects_along
from plait.learners import Conditionals

__all__ = ["GraphJoint"]


@dataclass(frozen=True, eq=False)
class GraphJoint:
    """A product of fitted conditionals over their graph.

    Parameters
    ----------
    conditionals : Conditionals
        What a learner handed on.

    Examples
    --------
    >>> import numpy as np
    >>> from plait import recipes
    >>> model = recipes.br().fit([[0.0], [1.0], [2.0], [3.0]] * 5, [[0, 0], [0, 1], [1, 1], [1, 0]] * 5)
    >>> model.joint_.condition(np.array([[1.5]])).log_prob(np.array([[1, 1]])).shape
    (1,)
    """

    conditionals: Conditionals

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.conditionals.n_labels

    def condition(self, X: Any) -> GraphDistribution:
        """Return P(y | x) of every row of X (array or CSR matrix).

        Linear conditionals are turned into `X @ W + b` and the matrix of the parents: 8 bytes a row and label.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        known: Any = self.conditionals
        if not known.linear:
            return CalledDistribution(known, X)
        how = {"probabilistic": known.probabilistic, "effects": self._effects}
        return LinearDistribution(known.graph, known.base_scores(X), known.parent_coef_, **how)

    @cached_property
    def _effects(self) -> ParentEffects:
        """The matrix of the parents along the order, made once for all blocks of rows."""
        linear: Any = self.conditionals
        return effects_along(linear.graph, linear.parent_coef_)

    def __getstate__(self) -> dict[str, Any]:
        return {"conditionals": self.conditionals}
