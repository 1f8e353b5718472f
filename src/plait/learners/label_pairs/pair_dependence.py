"""Every ordered pair of labels: P(y_i | x, y_j) and P(y_i | x), scored on rows held out."""

from dataclasses import replace
from typing import Any
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Ints
from plait.core.checks import Interval, Nothing, check_value
from plait.core.randomness import generator
from plait.core.sentences import ParameterError
from plait.learners.label_pairs.pair_fits import PairFits, PairLearner, TargetPairs
from plait.learners.label_pairs.pair_scores import PairScores
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph
from plait.structure.pair_dependence import PairDependence

__all__ = ["pair_dependence_of"]


def row_splits(owner: str, n_samples: int, folds: float | int | None, random_state: Any) -> list[tuple[Ints, Ints]]:
    """Return (training rows, scored rows) of every split, both in ascending order.

    Parameters
    ----------
    owner : str
        Who asks, for errors.
    n_samples : int
        Number of rows.
    folds : float, int or None
        A share of rows to hold out once; or a number of parts each of which is held out in turn; or None to train on
        all rows and score them again.
    random_state : None, int, RandomState or Generator
        Shuffles the rows.

    Examples
    --------
    >>> [held.tolist() for _, held in row_splits("row_splits", 5, 2, random_state=0)]
    [[2, 3, 4], [0, 1]]
    """
    check_value(owner, "folds", folds, (Interval(float, 0, 1, closed="neither"), Interval(int, 2, None), Nothing()))
    everything = np.arange(n_samples)
    if folds is None:
        return [(everything, everything)]
    least = 2 if folds < 1 else int(folds)
    if n_samples < least:
        raise ParameterError(
            f"{owner} needs at least {least} rows for folds={folds}, but X has {n_samples}. "
            "Pass more rows, fewer folds, or folds=None."
        )
    shuffled = generator(random_state).permutation(n_samples)
    if folds < 1:
        held_out = min(max(round(folds * n_samples), 1), n_samples - 1)
        parts = [shuffled[:held_out]]
    else:
        parts = np.array_split(shuffled, int(folds))
    return [(np.setdiff1d(everything, part), np.sort(part)) for part in parts]


def pair_dependence_of(
    learner: PairLearner,
    problem: Problem,
    *,
    folds: float | int | None,
    coefficients: bool,
    consistent: bool,
    random_state: Any,
) -> PairDependence:
    """Return what a logistic learner finds about all ordered pairs; see `LogisticLearner.fit_pairs`."""
    problem = replace(problem, graph=LabelGraph([[]] * problem.n_labels))
    splits = row_splits(type(learner).__name__, problem.Y.shape[0], folds, random_state)
    scores = PairScores(problem.n_labels, consistent)
    kept = _Coefficients(problem) if coefficients else None
    failed = 0
    for training, scored in splits:
        fits = PairFits(learner, _rows(problem, training))
        scorer = scores.scorer(fits, _rows(problem, scored))
        if kept is not None and folds is None:
            kept.begin(fits)
        for pairs in fits.pairs():
            scorer.add(pairs)
            failed += int((~pairs.reached).sum())
            if kept is not None and folds is None:
                kept.add(fits, pairs)
    if kept is not None and folds is not None:
        failed += kept.collect(PairFits(learner, problem))
    _warn(learner, failed)
    n_held_out = 0 if folds is None else sum(scored.size for _, scored in splits)
    found = () if kept is None else (kept.coef, kept.parent_coef, kept.intercept)
    return PairDependence(
        scores.log_likelihood, scores.log_likelihood_alone, scores.directed_information, n_held_out, *found
    )


class _Coefficients:
    """Coefficients of all pairs in units of X; a pair without a fit keeps those of its target alone."""

    def __init__(self, problem: Problem) -> None:
        n_labels = problem.n_labels
        self.coef = np.zeros((n_labels, n_labels, problem.X.shape[1]))
        self.parent_coef = np.zeros((n_labels, n_labels))
        self.intercept = np.zeros((n_labels, n_labels))

    def begin(self, fits: PairFits) -> None:
        """Fill in the fits of single labels."""
        self.coef[:] = fits.alone.coef_
        self.intercept[:] = fits.alone.intercept_

    def add(self, fits: PairFits, pairs: TargetPairs) -> None:
        """Fill in the pairs of one target."""
        columns: Any = slice(None) if pairs.group.columns is None else pairs.group.columns
        size = fits.scales[columns].size
        coef = pairs.coefficients[:, :size] / fits.scales[columns]
        whole = np.zeros((pairs.parents.size, self.coef.shape[2]))
        whole[:, columns] = coef
        self.coef[pairs.parents, pairs.target] = whole
        self.parent_coef[pairs.parents, pairs.target] = pairs.coefficients[:, -1]
        intercept = pairs.coefficients[:, size] if fits.learner.fit_intercept else 0.0
        self.intercept[pairs.parents, pairs.target] = intercept - coef @ fits.centres[columns]

    def collect(self, fits: PairFits) -> int:
        """Fill in all; return how many pairs did not reach the tolerance."""
        self.begin(fits)
        failed = 0
        for pairs in fits.pairs():
            self.add(fits, pairs)
            failed += int((~pairs.reached).sum())
        return failed


def _rows(problem: Problem, rows: npt.NDArray[np.int64]) -> Problem:
    if rows.size == problem.Y.shape[0]:
        return problem
    weights = None if problem.weights is None else problem.weights[rows]
    return replace(problem, X=problem.X[rows], Y=problem.Y[rows], weights=weights)


def _warn(learner: PairLearner, failed: int) -> None:
    if failed:
        warn(
            f"{type(learner).__name__} did not reach tol={learner.tol} for {failed} pair(s) of labels. "
            "Raise max_iter or tol, lower C, or scale the columns of X.",
            ConvergenceWarning,
            stacklevel=4,
        )
