"""Every ordered pair of labels: P(y_i | x, y_j) and P(y_i | x), scored on rows held out."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Array, Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import EPSILON, log_sigmoid
from plait.core.progress_bar import progress
from plait.core.sentences import warn_user
from plait.learners.conditionals import Conditionals
from plait.learners.logistic.pair_fits import PairFits, PairLearner, TargetPairs
from plait.learners.training.problem import Problem, constant_labels, row_splits
from plait.structure import LabelGraph
from plait.structure.pair_dependence import PairDependence

__all__ = ["pair_dependence_of", "refitted_pair_dependence"]

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
        self._mass: Floats = np.zeros(n_labels)

    @property
    def directed_information(self) -> Floats:
        """The weighted mean over rows; 0 where no row weighs anything."""
        return np.divide(self._information, self._mass, out=np.zeros_like(self._information), where=self._mass > 0)


class Scorer:
    """Scores the pairs of one split.

    A pair that has no fit, as one of its labels is constant in training, counts as the fit without the parent.

    Parameters
    ----------
    scores : PairScores
        Where sums are kept.
    alone : Conditionals
        Fits of all labels without parents.
    scored : Problem
        The rows to score.
    compiled : bool
        Whether loops over rows are compiled.
    """

    def __init__(self, scores: PairScores, alone: Conditionals, scored: Problem, *, compiled: bool) -> None:
        self.scores, self._compiled = scores, compiled
        self.labels = np.ascontiguousarray(scored.Y.T, dtype=np.float64)
        weights = 1.0 if scored.weights is None else _columns(scored.weights)
        self.weights = np.ascontiguousarray(np.broadcast_to(weights, scored.Y.shape).T)
        self.alone = np.empty((scored.n_labels, 3, scored.Y.shape[0]))
        logs = _kernels.logistic_logs if compiled else plain_logs
        for found, row in zip(self.alone, alone.base_scores(scored.X).T, strict=True):
            logs(np.ascontiguousarray(row), 0.0, MOST_SCORE, found)
        self._right = np.where(self.labels > 0, self.alone[:, 1], self.alone[:, 2])
        self.log_likelihood_alone = (self.weights * self._right).sum(axis=1)
        scores.log_likelihood_alone += self.log_likelihood_alone
        scores.log_likelihood += self.log_likelihood_alone
        # Parents that are not Y: some are unknown, and a pair counts where both of its labels are known.
        self._known = None if scored.parents is None else self.weights > 0
        scores._mass = scores._mass + (
            self.weights.sum(axis=1) if self._known is None else self._known @ self.weights.T
        )

    def add(self, target: int, parents: Ints, without: Array, shifts: Array) -> None:
        """Add pairs of one target: its scores where the parent is 0, and by how much they rise where it is 1.

        Shifts are one number for each pair, or, where nothing is compiled, one for each pair and row.
        """
        shifts, weight = shifts.astype(np.float64), self.weights[target]
        if self._known is None:
            found = self._scored(target, parents, without, shifts, weight)
            self.scores.log_likelihood[parents, target] += found[:, 0] - self.log_likelihood_alone[target]
            self.scores._information[parents, target] += found[:, 1]
            return
        for place, parent in enumerate(parents.tolist()):
            both = weight * self._known[parent]
            pair = slice(place, place + 1)
            found = self._scored(target, parents[pair], without[pair], shifts[pair], both)
            self.scores.log_likelihood[parent, target] += found[0, 0] - both @ self._right[target]
            self.scores._information[parent, target] += found[0, 1]

    def _scored(self, target: int, parents: Ints, without: Array, shifts: Array, weight: Floats) -> Floats:
        found = np.zeros((parents.size, 2))
        score = _kernels.score_pairs if self._compiled else plain_pair_scores
        given = (self.labels, target, weight, self.alone)
        score(without, shifts, parents, *given, MOST_SCORE, self.scores.consistent, found)
        return found


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
    plain_logs(without, coefficient.reshape(len(without), -1), most, on)
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


def pair_dependence_of(
    learner: PairLearner,
    problem: Problem,
    *,
    folds: float | int | None,
    random_state: Any,
    coefficients: bool = False,
    consistent: bool = False,
    candidates: Sequence[Ints] | None = None,
) -> PairDependence:
    """Return what a logistic learner finds about all ordered pairs; see `LogisticLearner.fit_pairs`.

    With `candidates`, the parents of each label, other pairs count as the fits without parents.
    """
    problem = replace(problem, graph=LabelGraph([[]] * problem.n_labels)).with_known_targets()
    splits = row_splits(type(learner).__name__, problem.Y.shape[0], folds, random_state)
    scores = PairScores(problem.n_labels, consistent)
    kept = _Coefficients(problem) if coefficients else None
    failed = 0
    for training, scored in splits:
        fits, rows = PairFits(learner, problem.part(training), candidates), problem.part(scored)
        scorer = Scorer(scores, fits.alone, rows, compiled=fits.compiled)
        if kept is not None and folds is None:
            kept.begin(fits)
        failed += _scored(fits, rows, scorer, kept if folds is None else None)
    if kept is not None and folds is not None:
        failed += kept.collect(PairFits(learner, problem, candidates))
    _warn(learner, failed)
    n_held_out = 0 if folds is None else sum(scored.size for _, scored in splits)
    found = () if kept is None else (kept.coef, kept.parent_coef, kept.intercept)
    return PairDependence(
        scores.log_likelihood, scores.log_likelihood_alone, scores.directed_information, n_held_out, *found
    )


def _scored(fits: PairFits, rows: Problem, scorer: Scorer, kept: "_Coefficients | None") -> int:
    """Score the pairs of all targets on rows, keep them where asked; return how many did not reach the tolerance."""
    failed: list[int] = []

    def use(pairs: TargetPairs) -> None:
        matrix, shifts = fits.matrix(rows.X, pairs.group, pairs.coefficients.dtype), pairs.coefficients[:, -1]
        scorer.add(pairs.target, pairs.parents, matrix.scores(pairs.coefficients[:, :-1]), shifts)
        failed.append(int((~pairs.reached).sum()))
        if kept is not None:
            kept.add(fits, pairs)

    fits.each(use, rows.X)
    return sum(failed)


def refitted_pair_dependence(
    learner: Any,
    problem: Problem,
    *,
    folds: float | int | None,
    random_state: Any,
    consistent: bool = False,
    candidates: Sequence[Ints] | None = None,
) -> PairDependence:
    """Return the same of any learner that gives probabilities, each pair trained for itself.

    One label after the other is the parent of all others, so a learner trains `n_labels` stars on every split.
    """
    n_labels = problem.n_labels
    splits = row_splits(type(learner).__name__, problem.Y.shape[0], folds, random_state)
    scores = PairScores(n_labels, consistent)
    for training, scored in splits:
        trained, rows = problem.part(training), problem.part(scored).with_known_targets()
        alone = learner.fit_checked(replace(trained, graph=LabelGraph([[]] * n_labels)))
        alone.require_probabilities("fit_pairs")
        scorer = Scorer(scores, alone, rows, compiled=False)
        varying = np.flatnonzero(~constant_labels(trained.with_known_targets().class_mass()))
        for parent in progress(varying.tolist() if len(varying) > 1 else [], f"{type(learner).__name__}, pairs"):
            children = [k for k in varying.tolist() if k != parent and (candidates is None or parent in candidates[k])]
            # Only what has the parent is trained.
            columns = [*children, parent] if candidates is not None else list(range(n_labels))
            place = columns.index(parent)
            star = LabelGraph([[] if label == place else [place] for label in range(len(columns))])
            fitted = learner.fit_checked(replace(trained.of_labels(columns), graph=star))
            for label in children:
                off, on = fitted.score_table(columns.index(label), rows.X).T
                scorer.add(label, np.array([parent]), off[None], (on - off)[None])
    n_held_out = 0 if folds is None else sum(scored.size for _, scored in splits)
    return PairDependence(scores.log_likelihood, scores.log_likelihood_alone, scores.directed_information, n_held_out)


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
        failed: list[int] = []

        def use(pairs: TargetPairs) -> None:
            self.add(fits, pairs)
            failed.append(int((~pairs.reached).sum()))

        fits.each(use)
        return sum(failed)


def _warn(learner: PairLearner, failed: int) -> None:
    if failed:
        warn_user(
            f"{type(learner).__name__} did not reach tol={learner.tol} for {failed} pair(s) of labels. "
            "Raise max_iter or tol, lower C, or scale the columns of X.",
            ConvergenceWarning,
        )
