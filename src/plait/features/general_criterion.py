"""The general criterion [OCC 42-43]: relevance, label correlation and redundancy, each with its weight.

I(X_m;Y_j) + beta_j sum_{k in Pa_j} I(Y_j;Y_k|X_m) + gamma sum_{n in S} I(Y_j;X_n|X_m)
"""

from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Floats

__all__ = ["GeneralCriterion"]


@dataclass(frozen=True)
class GeneralCriterion:
    """The weights of the terms, and the options of the released program.

    Parameters
    ----------
    beta : float, optional
        Weight of the term of each parent; 1 / (number of parents) by default.
    gamma : float, optional
        Weight of the term of each chosen feature; 1 / (number of chosen features) by default.
    marginal : bool, default=False
        Whether the last term is -I(X_m;X_n) instead of I(Y_j;X_n|X_m), as in mRMR [OCC, table 1].
    first_by_relevance : bool, default=False
        Whether the first feature is the most relevant one.
    max_candidates : int, optional
        How many of the most relevant features are candidates.
    """

    beta: float | None = None
    gamma: float | None = None
    marginal: bool = False
    first_by_relevance: bool = False
    max_candidates: int | None = None

    def beta_of(self, n_parents: int) -> float:
        """Return beta_j, which is 0 without parents."""
        if n_parents == 0:
            return 0.0
        return 1.0 / n_parents if self.beta is None else float(self.beta)

    def gammas(self, n_steps: int) -> Floats:
        """Return gamma when 0, 1, 2, ... features are chosen; 0 while there is none."""
        n_chosen = np.arange(n_steps)
        weights = 1.0 / np.maximum(n_chosen, 1) if self.gamma is None else np.full(n_steps, float(self.gamma))
        return np.where(n_chosen == 0, 0.0, weights)

    def shares(self, n_steps: int) -> Floats:
        """Return gamma times the number of chosen features, exactly 1 where gamma is 1 / that number."""
        n_chosen = np.arange(n_steps)
        return np.asarray(np.minimum(n_chosen, 1.0) if self.gamma is None else float(self.gamma) * n_chosen)
