"""`StrengthTrial`: what is known of all strengths of the penalty in one split, and how to know it better."""

from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.learners.logistic_batch import Solution
from plait.learners.logistic_design import Design, prepared_design
from plait.learners.logistic_solver import solve
from plait.learners.strength_splitting import StrengthFold

__all__ = ["StrengthLearner", "StrengthTrial"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# Solutions kept to start from later may take so many numbers.
MOST_KEPT = 2**25


class StrengthLearner(Protocol):
    """What the search for strengths asks of a logistic learner."""

    fit_intercept: bool
    standardize: bool | str
    class_weight: Any
    max_iter: int
    dtype: str


class StrengthTrial:
    """Held-out losses (n_strengths, n_labels) of one split, and solutions to start from.

    Parameters
    ----------
    learner : StrengthLearner
        Says how labels are fitted.
    fold : StrengthFold
        The split.
    strengths : ndarray of shape (n_strengths,)
        The values of C.
    """

    def __init__(self, learner: StrengthLearner, fold: StrengthFold, strengths: Floats) -> None:
        self.learner, self.fold, self.strengths = learner, fold, strengths
        shape = (len(strengths), fold.training.n_labels)
        n_columns = fold.training.X.shape[1] + len(fold.parents.labels)
        self.losses, self.sure = np.zeros(shape), np.ones(shape, dtype=np.bool_)
        constant = np.setdiff1d(np.arange(shape[1]), fold.labels)
        self.losses[:, constant] = fold.constant_losses(constant)
        self._intercept = np.zeros(shape)
        keeps = shape[0] * shape[1] * n_columns <= MOST_KEPT
        self._coef = np.zeros((*shape, n_columns), dtype=np.float32) if keeps else None

    @cached_property
    def design(self) -> Design:
        """The training part, prepared."""
        learner, fold = self.learner, self.fold
        return prepared_design(
            fold.training.X, fold.parents.values, standardize=learner.standardize, fit_intercept=learner.fit_intercept
        )

    @cached_property
    def support(self) -> npt.NDArray[np.bool_] | None:
        """Which columns of the design each label may use."""
        return self.fold.parents.support(self.fold.training)

    def note(self, place: int | Indices, labels: Indices, coef: Floats, intercept: Floats, losses: Floats) -> None:
        """Keep solutions, in units of X, and their losses."""
        self.losses[place, labels] = losses
        if self._coef is not None:
            self._coef[place, labels] = coef
            self._intercept[place, labels] = intercept

    def follow_path(self, tol: float) -> None:
        """Solve all labels for one strength after the other, each from where the two before lead."""
        earlier = before = None
        for place in range(len(self.strengths)):
            places = np.full(len(self.fold.labels), place)
            found = self._solved(places, self.fold.labels, _ahead(earlier, before), tol)
            earlier, before = before, found

    def refine(self, places: Indices, labels: Indices, tol: float) -> None:
        """Solve some labels for some strengths again, from the solutions that were kept."""
        here = np.isin(labels, self.fold.labels)
        places, labels = places[here], labels[here]
        start = None
        if self._coef is not None:
            coef = self._coef[places, labels].astype(np.float64)
            start = _solution(*self.design.prepared(coef, self._intercept[places, labels]))
        if len(labels):
            self._solved(places, labels, start, tol)

    def _solved(self, places: Indices, labels: Indices, start: Solution | None, tol: float) -> Solution:
        training = self.fold.training
        found = solve(
            self.design,
            training.Y,
            strengths=self.strengths[places],
            columns=labels,
            weights=training.weights,
            support=None if self.support is None else self.support[labels],
            start=start,
            tol=tol,
            max_iter=self.learner.max_iter,
            dtype=self.learner.dtype,
        )
        coef, intercept = self.design.original(found.coef, found.intercept)
        self.note(places, labels, coef, intercept, self.fold.losses(coef, intercept, labels))
        self.sure[places, labels] = True
        return found


def _solution(coef: Floats, intercept: Floats) -> Solution:
    nothing = np.zeros(len(intercept))
    return Solution(coef, intercept, nothing, nothing.astype(np.int64), nothing > 0)


def _ahead(earlier: Solution | None, before: Solution | None) -> Solution | None:
    """Return where two solutions lead, one step of the path further."""
    if earlier is None or before is None:
        return before
    return _solution(2.0 * before.coef - earlier.coef, 2.0 * before.intercept - earlier.intercept)
