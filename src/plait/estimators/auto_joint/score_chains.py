"""The second stage: one calibrated score a label, and chains of labels over these scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from plait.core.arrays import Bools, Floats, Ints, Labels
from plait.core.parallel import Parallel, delayed, one_blas_thread
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, log_losses
from plait.joint import LinearDistribution
from plait.joint.linear_distribution import ParentEffects, effects_along
from plait.learners import LinearConditionals, LogisticLearner
from plait.learners.training.problem import Problem, constant_labels, constant_scores
from plait.structure import LabelGraph

__all__ = ["PooledWeights", "ScoreChain", "chain_penalty", "fitted_chain"]

# Inverse strengths of the penalty that are tried for the chains, from where the search starts outwards.
_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = 4
# Pairs of a row and a label that weigh the base learners: more say nothing new about a handful of weights.
_MOST_PAIRS = 1 << 19
# A learner without which the log-loss grows by less than this share is left out.
_IDLE = 0.0025
# With more parents than this, a label has coefficients for so many of them.
_MOST_PARENTS, _NEAREST = 60, 20
# Bytes of the designs of one batch of labels.
_BATCH = 1 << 23
# Labels share a batch whose columns are at most this many times as many as those of the first.
_ALIKE = 1.3
# Added to the expected number of other labels.
_LEAST_RIVALS = 0.05
_MOST_STEPS, _GAP = 50, 1e-8


@dataclass(frozen=True, eq=False)
class PooledWeights:
    """The weights of the base learners, the same for all labels: `score = sum_m weight_m * log-odds_m + intercept`.

    Weights of each label by itself would follow the few positives of rare labels.
    """

    weights: Floats
    intercept: float

    @classmethod
    def fitted(cls, scores: Sequence[Floats], Y: Labels, sample_weight: Floats | None, seed: int) -> "PooledWeights":
        """Return the weights of one logistic regression over all pairs of a row and a label."""
        columns = np.stack([each.ravel() for each in scores], axis=1)
        labels = Y.reshape(-1, 1)
        weights = None if sample_weight is None else np.repeat(sample_weight, Y.shape[1])
        if len(labels) > _MOST_PAIRS:
            some = np.sort(np.random.default_rng(seed).choice(len(labels), _MOST_PAIRS, replace=False))
            columns, labels, weights = columns[some], labels[some], None if weights is None else weights[some]
        learner = LogisticLearner(C=100.0, standardize=False)
        found = learner.fit_checked(Problem(np.ascontiguousarray(columns), labels, LabelGraph([[]]), None, weights))
        assert isinstance(found, LinearConditionals)
        return cls(found.coef_[0], float(found.intercept_[0]))

    @classmethod
    def chosen(cls, scores: Sequence[Floats], Y: Labels, sample_weight: Floats | None, seed: int) -> "PooledWeights":
        """Return the weights without learners that add next to nothing: theirs are 0, and predictions are spared them.

        One after the other is left out, that which costs least, as long as the log-loss of these rows grows by at most
        a quarter of a percent of what it is with all.
        """
        places = list(range(len(scores)))
        found = cls.fitted(scores, Y, sample_weight, seed)
        most = (1.0 + _IDLE) * found.log_loss(scores, Y, sample_weight)
        while len(places) > 1:
            groups = [[k for k in places if k != left] for left in places]
            tried = [cls.fitted([scores[k] for k in group], Y, sample_weight, seed) for group in groups]
            losses = [
                each.log_loss([scores[k] for k in group], Y, sample_weight)
                for each, group in zip(tried, groups, strict=True)
            ]
            best = int(np.argmin(losses))
            if losses[best] > most:
                break
            places, found = groups[best], tried[best]
        weights = np.zeros(len(scores))
        weights[places] = found.weights
        return cls(weights, found.intercept)

    def log_loss(self, log_odds: Sequence[Floats], Y: Labels, sample_weight: Floats | None) -> float:
        """Return the mean log-loss of a row, all labels summed."""
        return float(np.average(log_losses(self.scores(log_odds), Y), weights=sample_weight))

    @classmethod
    def equal(cls, n_learners: int) -> "PooledWeights":
        """Return the mean of the log-odds, for rows too few to weigh learners by."""
        return cls(np.full(n_learners, 1.0 / n_learners), 0.0)

    def scores_of(self, learners: Sequence[BaseScores], X: Any) -> Floats:
        """Return the weighted sum of new rows; learners without weight are not asked."""
        used = np.flatnonzero(self.weights)
        return PooledWeights(self.weights[used], self.intercept).scores([learners[int(k)].log_odds(X) for k in used])

    def scores(self, log_odds: Sequence[Floats]) -> Floats:
        """Return the weighted sum."""
        total = np.full(log_odds[0].shape, self.intercept)
        for weight, each in zip(self.weights, log_odds, strict=True):
            total += weight * each
        return total


@dataclass(frozen=True, eq=False)
class ScoreChain:
    """A product of conditionals over a graph: `slope_k s_k + rival_k r_k(s) + intercept_k + v_k y` are the log-odds.

    What speaks against a label are also labels that are not in front of it: `r_k(s) = log(c + sum_j P(y_j | s_j))` over
    the other labels, the number of them to be expected.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    slope, intercept : ndarray of shape (n_labels,)
        How a label's own score enters.
    parent_coef : ndarray of shape (n_labels, n_labels)
        Row k holds what each parent adds to label k.
    rival : ndarray of shape (n_labels,), optional
        How the expected number of other labels enters; not at all by default.
    counted : ndarray of bool, shape (n_labels,), optional
        Which labels are expected; all by default.
    """

    graph: LabelGraph
    slope: Floats
    intercept: Floats
    parent_coef: Floats
    rival: Floats | None = None
    counted: Bools | None = None

    @classmethod
    def independent(cls, n_labels: int) -> "ScoreChain":
        """Return the product of the labels' own probabilities."""
        nothing = np.zeros(n_labels)
        return cls(LabelGraph([[]] * n_labels), nothing + 1.0, nothing, np.zeros((n_labels, n_labels)))

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.slope)

    def condition(self, scores: Floats) -> LinearDistribution:
        """Return P(y | s) of every row of scores (n_rows, n_labels)."""
        base = scores * self.slope + self.intercept
        if self.rival is not None:
            base += self.rival * _rivals(scores, self.counted)
        return LinearDistribution(self.graph, base, self.parent_coef, effects=self._effects)

    @cached_property
    def _effects(self) -> ParentEffects:
        return effects_along(self.graph, self.parent_coef)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_effects"}

    def among(self, labels: Ints, n_labels: int, names: Sequence[str]) -> "ScoreChain":
        """Return the same chain with its labels as some of more labels, which depend on nothing."""
        parents: list[list[int]] = [[] for _ in range(n_labels)]
        for label, group in zip(labels.tolist(), self.graph.parents, strict=True):
            parents[label] = [int(labels[parent]) for parent in group]
        others = np.setdiff1d(np.arange(n_labels), labels).tolist()
        graph = LabelGraph(parents, [int(labels[k]) for k in self.graph.order] + others, names)
        slope, intercept, coef = np.ones(n_labels), np.zeros(n_labels), np.zeros((n_labels, n_labels))
        slope[labels], intercept[labels], coef[np.ix_(labels, labels)] = self.slope, self.intercept, self.parent_coef
        if self.rival is None:
            return ScoreChain(graph, slope, intercept, coef)
        rival, counted = np.zeros(n_labels), np.zeros(n_labels, dtype=np.bool_)
        rival[labels], counted[labels] = self.rival, True
        return ScoreChain(graph, slope, intercept, coef, rival, counted)


