"""C of every label by cross-validation on log-loss: all labels along one path from strong to weak penalties.

Every C of the grid is tried for every label. The first round solves them to a loose tolerance, from which follows how
far their held-out losses can be wrong (see `held_out_losses`). Values of C that may still be a label's best are solved
more tightly, again and again, until one is left or the rest are ties.
"""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.learners.strengths.narrow_path import NarrowPath
from plait.learners.strengths.strength_splitting import strength_folds
from plait.learners.strengths.strength_trial import StrengthLearner, StrengthTrial
from plait.learners.training.problem import Problem

__all__ = ["STRENGTHS", "searched_strengths"]


# The decades of lambda in `sum log P - lambda ||w||^2` [PCC, section 5.1]: C = 1 / (2 lambda), strong first.
STRENGTHS = np.array([1.0 / (2.0 * penalty) for penalty in (1000.0, 100.0, 10.0, 1.0, 0.1, 0.01, 0.001)])

# Tolerances of the first round, looser for weak penalties, which cost most and are rarely near the best; of the others.
FIRST = (1e-4, 1e-4, 1e-4, 1e-4, 1e-3, 1e-2, 1e-2)
LATER = (1e-3, 1e-4, 1e-5, 1e-7, 1e-9, 1e-11)
# Up to so many columns second derivatives are factored for every label, and the first round can be tighter.
NARROW = 300
FIRST_NARROW = 1e-6
# Scores of so many problems and rows are held at once.
MOST_SCORES = 2**24


def searched_strengths(learner: StrengthLearner, problem: Problem, fitted: Ints) -> Floats:
    """Return C of each label of `fitted`: of equal losses the strongest penalty, and 1 where no row can be held out."""
    if not len(fitted) or problem.Y.shape[0] < 2:
        return np.ones(len(fitted))
    folds = list(strength_folds(problem, fitted, learner.class_weight))
    trials = [StrengthTrial(learner, fold, STRENGTHS) for fold in folds]
    _first_round(learner, problem, fitted, trials)
    for tol in LATER:
        places, columns = np.nonzero(_still_open(trials, fitted))
        if not len(places):
            break
        for trial in trials:
            trial.refine(places, fitted[columns], tol)
    return STRENGTHS[_total(trials)[:, fitted].argmin(axis=0)]


def _total(trials: list[StrengthTrial]) -> Floats:
    return np.asarray(np.sum([trial.losses for trial in trials], axis=0))


def _still_open(trials: list[StrengthTrial], fitted: Ints) -> npt.NDArray[np.bool_]:
    """Return which strengths (n_strengths, n_labels) may be a label's best, where more than one may."""
    losses, errors = _total(trials)[:, fitted], np.sum([trial.errors for trial in trials], axis=0)[:, fitted]
    near = losses - errors <= (losses + errors).min(axis=0)
    return np.asarray(near & (near.sum(axis=0) > 1))


def _first_round(learner: StrengthLearner, problem: Problem, fitted: Ints, trials: list[StrengthTrial]) -> None:
    """Try all strengths."""
    n_columns = problem.X.shape[1] + sum(bool(group) for group in problem.graph.parents)
    if n_columns > NARROW:
        for trial in trials:
            trial.follow_path(FIRST)
        return
    at_once = max(1, MOST_SCORES // (len(trials) * problem.Y.shape[0]))
    for first in range(0, len(fitted), at_once):
        _narrow_round(learner, problem, fitted[first : first + at_once], trials)


def _narrow_round(learner: StrengthLearner, problem: Problem, labels: Ints, trials: list[StrengthTrial]) -> None:
    """Try all strengths for some labels, all splits together."""
    folds = [trial.fold for trial in trials]
    path = NarrowPath(problem, folds, labels, standardize=learner.standardize, fit_intercept=learner.fit_intercept)
    for place, strength in enumerate(STRENGTHS):
        point = path.solve(float(strength), FIRST_NARROW)
        for f, trial in enumerate(trials):
            here = point.folds == f
            columns = path.columns_of(trial.fold)
            found = (point.coef[here][:, columns], point.intercept[here], point.losses[here], point.errors[here])
            trial.note(place, point.labels[here], *found)
            trial.tol[place, point.labels[here]] = FIRST_NARROW
