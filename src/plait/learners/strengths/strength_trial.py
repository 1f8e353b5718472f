"""`StrengthTrial`: what is known of all strengths of the penalty in one split, and how to know it better."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.logistic.logistic_design import Design, prepared_design
from plait.learners.logistic.logistic_solver import solve
from plait.learners.pairs.pair_designs import pair_design
from plait.learners.strengths.held_out_losses import HeldOutLosses
from plait.learners.strengths.strength_splitting import StrengthFold
from plait.learners.training.column_scaling import column_means

__all__ = ["StrengthLearner", "StrengthTrial"]


# Solutions kept to start from later may take so many numbers.
MOST_KEPT = 2**25
# The solver takes the step that promises to gain a share `tol` of the objective, and solves its system so far that
# about a fifth of `tol` is left.
LEFT = 0.25


class StrengthLearner(Protocol):
    """What the search for strengths asks of a logistic learner."""

    fit_intercept: bool
    standardize: bool | str
    class_weight: Any
    max_iter: int
    dtype: str


class StrengthTrial:
    """Held-out losses (n_strengths, n_labels) of one split, how wrong they may be, and solutions to start from.

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
        self.losses, self.errors, self.tol = np.zeros(shape), np.zeros(shape), np.full(shape, np.inf)
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
            fold.training.X,
            fold.parents.values,
            standardize=learner.standardize,
            fit_intercept=learner.fit_intercept,
            row_weights=fold.training.row_weights,
        )

    @cached_property
    def support(self) -> npt.NDArray[np.bool_] | None:
        """Which columns of the design each label may use."""
        return self.fold.parents.support(self.fold.training)

    @cached_property
    def held_out(self) -> HeldOutLosses:
        """The held-out part."""
        part, n_extra = self.fold.held_out, len(self.fold.parents.labels)
        X, means = part.X, column_means(self.fold.training.X)
        if n_extra:
            stack: Any = sparse.hstack if sparse.issparse(X) else np.hstack
            X = stack([X, part.Y[:, self.fold.parents.labels]])
            means = np.append(means, self.fold.training.Y[:, self.fold.parents.labels].mean(axis=0))
        scales, centres = self.design.scales, self.design.centres
        rows = pair_design(X, scales, centres, intercept=False, dtype=np.float64)
        weights = np.ones((1, len(part.Y))) if part.weights is None else np.atleast_2d(part.weights.T)
        middle = (means - centres) / scales if self.learner.fit_intercept else np.zeros_like(scales)
        return HeldOutLosses(rows, part.Y.T, weights, middle)

    def note(
        self, place: int | Ints, labels: Ints, coef: Floats, intercept: Floats, losses: Floats, errors: Floats
    ) -> None:
        """Keep solutions, in units of X, their losses and how wrong these may be."""
        self.losses[place, labels], self.errors[place, labels] = losses, errors
        if self._coef is not None:
            self._coef[place, labels] = coef
            self._intercept[place, labels] = intercept

    def follow_path(self, tolerances: Sequence[float]) -> None:
        """Solve all labels for one strength after the other, each from where the two before lead."""
        earlier = before = None
        for place, tol in enumerate(tolerances):
            places = np.full(len(self.fold.labels), place)
            found = self._solved(places, self.fold.labels, _ahead(earlier, before), tol)
            earlier, before = before, found

    def refine(self, places: Ints, labels: Ints, tol: float) -> None:
        """Solve some labels for some strengths again, where that was not done to `tol`, from what was kept."""
        here = np.isin(labels, self.fold.labels) & (self.tol[places, labels] > tol)
        places, labels = places[here], labels[here]
        start = None
        if self._coef is not None:
            coef = self._coef[places, labels].astype(np.float64)
            start = _solution(*self.design.prepared(coef, self._intercept[places, labels]))
        if len(labels):
            self._solved(places, labels, start, tol)

    def _solved(self, places: Ints, labels: Ints, start: Solution | None, tol: float) -> Solution:
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
        used = np.ones(1) if self.support is None else self.support[labels]
        losses, slopes = self.held_out.judge(found.coef, found.intercept, labels, used)
        errors = np.where(found.converged, slopes * np.sqrt(2.0 * LEFT * tol * found.objective), np.inf)
        self.note(places, labels, *self.design.original(found.coef, found.intercept), losses, errors)
        self.tol[places, labels] = tol
        return found


def _solution(coef: Floats, intercept: Floats) -> Solution:
    nothing = np.zeros(len(intercept))
    return Solution(coef, intercept, nothing, nothing.astype(np.int64), nothing > 0)


def _ahead(earlier: Solution | None, before: Solution | None) -> Solution | None:
    """Return where two solutions lead, one step of the path further."""
    if earlier is None or before is None:
        return before
    return _solution(2.0 * before.coef - earlier.coef, 2.0 * before.intercept - earlier.intercept)
