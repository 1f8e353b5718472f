"""Backward elimination: drop the feature that a classifier misses least, again and again [KohaviJohn1997]."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from plait.core.arrays import Ints
from plait.core.progress_bar import progress

__all__ = ["Elimination", "eliminated", "n_correct", "stratified_folds"]


@dataclass
class Elimination:
    """One label on the way: what it needs for a round, and where it stands.

    Parameters
    ----------
    estimator : classifier
    y : ndarray of shape (n_samples,)
        The label.
    folds : ndarray of int, shape (n_samples,)
        Fold of each row.
    kept : list of int
        Features still in, the most relevant first.
    correct : int
        Rows that are right with all of them, over all held-out folds.
    losses : list of int
        For each feature kept, how many fewer rows are right without it; known when `done`.
    done : bool
    """

    estimator: Any
    y: npt.NDArray[np.uint8]
    folds: Ints
    kept: list[int]
    correct: int
    losses: list[int]
    done: bool = False

    def trials(self) -> list[list[int]]:
        """Return the sets of this round: each feature left out once."""
        return [self.kept[:k] + self.kept[k + 1 :] for k in range(len(self.kept))]

    def settle(self, correct: Sequence[int], wanted: int | None) -> None:
        """Drop the feature without which most rows are right, the least relevant of several; or stop.

        Without a wanted size a feature is dropped as long as no more rows become wrong; one always stays.
        """
        best = max(correct, default=-1)
        enough = len(self.kept) <= (wanted or 1)
        if enough or (wanted is None and best < self.correct):
            self.losses = [self.correct - each for each in correct]
            self.done = True
            return
        place = len(correct) - 1 - list(reversed(correct)).index(best)
        del self.kept[place]
        self.correct = best


def stratified_folds(y: npt.NDArray[Any], n_folds: int, order: Ints) -> Ints:
    """Return the fold of each row: the rows of each class are dealt out in the given order.

    Examples
    --------
    >>> stratified_folds(np.array([0, 1, 0, 1, 0]), 2, np.arange(5))
    array([0, 1, 1, 0, 0])
    """
    dealt = order[np.argsort(y[order], kind="stable")]
    folds = np.empty(y.size, dtype=np.int64)
    folds[dealt] = np.arange(y.size) % n_folds
    return folds


def n_correct(estimator: Any, X: Any, y: npt.NDArray[np.uint8], folds: Ints, columns: Sequence[int]) -> int:
    """Return how many rows are right when each fold is predicted by a classifier fitted on the others.

    Where the others hold one class only, or there are no columns, their most frequent class is predicted.
    """
    chosen = X[:, list(columns)]
    total = 0
    for fold in np.unique(folds):
        test = folds == fold
        known = y[~test]
        if len(columns) == 0 or known.size == 0 or known.min() == known.max():
            predicted: Any = int(2 * known.sum(dtype=np.int64) > known.size)
        else:
            predicted = clone(estimator).fit(chosen[~test], known).predict(chosen[test])
        total += int(np.sum(predicted == y[test]))
    return total


def eliminated(X: Any, labels: list[Elimination], wanted: int | None, n_jobs: int | None) -> None:
    """Work through all labels, one round of all those that are not done at a time, until all are done."""
    with Parallel(n_jobs=n_jobs) as workers:
        counts = workers(delayed(n_correct)(each.estimator, X, each.y, each.folds, each.kept) for each in labels)
        for each, count in zip(labels, counts, strict=True):
            each.correct = count
        for active in progress(_rounds(labels), "Wrapper, rounds"):
            trials = [(each, columns) for each in active for columns in each.trials()]
            found = iter(
                workers(delayed(n_correct)(each.estimator, X, each.y, each.folds, columns) for each, columns in trials)
            )
            for each in active:
                each.settle([next(found) for _ in each.kept], wanted)


def _rounds(labels: list[Elimination]) -> Iterator[list[Elimination]]:
    while active := [each for each in labels if not each.done]:
        yield active
