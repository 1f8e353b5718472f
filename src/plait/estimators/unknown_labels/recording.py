"""Only positives are recorded and some are missed: at which rate [Elkan2008; Bekker2020]."""

from typing import Any

import numpy as np
from scipy.special import expit

from plait.core.arrays import Floats
from plait.core.checks import Constraint, Nothing, OneOf
from plait.core.sentences import ParameterError, warn_user
from plait.core.unknown_labels import known_cells, unknown_as_absent
from plait.learners import Learner
from plait.learners.training.problem import Problem, row_splits

__all__ = ["RECORDING_RULES", "RecordingRates", "chance_given_record", "missed_shares"]

_FOLDS = 5
# The surest of the recorded positives tell the rate: where these are certain positives, the estimate is right.
_SUREST = 0.2
# Two rows' worth of prior.
_PRIOR, _PRIOR_ROWS = 0.9, 2.0
_LEAST = 0.05


class RecordingRates(Constraint):
    """A number above 0 and at most 1, or such a number for each label."""

    def accepts(self, value: Any) -> bool:
        """Say whether it is."""
        if isinstance(value, str | bool) or np.ndim(value) > 1:
            return False
        try:
            rates = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        return bool(rates.size and ((rates > 0) & (rates <= 1)).all())

    def describe(self) -> str:
        """Say so."""
        return "a number above 0 and at most 1, or one for each label"

    def wrong(self) -> list[Any]:
        """Return other numbers."""
        return [0.0, 1.5, [0.5, -0.1], float("nan")]


# Of every model that takes records: what a 0 says, and which share of the labels that are there is recorded.
RECORDING_RULES: dict[str, Any] = {
    "zeros": (OneOf(("certain", "unrecorded")),),
    "recording_rate": (RecordingRates(), OneOf(("estimate",)), Nothing()),
}


def chance_given_record(chance: Floats, Y: Any, missed: Any) -> Floats:
    """Return P(label | record) from P(label | x): 1 where it is recorded, unchanged where nothing is known.

    Examples
    --------
    >>> chance_given_record(np.array([0.5, 0.5, 0.5]), np.array([1, 0, -1], dtype=np.int8), 0.5).round(3)
    array([1.   , 0.333, 0.5  ])
    """
    silent = chance * missed
    after = silent / np.maximum(silent + 1.0 - chance, 1e-300)
    return np.where(Y == 1, 1.0, np.where(Y == 0, after, chance))


def missed_shares(model: Any, learner: Learner, problem: Problem) -> Floats | None:
    """Return P(a label that is there is recorded as 0) of every label; None where nothing is missed.

    Parameters
    ----------
    model : estimator
        Its `zeros` and `recording_rate`, P(recorded | there): a number, one for each label, "estimate" or None. It
        cannot be learned from the records without an assumption; "estimate" and None assume that the rows that most
        look like a recorded positive are positives, and warn. Its `recording_rate_` is set.
    learner : Learner
        Trains labels without parents for the estimate.
    problem : Problem
        Records, without parents.
    """
    model.__dict__.pop("recording_rate_", None)
    if model.zeros == "certain":
        return None
    owner, rate = type(model).__name__, model.recording_rate
    if not learner.takes_soft_targets:
        raise ParameterError(
            f"{owner} needs a learner with soft targets for zeros='unrecorded', but {type(learner).__name__} takes 0 "
            "and 1 only. Use LogisticLearner(), or zeros='certain'."
        )
    if rate is None or isinstance(rate, str):
        rates = _estimated(learner, problem)
        warn_user(
            f"{owner} estimates recording_rate from the records, {rates.mean():.2f} on average: that is too small "
            "where even the surest rows may not have a label. Pass recording_rate if it is known.",
        )
    elif np.ndim(rate) == 1 and len(rate) != problem.n_labels:
        raise ParameterError(
            f"{owner} needs recording_rate to have one number for each of {problem.n_labels} labels, but it has "
            f"{len(rate)}. Pass one for each column of y, or one for all."
        )
    else:
        rates = np.broadcast_to(np.asarray(rate, dtype=np.float64), (problem.n_labels,))
    model.recording_rate_ = np.array(rates)
    return None if (rates == 1).all() else 1.0 - rates


def _estimated(learner: Learner, problem: Problem) -> Floats:
    """Return the mean of P(recorded | x), out of fold, over the surest fifth of a label's recorded positives."""
    n_rows = problem.Y.shape[0]
    if n_rows < _FOLDS:
        return np.full(problem.n_labels, _PRIOR)
    first = learner.fit_checked(problem)
    settled = learner.settled(first)
    chances = np.zeros(problem.Y.shape)
    for training, held in row_splits("recording_rate", n_rows, _FOLDS, 0):
        chances[held] = expit(settled.fit_checked(problem.part(training), first).base_scores(problem.X[held]))
    positive = (unknown_as_absent(problem.Y) == 1) & known_cells(problem.Y)
    rates = np.empty(problem.n_labels)
    for label in range(problem.n_labels):
        found = np.sort(chances[positive[:, label], label])
        surest = found[int((1.0 - _SUREST) * len(found)) :]
        rates[label] = (surest.sum() + _PRIOR * _PRIOR_ROWS) / (len(surest) + _PRIOR_ROWS)
    return np.clip(rates, _LEAST, 1.0)
