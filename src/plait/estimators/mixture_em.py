"""EM for a mixture of conditional networks with fixed graphs [MC algorithm 1, MC 8-10]."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.logspace import log_normalize, log_sum_exp
from plait.estimators.mixture_fits import ComponentFits
from plait.estimators.mixture_penalty import penalty_on
from plait.joint import GraphJoint, MixtureJoint
from plait.learners import Conditionals, Learner

__all__ = ["Mixture", "Steps", "component_log_probs", "expectation_maximization"]


# A component that explains less than this share of the rows is dropped; responsibilities are kept above the floor, so
# that every row weighs something in every component and the scaling of features stays the same from step to step.
_LEAST_SHARE = 1e-6
_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture in the making.

    Parameters
    ----------
    weights : ndarray of shape (n_components,)
        Mixture coefficients.
    conditionals : tuple of Conditionals
        Of every component.
    log_likelihoods : tuple of float
        sum_n log P(y^n | x^n) of the training rows before every step, and after the last.
    objectives : tuple of float
        The same less the penalty of the learner: what no step lowers.
    """

    weights: Floats
    conditionals: tuple[Conditionals, ...]
    log_likelihoods: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()

    def joint(self) -> MixtureJoint:
        """Return P(y | x), waiting for X."""
        return MixtureJoint(self.weights, tuple(GraphJoint(part) for part in self.conditionals))


def component_log_probs(mixture: Mixture, X: Any, Y: npt.NDArray[np.uint8]) -> Floats:
    """Return log w_k + log P_k(y^n | x^n), shape (n_samples, n_components)."""
    columns = [GraphJoint(part).condition(X).log_prob(Y) for part in mixture.conditionals]
    return np.column_stack(columns) + np.log(mixture.weights)


class Steps:
    """Steps of EM on some rows.

    Responsibilities themselves, not normalised within a component, are the weights of the fits: with the penalty fixed
    no step can then lower `sum_n log P(y^n | x^n) - penalty`. Every fit starts from the last one.

    Parameters
    ----------
    learner : Learner
        Trains the conditionals; strengths of the penalty are those of the mixture it starts from.
    X, Y : features and labels
        Training rows.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of rows.
    n_jobs : int, optional
        Threads over components, for learners that train them one by one.
    """

    def __init__(
        self,
        learner: Learner,
        X: Any,
        Y: npt.NDArray[np.uint8],
        sample_weight: Floats | None = None,
        n_jobs: int | None = None,
    ) -> None:
        rows = np.ones(Y.shape[0]) if sample_weight is None else sample_weight
        if (rows == 0).any():  # they would only change the scales of features
            X, Y, rows = X[rows > 0], Y[rows > 0], rows[rows > 0]
        self.X, self.Y, self.rows = X, Y, rows
        self._fits, self._penalty = ComponentFits(learner, X, Y, n_jobs), penalty_on(learner, X)

    def judged(self, mixture: Mixture) -> tuple[Mixture, Floats]:
        """Return the mixture with its likelihood and objective noted, and log w_k + log P_k of the rows."""
        logs = component_log_probs(mixture, self.X, self.Y)
        likelihood = float(self.rows @ log_sum_exp(logs, axis=1))
        objective = likelihood - sum(self._penalty(part) for part in mixture.conditionals)
        likelihoods, objectives = (*mixture.log_likelihoods, likelihood), (*mixture.objectives, objective)
        return replace(mixture, log_likelihoods=likelihoods, objectives=objectives), logs

    def path(self, mixture: Mixture, tol: float, max_iter: int) -> Iterator[Mixture]:
        """Yield the mixture after every step, until the relative gain is below `tol` or the steps are used up."""
        mixture, logs = self.judged(replace(mixture, log_likelihoods=(), objectives=()))
        for _ in range(max_iter):
            mixture, logs = self.judged(self._maximized(mixture, logs, tightly=False))
            yield mixture
            before, now = mixture.objectives[-2:]
            # Without a known penalty the likelihood alone may fall, which is a change too.
            if abs(now - before) < tol * abs(before):
                return

    def converged(self, mixture: Mixture, tol: float, max_iter: int) -> Mixture:
        """Return the end of the path, the last of at most `max_iter` steps solved tightly."""
        loose = 0 if len(mixture.weights) == 1 else max_iter - 1
        last = deque(self.path(mixture, tol, loose), maxlen=1)
        return self.finished(last[0] if last else mixture)

    def finished(self, mixture: Mixture) -> Mixture:
        """Return the mixture after one more step, whose fits are solved to the learner's tolerance."""
        if not mixture.objectives:
            mixture, logs = self.judged(mixture)
        else:
            logs = component_log_probs(mixture, self.X, self.Y)
        return self.judged(self._maximized(mixture, logs, tightly=True))[0]

    def _maximized(self, mixture: Mixture, logs: Floats, *, tightly: bool) -> Mixture:
        """Return the M step: new weights, and conditionals fitted to each component's share of the rows."""
        shares = np.maximum(np.exp(log_normalize(logs, axis=1)), _FLOOR) * self.rows[:, None]
        mass = shares.sum(axis=0)
        kept = np.flatnonzero(mass >= _LEAST_SHARE * mass.sum())
        fitted = self._fits.fitted([mixture.conditionals[k] for k in kept], shares[:, kept], tightly=tightly)
        return replace(mixture, weights=mass[kept] / mass[kept].sum(), conditionals=fitted)


def expectation_maximization(
    mixture: Mixture,
    learner: Learner,
    X: Any,
    Y: npt.NDArray[np.uint8],
    *,
    sample_weight: Floats | None = None,
    tol: float = 1e-5,
    max_iter: int = 50,
    n_jobs: int | None = None,
) -> Mixture:
    """Alternate responsibilities and weighted fits until the penalised likelihood stops growing; see `Steps`.

    The last of at most `max_iter` steps is solved tightly; a mixture of one component needs no other.
    """
    return Steps(learner, X, Y, sample_weight, n_jobs).converged(mixture, tol, max_iter)
