"""The joint over labels: which chains over the pooled scores, their penalty, and chains on the features beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from plait.core.arrays import Floats, Ints, Labels
from plait.core.randomness import generator
from plait.core.unknown_labels import given_again, unknown_as_absent
from plait.estimators.auto_joint.base_scores import Folds
from plait.estimators.auto_joint.score_chains import ScoreChain
from plait.estimators.ensemble_classifier import likeliest_weights
from plait.estimators.unknown_labels.copies import known_log_likelihood
from plait.estimators.unknown_labels.em import fitted_on_known
from plait.features import FeatureMask
from plait.inference import Auto
from plait.joint import LinearDistribution, MixtureJoint
from plait.learners import Learner, LinearConditionals, LogisticLearner
from plait.learners.training.problem import Problem
from plait.losses.expected_f1 import f1_thresholds
from plait.posterior import Posterior
from plait.structure import FullChain, LabelGraph, Structure

__all__ = [
    "RawChain",
    "graphs_for",
    "inference_for",
    "raw_chain",
    "share_beside",
    "stacked_marginals",
    "stacked_thresholds",
    "stage_folds",
]

# Up to here several orders are mixed, and chains on the features tried; with more labels both cost more than they gain.
_MIXED_LABELS = 60
_N_ORDERS = {"fast": 1, "default": 5, "thorough": 10}
# Rows whose marginals thresholds are found from.
_MOST_ASKED = 5000
# A member of the mixture that weighs less is not worth its time.
_LEAST_SHARE = 0.02


def graphs_for(structure: Structure | None, effort: str, scores: Floats, Y: Labels, seed: int) -> list[LabelGraph]:
    """Return the label graphs that are mixed: one of a given structure, else chains, the first by information."""
    n_labels, Y = Y.shape[1], given_again(Y)
    if structure is not None:
        pairs = None
        if structure.needs_pairs(n_labels):
            own = FeatureMask.by_label([[k] for k in range(n_labels)], [[1.0]] * n_labels, n_labels)
            pairs = LogisticLearner(standardize=False).fit_pairs(scores, Y, mask=own, random_state=seed)
        return [structure.build(scores, Y, pairs=pairs, random_state=seed)]
    first = FullChain("information").build(scores, Y)
    n_more = _N_ORDERS[effort] - 1 if n_labels <= _MIXED_LABELS else 0
    draws = generator(seed)
    return [first] + [
        FullChain("random").build(scores, Y, random_state=draws) for _ in range(n_more if n_labels > 1 else 0)
    ]


def inference_for(n_labels: int) -> Auto:
    """Return how questions are answered: where samples of many labels are needed, by fewer of them."""
    return Auto() if n_labels <= _MIXED_LABELS else Auto(n_samples=250)


def stacked_marginals(joint: MixtureJoint, scores: Floats, names: Sequence[str], seed: int) -> Floats:
    """Return the marginals of rows by the chains over their pooled scores, those on the features left aside."""
    own = [place for place, each in enumerate(joint.joints) if _reads_pooled(each, len(names))]
    shares = joint.weights[own]
    mixed = MixtureJoint(shares / shares.sum(), tuple(joint.joints[place] for place in own))
    asked = Posterior(mixed, scores, names, inference_for(len(names)), "subset", seed)
    return np.clip(asked.marginals(), 0.0, 1.0)


def stacked_thresholds(
    joint: MixtureJoint,
    names: Sequence[str],
    constant: Floats,
    varying: Ints,
    scores: Floats,
    Y: Labels,
    weights: Any,
    seed: int,
) -> dict[str, Any]:
    """Return the thresholds of largest expected F1, from some rows that the scores' models have not seen.

    Parameters
    ----------
    joint, names
        The chains over scores of all labels, and their names.
    constant : ndarray of shape (n_labels,)
        Scores of labels that do not vary.
    varying : ndarray of int
        The labels that do.
    scores, Y, weights
        Their pooled scores and values, and weights of rows or None.
    seed : int
        Which rows, and of draws.
    """
    some = np.sort(generator(seed).permutation(len(Y))[:_MOST_ASKED])
    every = np.tile(constant, (len(some), 1))
    every[:, varying] = scores[some]
    labels = np.tile(constant > 0, (len(some), 1))
    labels[:, varying] = unknown_as_absent(Y[some])
    kept = None if weights is None else weights[some]
    return f1_thresholds(stacked_marginals(joint, every, names, seed), labels.astype(np.uint8), kept)


def _reads_pooled(joint: Any, n_labels: int) -> bool:
    return n_labels == 0 or int(joint.columns[0]) < n_labels


def stage_folds(n_rows: int, n_labels: int, seed: int) -> Folds:
    """Return the three parts by which this stage chooses, or one of them where labels are many."""
    parts = list(KFold(min(3, n_rows), shuffle=True, random_state=seed % 2**31).split(np.zeros((n_rows, 1))))
    return parts if n_labels <= _MIXED_LABELS else parts[:1]


@dataclass(frozen=True, eq=False)
class RawChain:
    """A chain on the features themselves: its scores without parents, and its weight beside the chains on scores.

    Parameters
    ----------
    conditionals : LinearConditionals
        Fitted on all rows.
    weight : float
        Its share of the mixture.
    gain : float
        How much more likely rows held out are with it, in nats a row.
    """

    conditionals: LinearConditionals
    weight: float
    gain: float

    def chain(self) -> ScoreChain:
        """Return the chain over its own scores."""
        n_labels = self.conditionals.n_labels
        return ScoreChain(
            self.conditionals.graph, np.ones(n_labels), np.zeros(n_labels), self.conditionals.dense_parent_coef
        )


def raw_chain(
    learner: Learner,
    X: Any,
    Y: Labels,
    weights: Any,
    graph: LabelGraph,
    split: tuple[Ints, Ints],
    stacked: Floats,
    seed: int,
    missed: Floats | None = None,
) -> RawChain | None:
    """Return a chain on the features where rows held out prefer a mixture with it by more than a standard error.

    Parameters
    ----------
    learner : LogisticLearner
        With penalties that are known, where they are.
    X, Y, weights : arrays
        The training rows.
    graph : LabelGraph
        The chain.
    split : (training rows, held-out rows)
        Where it is compared.
    stacked : ndarray of shape (n_held_out,)
        log P(y | scores) of the held-out rows under the chains on scores, fitted without them; NaN where unknown.
    seed : int
        Of draws, where labels are unknown.
    missed : ndarray of shape (n_labels,), optional
        P(a label that is there is recorded as 0).
    """
    if Y.shape[1] > _MIXED_LABELS:
        return None
    training, held = split
    known = ~np.isnan(stacked)
    held, stacked = held[known], stacked[known]
    problem = Problem(X[training], Y[training], graph, None, _of(weights, training))
    part = fitted_on_known(learner, problem, seed, missed)
    assert isinstance(part, LinearConditionals)
    distribution = LinearDistribution(graph, part.base_scores(X[held]), part.parent_coef_)
    share, gain, _ = share_beside(stacked, known_log_likelihood(distribution, Y[held], held, missed))
    if not share:
        return None
    whole = fitted_on_known(learner, Problem(X, Y, graph, None, weights), seed, missed)
    assert isinstance(whole, LinearConditionals)
    return RawChain(whole, share, gain)


def share_beside(first: Floats, second: Floats) -> tuple[float, float, Floats]:
    """Return the share of a second model beside a first one, the gain in nats a row, and log P of their mixture.

    The share is the one under which rows held out are most likely; it is 0 unless the gain is more than a standard
    error.

    Parameters
    ----------
    first, second : ndarray of shape (n_held_out,)
        log P(y | x) of rows held out.

    Examples
    --------
    >>> rare, common = np.log([0.1, 0.1, 0.2]), np.log([0.8, 0.9, 0.7])
    >>> share_beside(rare, common)[0] > 0.99, share_beside(common, rare)[0]
    (True, 0.0)
    """
    logs = np.column_stack([first, second])
    shares = likeliest_weights(logs)
    mixed = np.logaddexp(*(logs + np.log(np.maximum(shares, 1e-300))).T)
    gains = mixed - first
    if shares[1] < _LEAST_SHARE or gains.mean() <= gains.std() / np.sqrt(len(gains)):
        return 0.0, 0.0, first
    return float(shares[1]), float(gains.mean()), mixed


def _of(weights: Any, rows: Ints) -> Any:
    return None if weights is None else weights[rows]