def _rivals(scores: Floats, counted: Bools | None = None) -> Floats:
    """Return the log of how many other labels are to be expected, and a little more."""
    chances = expit(scores)
    if counted is not None:
        chances *= counted
    return np.asarray(np.log(np.maximum(chances.sum(axis=1, keepdims=True) - chances, 0.0) + _LEAST_RIVALS))


def fitted_chain(scores: Floats, Y: Labels, graph: LabelGraph, C: float, sample_weight: Floats | None) -> ScoreChain:
    """Return the chain of least penalised log-loss; every label sees its own score and its parents.

    A strong penalty is meant for what labels say about each other: that of a label's own score is at most the one for
    C = 1, so that the limit of C = 0 is independent labels with their calibrated scores.

    A label with many parents has a coefficient for each of those most correlated with it, and one for the number of
    its parents that are there, which all share. The expected number of other labels has one, too.
    """
    return _ChainDesign.of(scores, Y, graph, sample_weight).fitted(C)[0]


@dataclass(frozen=True, eq=False)
class _ChainDesign:
    """The columns of a chain's regressions, for fits with several penalties."""

    graph: LabelGraph
    own: Floats
    member: Floats | None
    parents: Ints
    Y: Labels
    weights: Floats | None

    @classmethod
    def of(cls, scores: Floats, Y: Labels, graph: LabelGraph, weights: Floats | None) -> "_ChainDesign":
        parents, many = _nearest_parents(Y, graph)
        member = _membership(graph) if many else None
        own = np.stack([scores, _rivals(scores), *([] if member is None else [Y @ member.T])])
        return cls(graph, own, member, parents, Y, weights)

    def fitted(self, C: float, start: Floats | None = None) -> tuple[ScoreChain, Floats]:
        """Return the chain, and its coefficients as a start of another penalty's: own columns, parents, intercept."""
        scales = np.ones(self.own.shape[0] + self.parents.shape[1] + 1)
        scales[0] = max(1.0, C**-0.5)
        own = self.own * scales[: self.own.shape[0], None, None]
        first = None if start is None else start / scales
        found = few_column_fits(own, self.Y.astype(np.float64), self.parents, self.Y, C, self.weights, first) * scales
        n_own, n_labels = len(own), self.Y.shape[1]
        rows, columns = np.nonzero(self.parents >= 0)
        parent_coef = np.zeros((n_labels, n_labels))
        parent_coef[rows, self.parents[rows, columns]] = found[rows, n_own + columns]
        if self.member is not None:
            parent_coef += found[:, 2:3] * self.member
        return ScoreChain(self.graph, found[:, 0], found[:, -1], parent_coef, found[:, 1]), found


