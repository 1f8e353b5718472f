"""The rows on which strengths of the penalty are tried: training and held-out parts, label by label."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.model_selection import KFold, ShuffleSplit

from plait.core.arrays import Floats, Ints
from plait.core.logspace import clip_probability
from plait.learners.training.problem import ParentColumns, Problem, constant_labels, constant_scores
from plait.learners.training.weights import class_weighted

__all__ = ["StrengthFold", "strength_folds", "strength_splits"]


# Three parts held out in turn, or a third held out once where that is enough [PCC, section 5.1].
N_FOLDS = 3
MANY_ROWS = 10_000
TRAINING_SHARE = 0.66


def strength_splits(n_samples: int) -> list[tuple[Ints, Ints]]:
    """Return (training rows, held-out rows) of every split; the same for all labels and on every call.

    They are those of scikit-learn's `KFold(3, shuffle=True, random_state=0)`, or with 10,000 rows and more of
    `ShuffleSplit(1, train_size=0.66, random_state=0)`.
    """
    rows = np.zeros((n_samples, 1))
    if n_samples >= MANY_ROWS:
        return list(ShuffleSplit(1, train_size=TRAINING_SHARE, random_state=0).split(rows))
    return list(KFold(min(N_FOLDS, n_samples), shuffle=True, random_state=0).split(rows))


@dataclass(frozen=True, eq=False)
class StrengthFold:
    """One split.

    Parameters
    ----------
    rows, held_rows : ndarray of int
        Rows of the training and of the held-out part.
    training : Problem
        The training part, its weights multiplied by class weights.
    held_out : Problem
        The held-out part, with the weights that rows came with.
    parents : ParentColumns
        Labels that are parents and vary in the training part.
    labels : ndarray of int
        Labels that can be fitted: both values occur in the training part.
    constant : ndarray of shape (n_labels,)
        Scores of the other labels.
    """

    rows: Ints
    held_rows: Ints
    training: Problem
    held_out: Problem
    parents: ParentColumns
    labels: Ints
    constant: Floats

    def constant_losses(self, labels: Ints) -> Floats:
        """Return the held-out losses of labels that cannot be fitted."""
        y = self.held_out.Y[:, labels]
        scores = np.where(y == 1, self.constant[labels], -self.constant[labels])
        losses = -np.log(clip_probability(expit(scores)))
        weights = self.held_out.weights
        if weights is not None:
            losses *= weights[:, None] if weights.ndim == 1 else weights[:, labels]
        return np.asarray(losses.sum(axis=0))


def strength_folds(problem: Problem, fitted: Ints, class_weight: Any) -> Iterator[StrengthFold]:
    """Yield the splits of a problem; `fitted` are the labels to fit."""
    for rows, held_rows in strength_splits(problem.Y.shape[0]):
        plain = _part(problem, rows)
        training = class_weighted(plain, class_weight)
        varies = ~constant_labels(training.class_mass())
        yield StrengthFold(
            rows,
            held_rows,
            training,
            _part(problem, held_rows),
            ParentColumns.of(training),
            fitted[varies[fitted]],
            constant_scores(plain.class_mass()),
        )


def _part(problem: Problem, rows: Ints) -> Problem:
    weights = None if problem.weights is None else problem.weights[rows]
    X = sparse.csr_array(problem.X)[rows] if sparse.issparse(problem.X) else problem.X[rows]
    return replace(problem, X=X, Y=problem.Y[rows], weights=weights)
