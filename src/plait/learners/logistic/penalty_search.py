"""C, the inverse strength of the L2 penalty, of every label by cross-validation: folds x grid, with warm starts."""

import numpy as np
from scipy.special import expit
from sklearn.model_selection import KFold, ShuffleSplit

from plait.core.arrays import Floats, Ints
from plait.core.logspace import clip_probability
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.logistic.prepared_problem import PreparedProblem, Settings, rows_of
from plait.learners.training.problem import Problem

__all__ = ["C_GRID", "penalty_splits", "choose_penalties"]


# The decades of lambda in `sum log P - lambda ||w||^2` [PCC, section 5.1]: C = 1 / (2 lambda), strong penalties first.
C_GRID = np.array([1.0 / (2.0 * penalty) for penalty in (1000.0, 100.0, 10.0, 1.0, 0.1, 0.01, 0.001)])

# Three parts held out in turn, or a third held out once where that is enough [PCC, section 5.1].
N_FOLDS = 3
MANY_ROWS = 10_000
TRAINING_SHARE = 0.66

# Relative tolerances of the fits. On benchmark data the first finds the same C as exact fits for all labels; with few
# rows neighbours of the grid can be nearly tied, and exact fits cost next to nothing.
TOL = 1e-4
TOL_SMALL = 1e-10


def penalty_splits(n_samples: int) -> list[tuple[Ints, Ints]]:
    """Return (training rows, held-out rows) of every split; the same for all labels and on every call.

    They are those of scikit-learn's `KFold(3, shuffle=True, random_state=0)`, or with 10,000 rows and more of
    `ShuffleSplit(1, train_size=0.66, random_state=0)`.
    """
    rows = np.zeros((n_samples, 1))
    if n_samples >= MANY_ROWS:
        return list(ShuffleSplit(1, train_size=TRAINING_SHARE, random_state=0).split(rows))
    return list(KFold(min(N_FOLDS, n_samples), shuffle=True, random_state=0).split(rows))


def choose_penalties(settings: Settings, problem: Problem, labels: Ints) -> Floats:
    """Return C of some labels: of equal losses the strongest penalty, and 1 where no row can be held out."""
    if not len(labels) or problem.Y.shape[0] < 2:
        return np.ones(len(labels))
    losses = np.zeros((len(C_GRID), problem.n_labels))
    for training, held_out in penalty_splits(problem.Y.shape[0]):
        losses += _path_losses(PreparedProblem(settings, rows_of(problem, training)), rows_of(problem, held_out))
    return C_GRID[losses.argmin(axis=0)[labels]]


def _path_losses(training: PreparedProblem, held_out: Problem) -> Floats:
    """Return the log-losses (n_C, n_labels) of the rows held out, fits going from strong to weak penalties."""
    losses: list[Floats] = []
    path: list[Solution] = []
    tol = TOL_SMALL if training.design.is_small else TOL
    for C in C_GRID:
        each = np.full(len(training.fitted), C)
        path.append(training.solve(each, _ahead(path), tol))
        found = training.conditionals(each, path[-1], "LogisticLearner")
        scores = found.base_scores(held_out.X) + held_out.Y @ found.parent_coef_.T
        loss = -np.log(clip_probability(expit(np.where(held_out.Y == 1, scores, -scores))))
        weights = np.ones(1) if held_out.weights is None else held_out.weights
        losses.append((loss * (weights if weights.ndim == 2 else weights[:, None])).sum(axis=0))
    return np.array(losses)


def _ahead(path: list[Solution]) -> Solution | None:
    """Return where the last two solutions of a path lead, one step further."""
    if len(path) < 2:
        return path[-1] if path else None
    return Solution.start(2 * path[-1].coef - path[-2].coef, 2 * path[-1].intercept - path[-2].intercept)