def _nearest_parents(Y: Labels, graph: LabelGraph) -> tuple[Ints, bool]:
    """Return the parents that each label has a coefficient for, -1 for none, and whether some have more."""
    most = max((len(group) for group in graph.parents), default=0)
    many = most > _MOST_PARENTS
    places = np.full((len(graph.parents), min(most, _NEAREST if many else most)), -1, dtype=np.int64)
    centred = Y - Y.mean(axis=0)
    sizes = np.maximum(np.sqrt((centred**2).sum(axis=0)), 1e-12)
    for label, group in enumerate(graph.parents):
        chosen = np.array(group, dtype=np.int64)
        if len(chosen) > places.shape[1]:
            strength = np.abs(centred[:, label] @ centred[:, chosen]) / sizes[chosen]
            chosen = chosen[np.argsort(-strength, kind="stable")[: places.shape[1]]]
        places[label, : len(chosen)] = chosen
    return places, many


def _membership(graph: LabelGraph) -> Floats:
    """Return which labels are parents of which, row k those of label k."""
    member = np.zeros((len(graph.parents),) * 2)
    for label, group in enumerate(graph.parents):
        member[label, list(group)] = 1.0
    return member


def chain_penalty(
    scores: Floats,
    Y: Labels,
    graph: LabelGraph,
    folds: Folds,
    sample_weight: Floats | None,
    n_jobs: int | None = None,
) -> tuple[float, Floats]:
    """Return the C under which held-out rows are most likely, and log P(y | s) of these rows under it, NaN of others.

    The search goes from C = 1 to weaker penalties as long as they are better, else to stronger ones.
    """
    found: dict[int, Floats] = {}
    designs = [_ChainDesign.of(scores[rows], Y[rows], graph, _of(sample_weight, rows)) for rows, _ in folds]
    starts: list[Floats | None] = [None] * len(designs)

    def held_out(C: float) -> Floats:
        logs = np.full(len(Y), np.nan)
        fits = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(design.fitted)(C, start) for design, start in zip(designs, starts, strict=True)
        )
        for place, ((chain, found_there), (_, held)) in enumerate(zip(fits, folds, strict=True)):
            starts[place] = found_there
            logs[held] = chain.condition(scores[held]).log_prob(Y[held])
        return logs

    def gain(place: int) -> float:
        if place not in found:
            found[place] = held_out(_STRENGTHS[place])
        known = ~np.isnan(found[place])
        return float(np.average(found[place][known], weights=_of(sample_weight, known)))

    best = _FIRST
    for step in (1, -1):
        while 0 <= best + step < len(_STRENGTHS) and gain(best + step) > gain(best):
            best += step
        if best != _FIRST:
            break
    return _STRENGTHS[best], found[best]


def _of(weights: Floats | None, rows: Any) -> Floats | None:
    return None if weights is None else weights[rows]


