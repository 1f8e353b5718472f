"""Which trees a mixture has: one after another, each on the rows that the mixture explains worst [MC 5.3]."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.logspace import log_sum_exp
from plait.core.randomness import generator, seeds
from plait.estimators.mixture_em import Mixture, component_log_probs
from plait.structure import LabelGraph

__all__ = ["Growth", "grown_mixture"]

Floats = npt.NDArray[np.float64]

_LEAST_DOUBT = 1e-12
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Growth:
    """What structure learning needs done for it.

    Parameters
    ----------
    build : callable
        (X, Y, weights, seed) -> LabelGraph: one structure from weighted rows.
    begin : callable
        (X, Y, graph, weights) -> Mixture of one component.
    settle : callable
        (mixture, X, Y) -> Mixture after EM.
    """

    build: Callable[[Any, Any, Floats, int], LabelGraph]
    begin: Callable[[Any, Any, LabelGraph, Floats], Mixture]
    settle: Callable[[Mixture, Any, Any], Mixture]


def grown_mixture(
    steps: Growth,
    X: Any,
    Y: npt.NDArray[np.uint8],
    *,
    sample_weight: Floats | None,
    holdout: float,
    max_components: int,
    random_state: Any,
) -> tuple[Mixture, list[float]]:
    """Return the mixture on an internal training part, and the log-likelihood of the rows held out after every tree.

    Trees are added on an internal training part, with weights 1 - P(y | x, mixture), until a tree makes the rows held
    out less likely; that tree is left out again.
    """
    draws = generator(random_state)
    order = draws.permutation(Y.shape[0])
    n_held = min(max(1, round(holdout * len(order))), len(order) - 1) if len(order) > 1 else 0
    held, kept = order[:n_held], order[n_held:]
    rows = np.ones(len(order)) if sample_weight is None else sample_weight
    doubt, mixture, found = rows[kept] / rows[kept].mean(), None, -np.inf
    history: list[float] = []
    for seed in seeds(draws, max_components):
        graph = steps.build(X[kept], Y[kept], doubt, seed)
        tree = steps.begin(X[kept], Y[kept], graph, doubt)
        larger = steps.settle(tree if mixture is None else _joined(mixture, tree), X[kept], Y[kept])
        here = _log_likelihood(larger, X[held], Y[held], rows[held]) if n_held else -np.inf
        if mixture is not None and here < found - _TIE:
            break
        mixture, found = larger, max(here, found) if mixture is not None else here
        history.append(here)
        doubt = rows[kept] * -np.expm1(log_sum_exp(component_log_probs(mixture, X[kept], Y[kept]), axis=1))
        if doubt.sum() < _LEAST_DOUBT or n_held == 0:
            break
        doubt = doubt * (len(doubt) / doubt.sum())
    assert mixture is not None  # max_components is at least one
    return mixture, history


def _joined(mixture: Mixture, tree: Mixture) -> Mixture:
    """Return the mixture with one more tree, all with equal weights [MC algorithm 1]."""
    n = len(mixture.weights) + 1
    return Mixture(np.full(n, 1.0 / n), (*mixture.conditionals, *tree.conditionals))


def _log_likelihood(mixture: Mixture, X: Any, Y: Any, rows: Floats) -> float:
    return float(rows @ log_sum_exp(component_log_probs(mixture, X, Y), axis=1))
