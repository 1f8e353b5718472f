"""The joint over labels: which chains over the pooled scores, their penalty, and chains on the features beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from plait.core.arrays import Floats, Ints, Labels
from plait.core.randomness import generator
from plait.estimators.auto_joint.base_scores import Folds
from plait.estimators.auto_joint.score_chains import ScoreChain
from plait.estimators.ensemble_classifier import likeliest_weights
from plait.features import FeatureMask
from plait.inference import Auto
from plait.joint import MixtureJoint
from plait.learners import Learner, LinearConditionals, LogisticLearner
from plait.learners.training.problem import Problem
from plait.posterior import Posterior
from plait.structure import FullChain, LabelGraph, Structure

__all__ = ["RawChain", "graphs_for", "inference_for", "raw_chain", "share_beside", "stacked_marginals", "stage_folds"]

# Up to here several orders are mixed, and chains on the features tried; with more labels both cost more than they gain.
_MIXED_LABELS = 60
_N_ORDERS = {"fast": 1, "default": 5, "thorough": 10}
# A member of the mixture that weighs less is not worth its time.
_LEAST_SHARE = 0.02


def graphs_for(structure: Structure | None, effort: str, scores: Floats, Y: Labels, seed: int) -> list[LabelGraph]:
    """Return the label graphs that are mixed: one of a given structure, else chains, the first by information."""
    n_labels = Y.shape[1]
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
            self.conditionals.graph, np.ones(n_labels), np.zeros(n_labels), self.conditionals.parent_coef_
        )


def raw_chain(
    learner: Learner, X: Any, Y: Labels, weights: Any, graph: LabelGraph, split: tuple[Ints, Ints], stacked: Floats
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
    """
    if Y.shape[1] > _MIXED_LABELS:
        return None
    training, held = split
    known = ~np.isnan(stacked)
    held, stacked = held[known], stacked[known]
    part = learner.fit_checked(Problem(X[training], Y[training], graph, None, _of(weights, training)))
    assert isinstance(part, LinearConditionals)
    share, gain, _ = share_beside(stacked, _log_prob(part, X[held], Y[held]))
    if not share:
        return None
    whole = learner.fit_checked(Problem(X, Y, graph, None, weights))
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


def _log_prob(found: LinearConditionals, X: Any, Y: Labels) -> Floats:
    scores = found.base_scores(X) + Y @ found.parent_coef_.T
    return np.asarray(-np.logaddexp(0.0, np.where(Y == 1, -scores, scores)).sum(axis=1))


def _of(weights: Any, rows: Ints) -> Any:
    return None if weights is None else weights[rows]
