"""Which trees a mixture has: one after another, each on the rows that the mixture explains worst [MC 5.3]."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.logspace import log_sum_exp
from plait.core.randomness import generator, seeds
from plait.estimators.kept_strengths import keeping_strengths
from plait.estimators.mixture_em import Mixture, Steps, component_log_probs
from plait.learners import Conditionals, Learner, LinearConditionals
from plait.structure import LabelGraph

__all__ = ["GrowingMixture", "Growth"]

Floats = npt.NDArray[np.float64]

_LEAST_DOUBT = 1e-12
_TIE = 1e-9
# EM ends after so many steps that did not make the rows held out likelier.
_PATIENCE = 3


@dataclass(frozen=True, eq=False)
class Growth:
    """How a mixture grows.

    Parameters
    ----------
    learner : Learner
        Trains the conditionals.
    build : callable
        (learner, X, Y, weights, seed) -> LabelGraph: one structure from weighted rows.
    max_components : int
        Most components.
    holdout : float
        Share of the rows that decide when to stop.
    tol : float
        Relative gain of the penalised log-likelihood below which EM stops.
    max_iter : int
        Most steps of EM.
    n_jobs : int or None
        Threads over components.
    """

    learner: Learner
    build: Callable[[Learner, Any, Any, Floats, int], LabelGraph]
    max_components: int
    holdout: float
    tol: float
    max_iter: int
    n_jobs: int | None


class GrowingMixture:
    """A mixture on an internal training part, to which trees are added as long as rows held out become likelier.

    Trees get the weights 1 - P(y | x, mixture). One that makes the rows held out less likely is left out again, and the
    mixture is done. EM is cut short where the rows held out say so. A single tree needs no rows held out.

    Parameters
    ----------
    growth : Growth
        How it grows.
    X, Y : features and labels
        All rows.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows.
    random_state : None, int, RandomState or Generator
        Splits the rows and gives every tree its seed.

    Attributes
    ----------
    seeds : list of int
        One for each tree that may come.
    mixture : Mixture
        What has been accepted.
    history : list of float
        Log-likelihoods of the rows held out after every tree that was accepted.
    n_steps : int
        How many steps of EM the last tree took.
    """

    def __init__(
        self, growth: Growth, X: Any, Y: npt.NDArray[np.uint8], sample_weight: Floats | None, random_state: Any
    ) -> None:
        draws = generator(random_state)
        order = draws.permutation(Y.shape[0])
        single = growth.max_components == 1 or len(order) == 1
        n_held = 0 if single else min(max(1, round(growth.holdout * len(order))), len(order) - 1)
        rows = np.ones(len(order)) if sample_weight is None else sample_weight
        held, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
        self.growth, self.learner, self.seeds = growth, growth.learner, seeds(draws, growth.max_components)
        self.X, self.Y, self.rows = X[kept], Y[kept], rows[kept]
        self._held = (X[held], Y[held], rows[held])
        self.mixture: Mixture | None = None
        self.history: list[float] = []
        self.n_steps, self.done = 1, False

    def add_tree(self, seed: int) -> None:
        """Add a tree, unless the mixture is done."""
        if self.done:
            return
        if self.mixture is None:
            self._begin(seed)
        else:
            self._extend(self.mixture, seed)

    def _begin(self, seed: int) -> None:
        """Train the first tree; the strengths of the penalty that it finds are kept for all others."""
        tree = self._tree(self.rows / (self.rows.mean() or 1.0), seed)
        self.learner = keeping_strengths(self.learner, tree)
        self.mixture = Mixture(np.ones(1), (tree,))
        self.history.append(self._held_out(self.mixture))
        self.done = self.growth.max_components == 1 or not len(self._held[2])
        if not self.done:
            self._steps = Steps(self.learner, self.X, self.Y, self.rows, self.growth.n_jobs)

    def _extend(self, mixture: Mixture, seed: int) -> None:
        logs = component_log_probs(mixture, self.X, self.Y)
        doubt = self.rows * -np.expm1(log_sum_exp(logs, axis=1))
        if doubt.sum() < _LEAST_DOUBT:
            self.done = True
            return
        larger, found, n_steps = self._settled(_joined(mixture, self._tree(doubt * (len(doubt) / doubt.sum()), seed)))
        self.done = found < self.history[-1] - _TIE
        if not self.done:
            self.mixture, self.n_steps = larger, max(1, n_steps)
            self.history.append(found)

    def _settled(self, start: Mixture) -> tuple[Mixture, float, int]:
        """Return the mixture at the step of EM at which the rows held out are likeliest, how likely, and that step."""
        best, found, n_steps = start, self._held_out(start), 0
        for step, mixture in enumerate(self._steps.path(start, self.growth.tol, self.growth.max_iter), start=1):
            here = self._held_out(mixture)
            if here > found:
                best, found, n_steps = mixture, here, step
            elif step - n_steps >= _PATIENCE:
                break
        return best, found, n_steps

    def _held_out(self, mixture: Mixture) -> float:
        X, Y, rows = self._held
        if not len(rows):
            return -np.inf
        return float(rows @ log_sum_exp(component_log_probs(mixture, X, Y), axis=1))

    def _tree(self, weights: Floats, seed: int) -> Conditionals:
        graph = self.growth.build(self.learner, self.X, self.Y, weights, seed)
        by_label = np.repeat(weights[:, None], self.Y.shape[1], axis=1)
        return self.learner.fit(self.X, self.Y, graph, sample_weight=by_label)


def _joined(mixture: Mixture, tree: Conditionals) -> Mixture:
    """Return the mixture with one more tree, all with equal weights [MC algorithm 1].

    A component of n sees about the n-th part of the rows: its penalty is divided by n, so that it weighs as much
    against its rows as it did in a single tree. It then stays as it is through EM.
    """
    n = len(mixture.weights) + 1
    parts = (*(_weaker(part, n / (n - 1)) for part in mixture.conditionals), _weaker(tree, float(n)))
    return Mixture(np.full(n, 1.0 / n), parts)


def _weaker(part: Conditionals, factor: float) -> Conditionals:
    if not isinstance(part, LinearConditionals) or part.C_ is None:
        return part
    return replace(part, C_=part.C_ * factor)
