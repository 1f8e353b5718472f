"""One model for every pair of labels, trained on the rows that have exactly one of the two [Fuernkranz2008]."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from plait.baselines.binary_learners import label_scores
from plait.baselines.meta_classifier import seeded_members
from plait.core.arrays import Floats, Ints, Labels
from plait.core.progress_bar import progress
from plait.learners import Conditionals, Learner, LinearSVMLearner, LogisticLearner

__all__ = ["CalledPairs", "LinearPairs", "fitted_label_pairs", "pair_tiles"]


# Labels on each side of a tile of pairs.
_SIDE = 8


@dataclass(frozen=True, eq=False)
class LinearPairs:
    """Pairs of labels with linear models.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_pairs,)
        The labels of each pair.
    coef_ : ndarray of shape (n_pairs, n_features)
        Coefficients.
    intercept_ : ndarray of shape (n_pairs,)
        Intercepts.
    """

    first: Ints
    second: Ints
    coef_: Floats
    intercept_: Floats

    def scores(self, X: Any, pairs: slice) -> Floats:
        """Return the scores of some pairs: above 0 where the first label is preferred, 0 where nothing is known."""
        return np.asarray(X @ self.coef_[pairs].T) + self.intercept_[pairs]


@dataclass(frozen=True, eq=False)
class CalledPairs:
    """Pairs of labels with models of any kind; None where no training row has exactly one of the two labels."""

    first: Ints
    second: Ints
    conditionals_: list[Conditionals | None]

    def scores(self, X: Any, pairs: slice) -> Floats:
        """Return the scores of some pairs: above 0 where the first label is preferred, 0 where nothing is known."""
        models = self.conditionals_[pairs]
        unknown = np.zeros((X.shape[0], 1))
        return np.hstack([unknown if model is None else label_scores(model, X) for model in models])


def fitted_label_pairs(
    learner: Learner, X: Any, Y: Labels, sample_weight: Any, random_state: Any, n_jobs: int | None
) -> LinearPairs | CalledPairs:
    """Train the models of all pairs.

    The linear learners of plait train many pairs in one batch, each with weights of rows that are 0 where it is not
    decided between its labels; any other learner trains a pair at a time on the rows of the pair.

    Parameters
    ----------
    learner : Learner
        Trains the models; one that scales columns is told not to (X comes divided).
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows.
    random_state : object
        Seed of estimators whose own `random_state` is None.
    n_jobs : int or None
        How many batches or pairs are trained at once.
    """
    if isinstance(learner, LogisticLearner | LinearSVMLearner):
        return _in_tiles(learner, X, Y, sample_weight, n_jobs)
    first, second = np.triu_indices(Y.shape[1], 1)
    members = seeded_members(learner, len(first), random_state)
    tasks = progress(list(zip(members, first, second, strict=True)), "Pairs of labels")
    models = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_pair)(member, X, Y[:, i], Y[:, j], sample_weight) for member, i, j in tasks
    )
    return CalledPairs(first, second, list(models))


def _fitted_pair(learner: Learner, X: Any, one: Labels, other: Labels, sample_weight: Any) -> Conditionals | None:
    rows = np.flatnonzero(one != other)
    if len(rows) == 0:
        return None
    weights = None if sample_weight is None else sample_weight[rows]
    return learner.fit(X[rows], one[rows].reshape(-1, 1), sample_weight=weights)


def _in_tiles(learner: Learner, X: Any, Y: Labels, sample_weight: Any, n_jobs: int | None) -> LinearPairs:
    tiles = list(pair_tiles(Y))
    if not tiles:
        nobody = np.zeros(0, dtype=np.int64)
        return LinearPairs(nobody, nobody, np.zeros((0, X.shape[1])), np.zeros(0))
    found = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_tile)(learner, X, Y[:, first], Y[:, second], sample_weight)
        for first, second in progress(tiles, "Pairs of labels, tiles")
    )
    return LinearPairs(
        np.concatenate([first for first, _ in tiles]),
        np.concatenate([second for _, second in tiles]),
        np.concatenate([coef for coef, _ in found]),
        np.concatenate([intercept for _, intercept in found]),
    )


def pair_tiles(Y: Labels) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs of labels in batches that share their rows: first labels, second labels.

    A batch joins a few labels with a few others, frequent ones with frequent ones, so that few rows have any of them.

    Examples
    --------
    >>> Y = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=np.uint8)
    >>> [(first.tolist(), second.tolist()) for first, second in pair_tiles(Y)]
    [([0, 0, 1], [1, 2, 2])]
    """
    order = np.argsort(-Y.sum(axis=0, dtype=np.int64), kind="stable")
    groups = [order[start : start + _SIDE] for start in range(0, len(order), _SIDE)]
    for number, group in enumerate(groups):
        first, second = np.triu_indices(len(group), 1)
        if len(first):
            yield group[first], group[second]
        for other in groups[number + 1 :]:
            yield np.repeat(group, len(other)), np.tile(other, len(group))


def _fitted_tile(learner: Learner, X: Any, ones: Labels, others: Labels, sample_weight: Any) -> tuple[Floats, Floats]:
    """Return coefficients and intercepts of a batch of pairs, each of which counts the rows with one label of it."""
    decided = ones != others
    rows = np.flatnonzero(decided.any(axis=1))
    if len(rows) == 0:
        return np.zeros((ones.shape[1], X.shape[1])), np.zeros(ones.shape[1])
    weights = decided[rows].astype(np.float64)
    if sample_weight is not None:
        weights *= sample_weight[rows, None]
    fitted: Any = learner.fit(X[rows], ones[rows], sample_weight=weights)
    return fitted.coef_, fitted.intercept_
