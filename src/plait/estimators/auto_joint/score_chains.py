"""The second stage: one calibrated score a label, and chains of labels over these scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from plait.core.arrays import Bools, Floats, Ints, Labels
from plait.core.parallel import Parallel, delayed
from plait.core.unknown_labels import has_unknown, known_cells, unknown_as_absent
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, log_losses
from plait.estimators.auto_joint.small_regressions import (
    few_column_fits,
    label_column_fits,
    membership,
    nearest_parents,
)
from plait.estimators.unknown_labels.copies import WeightedCopies, expected_copies, known_log_likelihood
from plait.estimators.unknown_labels.em import MOST_STEPS, MOST_STEPS_OF_RECORDS
from plait.estimators.unknown_labels.recording import chance_given_record
from plait.joint import LinearDistribution
from plait.joint.linear_distribution import ParentEffects, effects_along
from plait.joint.row_streams import row_seeds
from plait.learners import LinearConditionals, LogisticLearner
from plait.learners.training.problem import Problem, constant_labels
from plait.structure import LabelGraph

__all__ = ["PooledWeights", "ScoreChain", "chain_penalty", "fitted_chain"]

# Inverse strengths of the penalty that are tried for the chains, from where the search starts outwards.
_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = 4
# Pairs of a row and a label that weigh the base learners: more say nothing new about a handful of weights.
_MOST_PAIRS = 1 << 19
# A learner without which the log-loss grows by less than this share is left out.
_IDLE = 0.0025
# Added to the expected number of other labels.
_LEAST_RIVALS = 0.05
# Rows times labels up to which there are steps of EM where labels are unknown: copies of more take gigabytes.
_MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class PooledWeights:
    """The weights of the base learners, the same for all labels: `score = sum_m weight_m * log-odds_m + intercept`.

    Weights of each label by itself would follow the few positives of rare labels.
    """

    weights: Floats
    intercept: float

    @classmethod
    def fitted(
        cls,
        scores: Sequence[Floats],
        Y: Labels,
        sample_weight: Floats | None,
        seed: int,
        missed: Floats | None = None,
    ) -> "PooledWeights":
        """Return the weights of one logistic regression over all pairs of a row and a label that it knows."""
        if missed is not None:
            return cls._of_records(scores, Y, sample_weight, seed, missed)
        columns = np.stack([each.ravel() for each in scores], axis=1)
        labels = unknown_as_absent(Y).reshape(-1, 1)
        weights = None if sample_weight is None else np.repeat(sample_weight, Y.shape[1])
        if has_unknown(Y):
            known = known_cells(Y).ravel()
            columns, labels, weights = columns[known], labels[known], None if weights is None else weights[known]
        if len(labels) > _MOST_PAIRS:
            some = np.sort(np.random.default_rng(seed).choice(len(labels), _MOST_PAIRS, replace=False))
            columns, labels, weights = columns[some], labels[some], None if weights is None else weights[some]
        return cls._regressed(columns, labels, weights)

    @classmethod
    def _of_records(
        cls, scores: Sequence[Floats], Y: Labels, sample_weight: Floats | None, seed: int, missed: Floats
    ) -> "PooledWeights":
        """Return the weights after steps of EM: a 0 counts as far as the label may be there all the same."""
        cells = known_cells(Y) * (1.0 if sample_weight is None else sample_weight[:, None])
        used = np.flatnonzero(cells)
        if len(used) > _MOST_PAIRS:
            used = np.sort(np.random.default_rng(seed).choice(used, _MOST_PAIRS, replace=False))
        columns, found = np.stack([each.ravel()[used] for each in scores], axis=1), cls.equal(len(scores))
        for _ in range(MOST_STEPS_OF_RECORDS):
            targets = chance_given_record(expit(found.scores(scores)), Y, missed).ravel()[used, None]
            found = cls._regressed(columns, targets, np.asarray(cells, dtype=np.float64).ravel()[used])
        return found

    @classmethod
    def _regressed(cls, columns: Floats, labels: Any, weights: Floats | None) -> "PooledWeights":
        learner = LogisticLearner(C=100.0, standardize=False)
        found = learner.fit_checked(Problem(np.ascontiguousarray(columns), labels, LabelGraph([[]]), None, weights))
        assert isinstance(found, LinearConditionals)
        return cls(found.coef_[0], float(found.intercept_[0]))

    @classmethod
    def chosen(
        cls,
        scores: Sequence[Floats],
        Y: Labels,
        sample_weight: Floats | None,
        seed: int,
        missed: Floats | None = None,
    ) -> "PooledWeights":
        """Return the weights without learners that add next to nothing: theirs are 0, and predictions are spared them.

        One after the other is left out, that which costs least, as long as the log-loss of these rows grows by at most
        a quarter of a percent of what it is with all.
        """
        places = list(range(len(scores)))
        found = cls.fitted(scores, Y, sample_weight, seed, missed)
        most = (1.0 + _IDLE) * found.log_loss(scores, Y, sample_weight, missed)
        while len(places) > 1:
            groups = [[k for k in places if k != left] for left in places]
            tried = [cls.fitted([scores[k] for k in group], Y, sample_weight, seed, missed) for group in groups]
            losses = [
                each.log_loss([scores[k] for k in group], Y, sample_weight, missed)
                for each, group in zip(tried, groups, strict=True)
            ]
            best = int(np.argmin(losses))
            if losses[best] > most:
                break
            places, found = groups[best], tried[best]
        weights = np.zeros(len(scores))
        weights[places] = found.weights
        return cls(weights, found.intercept)

    def log_loss(
        self, log_odds: Sequence[Floats], Y: Labels, sample_weight: Floats | None, missed: Floats | None = None
    ) -> float:
        """Return the mean log-loss of a row, all labels summed."""
        return float(np.average(log_losses(self.scores(log_odds), Y, missed), weights=sample_weight))

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


def fitted_chain(
    scores: Floats,
    Y: Labels,
    graph: LabelGraph,
    C: float,
    sample_weight: Floats | None,
    seed: int = 0,
    missed: Floats | None = None,
) -> ScoreChain:
    """Return the chain of least penalised log-loss; every label sees its own score and its parents.

    A strong penalty is meant for what labels say about each other: that of a label's own score is at most the one for
    C = 1, so that the limit of C = 0 is independent labels with their calibrated scores.

    A label with many parents has a coefficient for each of those most correlated with it, and one for the number of
    its parents that are there, which all share. The expected number of other labels has one, too.

    Where labels are unknown, those that are known are trained first, unknown parents at their probabilities by their
    own scores; then steps of EM follow, whose draws come from the seed. `missed` is P(a label that is there is recorded
    as 0), of records.
    """
    design = _ChainDesign.of(scores, Y, graph, sample_weight, missed)
    chain, found = design.fitted(C)
    if (not has_unknown(Y) and missed is None) or not graph.edges or Y.size > _MOST_CELLS:
        return chain
    seeds, evidence = row_seeds(seed, len(Y)), np.asarray(Y, dtype=np.int8)
    fixed = constant_labels(Problem(scores, Y, graph, None, sample_weight).with_known_targets().class_mass())
    for _ in range(MOST_STEPS if missed is None else MOST_STEPS_OF_RECORDS):
        known: Any = chain.condition(scores).clamp(evidence)
        copies = design.copied(expected_copies(known, missed, seeds), sample_weight)
        after = copies.coefficients(C, found)
        after[fixed] = found[fixed]  # a label with one known value keeps it
        found, chain = after, design.chain(after)
    return chain


@dataclass(frozen=True, eq=False)
class _ChainDesign:
    """The columns of a chain's regressions, for fits with several penalties.

    `values` are those of labels as parents of others, from 0 to 1, `targets` those they are trained for.
    """

    graph: LabelGraph
    parents: Ints
    member: Floats | None
    scores: Floats
    values: Any
    targets: Any
    weights: Any

    @classmethod
    def of(
        cls, scores: Floats, Y: Labels, graph: LabelGraph, weights: Floats | None, missed: Floats | None = None
    ) -> "_ChainDesign":
        parents, many = nearest_parents(Y, graph)
        member = membership(graph) if many else None
        if not has_unknown(Y) and missed is None:
            return cls(graph, parents, member, scores, Y, Y, weights)
        cells = known_cells(Y) * (1.0 if weights is None else weights[:, None])
        values = chance_given_record(expit(scores), Y, 0.0 if missed is None else missed)
        return cls(graph, parents, member, scores, values, values, cells)

    def copied(self, copies: WeightedCopies, weights: Floats | None) -> "_ChainDesign":
        """Return the design of an M-step: copies of rows, with the weights of rows."""
        cells = copies.weights if weights is None else copies.weights * weights[copies.rows, None]
        scores = self.scores[copies.rows]
        return replace(self, scores=scores, values=copies.parents, targets=copies.targets, weights=cells)

    def fitted(self, C: float, start: Floats | None = None) -> tuple[ScoreChain, Floats]:
        """Return the chain, and its coefficients as a start of another penalty's."""
        found = self.coefficients(C, start)
        return self.chain(found), found

    def coefficients(self, C: float, start: Floats | None = None) -> Floats:
        """Return those of own columns, of parents, and the intercept."""
        more = [] if self.member is None else [self.values @ self.member.T]
        own = np.stack([self.scores, _rivals(self.scores), *more])
        scales = np.ones(own.shape[0] + self.parents.shape[1] + 1)
        scales[0] = max(1.0, C**-0.5)
        own = own * scales[: own.shape[0], None, None]
        first = None if start is None else start / scales
        if self.member is not None and self.values is self.targets and self.values.dtype == np.uint8:
            return label_column_fits(own, self.parents, self.values, C, self.weights, first) * scales
        values = self.values.astype(np.float64)
        return few_column_fits(own, values, self.parents, self.targets, C, self.weights, first) * scales

    def chain(self, found: Floats) -> ScoreChain:
        """Return the chain that has these coefficients."""
        n_own, n_labels = 2 if self.member is None else 3, self.graph.n_labels
        rows, columns = np.nonzero(self.parents >= 0)
        parent_coef = np.zeros((n_labels, n_labels))
        parent_coef[rows, self.parents[rows, columns]] = found[rows, n_own + columns]
        if self.member is not None:
            parent_coef += found[:, 2:3] * self.member
        return ScoreChain(self.graph, found[:, 0], found[:, -1], parent_coef, found[:, 1])


def chain_penalty(
    scores: Floats,
    Y: Labels,
    graph: LabelGraph,
    folds: Folds,
    sample_weight: Floats | None,
    n_jobs: int | None = None,
    missed: Floats | None = None,
) -> tuple[float, Floats]:
    """Return the C under which held-out rows are most likely, and log P(y | s) of these rows under it, NaN of others.

    Where labels are unknown, y are the known ones, and chains are those that EM starts from.

    The search goes from C = 1 to weaker penalties as long as they are better, else to stronger ones.
    """
    found: dict[int, Floats] = {}
    designs = [_ChainDesign.of(scores[rows], Y[rows], graph, _of(sample_weight, rows), missed) for rows, _ in folds]
    starts: list[Floats | None] = [None] * len(designs)

    def held_out(C: float) -> Floats:
        logs = np.full(len(Y), np.nan)
        fits = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(design.fitted)(C, start) for design, start in zip(designs, starts, strict=True)
        )
        for place, ((chain, found_there), (_, held)) in enumerate(zip(fits, folds, strict=True)):
            starts[place] = found_there
            logs[held] = known_log_likelihood(chain.condition(scores[held]), Y[held], held, missed)
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