def few_column_fits(
    own: Floats, others: Floats, places: Ints, Y: Labels, C: float, weights: Floats | None, start: Floats | None = None
) -> Floats:
    """Return coefficients and intercepts, (n_labels, m + k + 1), of `C * sum_i weight_i log-loss_i + 1/2 ||w||^2`.

    Labels with one value only have no coefficients and the log-odds of their Laplace estimate.

    Parameters
    ----------
    own : ndarray of shape (m, n_samples, n_labels)
        Columns that each label has to itself.
    others : ndarray of shape (n_samples, n_columns)
        Columns of which each label takes some.
    places : ndarray of int, shape (n_labels, k)
        Which of them; -1 for none, behind all others.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    C : float
        Inverse strength of the penalty, which leaves the intercept alone.
    weights : ndarray of shape (n_samples,), optional
        Weights of rows.
    start : ndarray of shape (n_labels, m + k + 1), optional
        Where to start from; zeros by default.
    """
    n_rows, n_labels = Y.shape
    weights = np.ones(n_rows) if weights is None else weights
    mass = np.column_stack([weights @ (1.0 - Y), weights @ Y])
    found = np.zeros((n_labels, own.shape[0] + places.shape[1] + 1))
    found[:, -1] = constant_scores(mass)
    fitted = np.flatnonzero(~constant_labels(mass))
    padded = np.column_stack([others, np.zeros(n_rows)])  # place -1 is a column of zeros, whose coefficient is 0
    counts = (places >= 0).sum(axis=1)
    fitted = fitted[np.argsort(counts[fitted], kind="stable")]  # batches of about as many columns
    begin = 0
    with one_blas_thread():
        while begin < len(fitted):
            some = _batch(fitted[begin:], counts, n_rows)
            begin, n_own, n_taken = begin + len(some), own.shape[0], int(counts[some[-1]])
            design = np.ones((len(some), n_rows, n_own + n_taken + 1))
            design[:, :, :n_own] = own[:, :, some].transpose(2, 1, 0)
            design[:, :, n_own:-1] = padded[:, places[some, :n_taken]].transpose(1, 0, 2)
            columns = np.append(np.arange(n_own + n_taken), found.shape[1] - 1)
            kept = np.ix_(some, columns)
            first = np.zeros(design.shape[::2]) if start is None else start[kept]
            found[kept] = _newton(design, Y[:, some].T.astype(np.float64), C * weights, first)
    return found


def _batch(labels: Ints, counts: Ints, n_rows: int) -> Ints:
    """Return the first of these labels, as many as fit together; those behind have more columns."""
    n_columns = counts[labels] + 1
    bytes_taken = 8 * n_rows * n_columns * np.arange(1, len(labels) + 1)
    alike = n_columns <= _ALIKE * (n_columns[0] + 1)
    return labels[: max(1, int((alike & (bytes_taken <= _BATCH)).sum()))]


def _newton(design: Floats, labels: Floats, weights: Floats, start: Floats) -> Floats:
    """Return the minima of a batch, each step halved until it lowers the objective enough."""
    n_labels, _, width = design.shape
    penalty = np.append(np.ones(width - 1), 1e-8)
    found, scores = start, np.matmul(design, start[:, :, None])[:, :, 0]
    value = _objective(scores, found, labels, weights, penalty)
    active = np.arange(n_labels)
    for _ in range(_MOST_STEPS):
        part, chance = design[active], 1.0 / (1.0 + np.exp(-scores[active]))
        gradient = np.matmul(((chance - labels[active]) * weights)[:, None, :], part)[:, 0] + penalty * found[active]
        curvature = (chance * (1.0 - chance) * weights)[:, :, None] * part
        hessian = np.matmul(part.transpose(0, 2, 1), curvature) + np.diag(penalty)
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        slope = (gradient * step).sum(axis=1)
        moved, length = np.matmul(part, step[:, :, None])[:, :, 0], np.ones(len(active))
        for _halving in range(30):
            trial = found[active] + length[:, None] * step, scores[active] + length[:, None] * moved
            after = _objective(trial[1], trial[0], labels[active], weights, penalty)
            short = after > value[active] + 1e-4 * length * slope + 1e-12 * np.abs(value[active])
            if not short.any():
                break
            length[short] /= 2.0
        found[active], scores[active], value[active] = trial[0], trial[1], after
        active = active[-slope > _GAP * (1.0 + np.abs(after))]
        if not len(active):
            break
    return found


def _objective(scores: Floats, found: Floats, labels: Floats, weights: Floats, penalty: Floats) -> Floats:
    losses = np.logaddexp(0.0, scores) - labels * scores
    return np.asarray(losses @ weights + 0.5 * (found**2) @ penalty)
