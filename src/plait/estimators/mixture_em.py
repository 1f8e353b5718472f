"""EM for a mixture of conditional networks with fixed graphs [MC algorithm 1, MC 8-10]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from plait.core.logspace import log_normalize, log_sum_exp
from plait.joint import GraphJoint, MixtureJoint
from plait.learners import Conditionals, Learner

__all__ = ["Mixture", "component_log_probs", "expectation_maximization"]

Floats = npt.NDArray[np.float64]

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
    """

    weights: Floats
    conditionals: tuple[Conditionals, ...]
    log_likelihoods: tuple[float, ...] = ()

    def joint(self) -> MixtureJoint:
        """Return P(y | x), waiting for X."""
        return MixtureJoint(self.weights, tuple(GraphJoint(part) for part in self.conditionals))


def component_log_probs(mixture: Mixture, X: Any, Y: npt.NDArray[np.uint8]) -> Floats:
    """Return log w_k + log P_k(y^n | x^n), shape (n_samples, n_components)."""
    columns = [GraphJoint(part).condition(X).log_prob(Y) for part in mixture.conditionals]
    return np.column_stack(columns) + np.log(mixture.weights)


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
    """Alternate responsibilities and weighted fits until the likelihood stops growing.

    Responsibilities themselves, not normalised within a component, are the weights of the fits: with the penalty fixed
    no step can then lower `sum_n log P(y^n | x^n) - penalty`. Every fit starts from the last one.

    Parameters
    ----------
    mixture : Mixture
        Where to start.
    learner : Learner
        Trains the conditionals; `C` that it searched for is kept from the start.
    X, Y : features and labels
        Training rows.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of rows.
    tol : float, default=1e-5
        Relative gain of the log-likelihood below which EM stops.
    max_iter : int, default=50
        Most steps.
    n_jobs : int, optional
        Threads over components.
    """
    rows = np.ones(Y.shape[0]) if sample_weight is None else sample_weight
    history: list[float] = []
    logs = component_log_probs(mixture, X, Y)
    for _ in range(max_iter):
        history.append(float(rows @ log_sum_exp(logs, axis=1)))
        if len(history) > 1 and history[-1] - history[-2] < tol * abs(history[-2]):
            break
        if len(mixture.weights) == 1 and len(history) > 1:
            break
        shares = np.maximum(np.exp(log_normalize(logs, axis=1)), _FLOOR) * rows[:, None]
        mixture = _maximized(mixture, shares, learner, X, Y, n_jobs)
        logs = component_log_probs(mixture, X, Y)
    else:
        history.append(float(rows @ log_sum_exp(logs, axis=1)))
    return Mixture(mixture.weights, mixture.conditionals, tuple(history))


def _maximized(mixture: Mixture, shares: Floats, learner: Learner, X: Any, Y: Any, n_jobs: int | None) -> Mixture:
    """Return the M step: new weights, and conditionals fitted to each component's share of the rows."""
    mass = shares.sum(axis=0)
    kept = np.flatnonzero(mass >= _LEAST_SHARE * mass.sum())
    fitted: Sequence[Conditionals] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(learner.fit)(
            X,
            Y,
            mixture.conditionals[k].graph,
            # One column a label: weights of labels never touch the scaling of the features.
            sample_weight=np.repeat(shares[:, [k]], Y.shape[1], axis=1),
            start=mixture.conditionals[k],
        )
        for k in kept
    )
    return Mixture(mass[kept] / mass[kept].sum(), tuple(fitted))
