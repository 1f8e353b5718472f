"""Every ordered pair of labels: P(y_i | x, y_j) and P(y_i | x), scored on rows held out."""

import math
from dataclasses import replace
from typing import Any
from warnings import warn

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Array, Floats, Ints
from plait.core.checks import Interval, Nothing, check_value
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import EPSILON, log_sigmoid
from plait.core.randomness import generator
from plait.core.sentences import ParameterError
from plait.learners.label_pairs.pair_fits import PairFits, PairLearner, TargetPairs
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph
from plait.structure.pair_dependence import PairDependence

__all__ = ["pair_dependence_of"]

_kernels = lazy_module("plait.learners._score_kernels")

# Probabilities are kept within [EPSILON, 1 - EPSILON] by keeping scores within these bounds.
MOST_SCORE = math.log1p(-EPSILON) - math.log(EPSILON)


class PairScores:
    """Sums over scored rows; entry [j, i] belongs to label i with the help of label j.

    Parameters
    ----------
    n_labels : int
        Number of labels.
    consistent : bool
        Whether the information of a pair compares P(y_i | x, y_j) with its own mean over y_j, which makes it a true
        mutual information, or with P(y_i | x), which is trained apart [PACC 13].
    """

    def __init__(self, n_labels: int, consistent: bool) -> None:
        self.consistent = consistent
        self.log_likelihood = np.zeros((n_labels, n_labels))
        self.log_likelihood_alone = np.zeros(n_labels)
        self._information = np.zeros((n_labels, n_labels))
        self._mass = np.zeros(n_labels)

    @property
    def directed_information(self) -> Floats:
        """The weighted mean over rows; 0 where no row weighs anything."""
        return np.divide(self._information, self._mass, out=np.zeros_like(self._information), where=self._mass > 0)

    def scorer(self, fits: PairFits, scored: Problem) -> "Scorer":
        """Add what the fits of single labels say of the scored rows, and return what takes the pairs."""
        return Scorer(self, fits, scored)


class Scorer:
    """Scores the pairs of one split.

    A pair that has no fit, as one of its labels is constant in training, counts as the fit without the parent.
    """

    def __init__(self, scores: PairScores, fits: PairFits, scored: Problem) -> None:
        self.scores, self.fits, self.scored = scores, fits, scored
        self.labels = np.ascontiguousarray(scored.Y.T, dtype=np.float64)
        weights = 1.0 if scored.weights is None else _columns(scored.weights)
        self.weights = np.ascontiguousarray(np.broadcast_to(weights, scored.Y.shape).T)
        self.alone = np.empty((scored.n_labels, 3, scored.Y.shape[0]))
        logs = _kernels.logistic_logs if fits.compiled else plain_logs
        for found, row in zip(self.alone, fits.alone.base_scores(scored.X).T, strict=True):
            logs(np.ascontiguousarray(row), 0.0, MOST_SCORE, found)
        right = np.where(self.labels > 0, self.alone[:, 1], self.alone[:, 2])
        self.log_likelihood_alone = (self.weights * right).sum(axis=1)
        scores.log_likelihood_alone += self.log_likelihood_alone
        scores.log_likelihood += self.log_likelihood_alone
        scores._mass += self.weights.sum(axis=1)

    def add(self, pairs: TargetPairs) -> None:
        """Add the pairs of one target."""
        matrix = self.fits.matrix(self.scored.X, pairs.group, pairs.coefficients.dtype)
        found, i = np.zeros((pairs.parents.size, 2)), pairs.target
        score = _kernels.score_pairs if self.fits.compiled else plain_pair_scores
        score(
            matrix.scores(pairs.coefficients[:, :-1]),
            pairs.coefficients[:, -1].astype(np.float64),
            pairs.parents,
            self.labels,
            i,
            self.weights[i],
            self.alone,
            MOST_SCORE,
            self.scores.consistent,
            found,
        )
        self.scores.log_likelihood[pairs.parents, i] += found[:, 0] - self.log_likelihood_alone[i]
        self.scores._information[pairs.parents, i] += found[:, 1]


def plain_logs(scores: Array, shift: Array | float, most: float, out: Floats) -> None:
    """Fill out[0], out[1], out[2] with p, log p and log(1 - p) of scores + shift, kept between -most and most."""
    z = np.clip(np.asarray(scores, dtype=np.float64) + shift, -most, most)
    out[0], out[1], out[2] = expit(z), log_sigmoid(z), log_sigmoid(-z)


def plain_pair_scores(
    without: Array,
    coefficient: Floats,
    parent: Ints,
    labels: Floats,
    target: int,
    weight: Floats,
    alone: Floats,
    most: float,
    consistent: bool,
    found: Floats,
) -> None:
    """Add to found[j] the weighted sums over rows of log P(y_i | x, y_j) and of the information of the pair [PACC 13].

    `without[j]` are the scores of label i where its parent is 0; `alone[k]` are p, log p and log(1 - p) of label k
    without parents.
    """
    off, on = np.empty((3, *without.shape)), np.empty((3, *without.shape))
    plain_logs(without, 0.0, most, off)
    plain_logs(without, coefficient[:, None], most, on)
    share, given, y = alone[parent, 0], labels[parent], labels[target]
    base = alone[target][:, None]
    if consistent:
        mean = share * on[0] + (1.0 - share) * off[0]
        base = np.stack([mean, np.log(mean), np.log1p(-mean)])
    is_one, is_zero = np.where(given > 0, on[1], off[1]), np.where(given > 0, on[2], off[2])
    up = on[0] * (on[1] - base[1]) + (1.0 - on[0]) * (on[2] - base[2])
    down = off[0] * (off[1] - base[1]) + (1.0 - off[0]) * (off[2] - base[2])
    found[:, 0] += np.where(y > 0, is_one, is_zero) @ weight
    found[:, 1] += (share * up + (1.0 - share) * down) @ weight


def _columns(weights: Floats) -> Floats:
    return weights if weights.ndim == 2 else weights[:, None]


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
