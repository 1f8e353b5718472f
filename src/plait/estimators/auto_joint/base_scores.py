"""`BaseScores`: the base of what gives every training row log-odds of all labels by models that have not seen it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from time import process_time, thread_time
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import clip_probability

__all__ = ["BaseScores", "Folds", "held_rows", "log_losses", "smoothed_log_odds", "timed_scores"]

# (training rows, held-out rows) of each part; a row is held out once at most.
Folds = Sequence[tuple[Ints, Ints]]

# Shares of few trees or neighbours are no surer than this.
_LEAST = 1e-3


class BaseScores(BaseEstimator, ABC):
    """A learner of the first stage: a subclass writes `out_of_fold` and `log_odds`.

    Y has labels with both values only, X is finite, and what has been checked is not checked again.
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
            Labels.
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
        """Return log-odds (n_samples, n_labels) of new rows."""


def held_rows(folds: Folds) -> Ints:
    """Return all rows that are held out by some part, ascending.

    Examples
    --------
    >>> held_rows([(np.array([0, 1]), np.array([3, 2])), (np.array([2, 3]), np.array([0]))])
    array([0, 2, 3])
    """
    return np.sort(np.concatenate([held for _, held in folds]))


def smoothed_log_odds(shares: Floats, prior: Floats, size: float) -> Floats:
    """Return log-odds of shares among `size` votes, to which one vote of the base rates is added."""
    chance = clip_probability((shares * size + prior) / (size + 1.0), _LEAST)
    return np.asarray(np.log(chance) - np.log1p(-chance))


def log_losses(scores: Floats, Y: Labels) -> Floats:
    """Return the log-loss of every row, all labels summed.

    Examples
    --------
    >>> log_losses(np.zeros((2, 3)), np.array([[0, 1, 1], [0, 0, 0]])).round(3)
    array([2.079, 2.079])
    """
    return np.asarray(np.logaddexp(0.0, np.where(Y == 1, -scores, scores)).sum(axis=1))


def timed_scores(learner: BaseScores, X: Any, Y: Labels, folds: Folds, **how: Any) -> tuple[Floats, float]:
    """Return the out-of-fold scores, and the CPU seconds: of this thread, where others run beside it."""
    clock = thread_time if how["n_jobs"] == 1 else process_time
    start = clock()
    scores = learner.out_of_fold(X, Y, folds, **how)
    return scores, clock() - start
