"""`BaseScores`: the base of what gives every training row log-odds of all labels by models that have not seen it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from time import process_time, thread_time
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, ShuffleSplit

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import clip_probability
from plait.core.unknown_labels import has_unknown, known_cells, unknown_as_absent

__all__ = [
    "BaseScores",
    "Folds",
    "base_rates",
    "held_rows",
    "log_losses",
    "smoothed_log_odds",
    "timed_scores",
    "training_folds",
]

# (training rows, held-out rows) of each part; a row is held out once at most.
Folds = Sequence[tuple[Ints, Ints]]

# From here on, rows are held out once, and at most so many: enough for a stage with a few numbers a label.
_MANY_ROWS, _MOST_HELD = 10_000, 20_000
_SOME_ROWS = 1000
# Shares of few trees or neighbours are no surer than this.
_LEAST = 1e-3


class BaseScores(BaseEstimator, ABC):
    """A learner of the first stage: a subclass writes `out_of_fold` and `log_odds`.

    Y has labels with both values only, X is finite, and what has been checked is not checked again. A label is trained
    on the rows that know it.

    Examples
    --------
    >>> class BaseRates(BaseScores):
    ...     name = "rates"
    ...
    ...     def out_of_fold(self, X, Y, folds, *, sample_weight=None, seed=0, n_jobs=None):
    ...         shares = Y.mean(axis=0)
    ...         self.scores_ = np.log(shares / (1 - shares))
    ...         return np.tile(self.scores_, (len(held_rows(folds)), 1))
    ...
    ...     def log_odds(self, X):
    ...         return np.tile(self.scores_, (X.shape[0], 1))
    >>> from plait import AutoJoint
    >>> model = AutoJoint(learners=["logistic", BaseRates()])
    """

    # Whether missing values and words are its own business; otherwise they come filled in and encoded.
    name: ClassVar[str]

    @abstractmethod
    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Fit on all rows, and return log-odds (n_held, n_labels) of `held_rows(folds)` from rows other than their own.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            Features.
        Y : ndarray of uint8, shape (n_samples, n_labels)
            Labels; where some are unknown, of int8 with -1 for these.
        folds : sequence of (training rows, held-out rows)
            Which rows may teach about which; learners that leave out rows in a way of their own (bags, neighbours)
            only take from it which rows are asked for.
        sample_weight : ndarray of shape (n_samples,), optional
            Weights of rows.
        seed : int
            Of everything random.
        n_jobs : int, optional
            Workers; the answer is the same for any number.
        """

    @abstractmethod
    def log_odds(self, X: Any) -> Floats:
        """Return log-odds (n_samples, n_labels) of new rows.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            Features.
        """


def training_folds(n_rows: int, seed: int, n_folds: int) -> tuple[Folds, list[str]]:
    """Return the parts by which base learners are judged: three folds of many rows, one part of very many; and a note.

    Examples
    --------
    >>> [len(training_folds(n, 0, 5)[0]) for n in (100, 5000, 20_000)]
    [5, 3, 1]
    """
    rows = np.zeros((n_rows, 1))
    if n_rows >= _MANY_ROWS:
        n_held = min(n_rows // 3, _MOST_HELD)
        note = f"weights and chains: learned from {n_held} rows, held out once."
        return list(ShuffleSplit(1, test_size=n_held, random_state=seed % 2**31).split(rows)), [note]
    n_folds = n_folds if n_rows < _SOME_ROWS else 3
    return list(KFold(max(2, min(n_folds, n_rows)), shuffle=True, random_state=seed % 2**31).split(rows)), []


def held_rows(folds: Folds) -> Ints:
    """Return all rows that are held out by some part, ascending.

    Examples
    --------
    >>> held_rows([(np.array([0, 1]), np.array([3, 2])), (np.array([2, 3]), np.array([0]))])
    array([0, 2, 3])
    """
    return np.sort(np.concatenate([held for _, held in folds]))


def base_rates(Y: Labels, weights: Floats) -> Floats:
    """Return the Laplace estimate of every label from the rows that know it."""
    total = weights @ known_cells(Y) if has_unknown(Y) else weights.sum()
    return np.asarray((weights @ unknown_as_absent(Y) + 1.0) / (total + 2.0))


def smoothed_log_odds(shares: Floats, prior: Floats, size: float, known: Any = 1.0) -> Floats:
    """Return log-odds of shares among `size` votes, to which one vote of the base rates is added.

    `known` is the share of the votes that know the label, to which the shares are at most equal.
    """
    chance = clip_probability((shares * size + prior) / (size * known + 1.0), _LEAST)
    return np.asarray(np.log(chance) - np.log1p(-chance))


def log_losses(scores: Floats, Y: Labels, missed: Floats | None = None) -> Floats:
    """Return the log-loss of every row, all labels that are known summed.

    With `missed`, P(a label that is there is recorded as 0), it is the log-loss of the records.

    Examples
    --------
    >>> log_losses(np.zeros((2, 3)), np.array([[0, 1, 1], [0, 0, 0]])).round(3)
    array([2.079, 2.079])
    """
    losses = np.logaddexp(0.0, np.where(Y == 1, -scores, scores))
    if missed is not None:
        rate, silent = np.log(np.maximum(1.0 - missed, 1e-300)), np.log1p(missed * np.exp(np.minimum(scores, 700.0)))
        losses -= np.where(Y == 1, rate, silent)
    return np.asarray((losses * known_cells(Y) if has_unknown(Y) else losses).sum(axis=1))


def timed_scores(learner: BaseScores, X: Any, Y: Labels, folds: Folds, **how: Any) -> tuple[Floats, float]:
    """Return the out-of-fold scores, and the CPU seconds: of this thread, where others run beside it."""
    clock = thread_time if how["n_jobs"] == 1 else process_time
    start = clock()
    scores = learner.out_of_fold(X, Y, folds, **how)
    return scores, clock() - start
