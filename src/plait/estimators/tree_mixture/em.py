"""EM for a mixture of conditional networks with fixed graphs [MC algorithm 1, MC 8-10]."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from plait.core.arrays import Floats
from plait.core.logspace import log_normalize, log_sum_exp
from plait.joint import GraphJoint, MixtureJoint
from plait.learners import Conditionals, Learner, LinearConditionals, LogisticLearner
from plait.learners.logistic.graph_batch import GraphBatch
from plait.learners.training.column_scaling import column_scales

__all__ = ["Mixture", "Steps", "component_log_probs", "expectation_maximization"]

# A step of EM need not maximise, it must gain: a Newton step that promises less than this share is the last of a label.
_LOOSE = 0.05


class ComponentFits:
    """Fits of several graphs on the same rows.

    Logistic regressions are one batch, not quite solved, unless they are asked for tightly; other learners train every
    component by itself.

    Parameters
    ----------
    learner : Learner
        Trains the conditionals.
    X, Y : features and labels
        Training rows, all of which weigh something.
    n_jobs : int or None
        Threads over components that are trained one by one.
    """

    def __init__(self, learner: Learner, X: Any, Y: npt.NDArray[np.uint8], n_jobs: int | None) -> None:
        self.learner, self.X, self.Y, self.n_jobs = learner, X, Y, n_jobs
        self._batch: GraphBatch | None = None
        if isinstance(learner, LogisticLearner) and learner.class_weight is None:
            self._batch, self._tol = GraphBatch(learner, X, Y), learner.tol

    def fitted(self, starts: Sequence[Conditionals], shares: Floats, *, tightly: bool) -> tuple[Conditionals, ...]:
        """Return the conditionals fitted to shares (n_samples, n_components) of the rows."""
        if self._batch is not None:
            parts = [part for part in starts if isinstance(part, LinearConditionals)]
            return tuple(self._batch.fit(parts, shares, self._tol if tightly else max(_LOOSE, self._tol)))
        return tuple(
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self.learner.fit)(
                    self.X,
                    self.Y,
                    part.graph,
                    # One column a label: weights of labels never touch the scaling of the features.
                    sample_weight=np.repeat(shares[:, [k]], self.Y.shape[1], axis=1),
                    start=part,
                )
                for k, part in enumerate(starts)
            )
        )


def penalty_on(learner: Learner, X: Any) -> Callable[[Conditionals], float]:
    """Return the penalty of conditionals that the learner trains on X, as a function of them.

    A logistic learner maximises `sum_n log P(y^n | x^n) - sum_k ||w_k||^2 / (2 C_k)` over scaled columns; other
    learners keep their penalty to themselves, and it counts as zero.

    Parameters
    ----------
    learner : Learner
        Who trains.
    X : array or CSR matrix
        Training rows, all of which weigh something.
    """
    if not isinstance(learner, LogisticLearner):
        return lambda part: 0.0
    scales = column_scales(X, learner.standardize)

    def penalty(part: Conditionals) -> float:
        assert isinstance(part, LinearConditionals)
        assert part.C_ is not None
        sizes = np.square(part.coef_ * scales).sum(axis=1) + np.square(part.parent_coef_).sum(axis=1)
        fitted = np.isfinite(part.C_)  # a label with one value is not fitted
        return float((sizes[fitted] / (2.0 * part.C_[fitted])).sum())

    return penalty


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
