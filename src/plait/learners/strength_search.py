"""C of every label by cross-validation on log-loss: all labels along one path from strong to weak penalties.

Every C of the grid is tried for every label. The first round solves them to a loose tolerance; the held-out loss is
then wrong by about the square root of what is left of the objective. Values of C whose loss lies near a label's best
are solved more tightly, again and again, until one is left or the rest are ties.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.learners.logistic_batch import Solution
from plait.learners.logistic_design import Design, prepared_design
from plait.learners.logistic_solver import solve
from plait.learners.problem import Problem
from plait.learners.strength_folds import StrengthFold, strength_folds

__all__ = ["STRENGTHS", "StrengthLearner", "searched_strengths"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# The decades of lambda in `sum log P - lambda ||w||^2` [PCC, section 5.1]: C = 1 / (2 lambda), strong first.
STRENGTHS = tuple(1.0 / (2.0 * penalty) for penalty in (1000.0, 100.0, 10.0, 1.0, 0.1, 0.01, 0.001))

# Tolerances of the rounds; after a round, losses within `NEAR * sqrt(tolerance)` of the best are still open.
ROUNDS = (1e-4, 1e-7, 1e-10)
NEAR = 3.0
# Solutions kept to start from in later rounds may take so many numbers.
MOST_KEPT = 2**26


class StrengthLearner(Protocol):
    """What the search asks of a logistic learner."""

    fit_intercept: bool
    standardize: bool | str
    class_weight: Any
    max_iter: int
    dtype: str


@dataclass(eq=False)
class _Tried:
    """What is known of one split: losses (n_strengths, n_labels) and, where kept, solutions in units of the design."""

    fold: StrengthFold
    design: Design
    support: npt.NDArray[np.bool_] | None
    losses: Floats
    coef: npt.NDArray[np.float32] | None
    intercept: Floats


def searched_strengths(learner: StrengthLearner, problem: Problem, fitted: Indices) -> Floats:
    """Return C of each label of `fitted`; among equal losses the strongest penalty."""
    tried = [_first_round(learner, fold, fitted) for fold in strength_folds(problem, fitted, learner.class_weight)]
    for done, tol in pairwise(ROUNDS):
        open_ = _still_open(_total(tried)[:, fitted], NEAR * np.sqrt(done))
        if not open_.any():
            break
        for part in tried:
            _next_round(learner, part, fitted, open_, tol)
    return np.asarray(STRENGTHS)[_total(tried)[:, fitted].argmin(axis=0)]


def _total(tried: list[_Tried]) -> Floats:
    return np.sum([part.losses for part in tried], axis=0)


def _still_open(losses: Floats, margin: float) -> npt.NDArray[np.bool_]:
    """Return which strengths (n_strengths, n_labels) may be a label's best, where more than one may."""
    near = losses <= losses.min(axis=0) * (1.0 + margin)
    return near & (near.sum(axis=0) > 1)


def _first_round(learner: StrengthLearner, fold: StrengthFold, fitted: Indices) -> _Tried:
    """Solve all labels for one C after the other, each from where the earlier ones lead."""
    design = prepared_design(
        fold.training.X, fold.parents.values, standardize=learner.standardize, fit_intercept=learner.fit_intercept
    )
    n_labels, shape = fold.training.n_labels, (len(STRENGTHS), fold.training.n_labels, design.n_columns)
    kept = np.zeros(shape, dtype=np.float32) if 3 * np.prod(shape) <= MOST_KEPT else None
    part = _Tried(fold, design, fold.parents.support(fold.training), np.zeros(shape[:2]), kept, np.zeros(shape[:2]))
    constant = np.setdiff1d(np.arange(n_labels), fold.labels)
    part.losses[:, constant] = fold.constant_losses(constant)
    earlier = before = None
    for place, strength in enumerate(STRENGTHS):
        start = _ahead(earlier, before)
        strengths = np.full(len(fold.labels), strength)
        found = _solved(learner, part, fold.labels, strengths, start, ROUNDS[0])
        _note(part, np.full(len(fold.labels), place), fold.labels, found)
        earlier, before = before, found
    return part


def _ahead(earlier: Solution | None, before: Solution | None) -> Solution | None:
    """Return where two solutions lead, one step of the path further."""
    if earlier is None or before is None:
        return before
    coef = 2.0 * before.coef - earlier.coef
    return Solution(coef, 2.0 * before.intercept - earlier.intercept, before.objective, before.n_iter, before.converged)


def _next_round(
    learner: StrengthLearner, part: _Tried, fitted: Indices, open_: npt.NDArray[np.bool_], tol: float
) -> None:
    """Solve the open strengths of one split to a finer tolerance."""
    places, columns = np.nonzero(open_)
    labels = fitted[columns]
    here = np.isin(labels, part.fold.labels)
    places, labels = places[here], labels[here]
    if not len(labels):
        return
    start = None
    if part.coef is not None:
        coef = part.coef[places, labels].astype(np.float64)
        nothing = np.zeros(len(labels))
        start = Solution(coef, part.intercept[places, labels], nothing, nothing.astype(np.int64), nothing > 0)
    found = _solved(learner, part, labels, np.asarray(STRENGTHS)[places], start, tol)
    _note(part, places, labels, found)


def _solved(
    learner: StrengthLearner, part: _Tried, labels: Indices, strengths: Floats, start: Solution | None, tol: float
) -> Solution:
    training = part.fold.training
    return solve(
        part.design,
        training.Y,
        strengths=strengths,
        columns=labels,
        weights=training.weights,
        support=None if part.support is None else part.support[labels],
        start=start,
        tol=tol,
        max_iter=learner.max_iter,
        dtype=learner.dtype,
    )


def _note(part: _Tried, places: Indices, labels: Indices, found: Solution) -> None:
    """Keep solutions and their losses."""
    coef, intercept = part.design.original(found.coef, found.intercept)
    part.losses[places, labels] = part.fold.losses(coef, intercept, labels)
    if part.coef is not None:
        part.coef[places, labels] = found.coef
        part.intercept[places, labels] = found.intercept
