"""A Monte Carlo walk over the orders of a chain, which keeps the best it meets [Read2014]."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from plait.baselines.foundations.column_scaling import beside
from plait.core.arrays import Floats, Labels
from plait.core.logspace import log_sigmoid
from plait.core.progress_bar import progress
from plait.features import FeatureMask
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.learners import Learner

__all__ = ["ChainPayoff", "ScoredOrder", "best_orders", "place_chances", "swapped"]

# A label, and the labels before it: P(y_label | x, y_before) does not depend on how those are arranged.
Link = tuple[int, frozenset[int]]
_ORDERS_KEPT = 4
# Payoffs that differ by less than this share of their size are taken as equal: solvers stop about there.
_EQUAL = 1e-6
# However cold, a place can be picked: two different ones must be found.
_LEAST = 1e-300


class ScoredOrder(NamedTuple):
    """An order of the labels and its payoff."""

    payoff: float
    order: tuple[int, ...]


def best_orders(
    payoff: Callable[[Sequence[int]], float],
    n_labels: int,
    *,
    n_steps: int,
    n_best: int,
    beta: float,
    draws: np.random.Generator,
) -> list[ScoredOrder]:
    """Return the orders kept by the walk, the best first.

    The walk starts at a random order. Each step proposes to swap two labels; the walk goes there if the order is new
    and better than the worst of the `n_best` kept so far (or fewer are kept), which it replaces. With `n_best=1` this
    goes uphill only.

    Parameters
    ----------
    payoff : callable
        Says how good an order is.
    n_labels : int
        How many labels.
    n_steps : int
        How many proposals.
    n_best : int
        How many orders are kept.
    beta : float
        How fast the beginning of the chain freezes, see `place_chances`.
    draws : Generator
        Draws the start and the proposals.

    Examples
    --------
    >>> rising = lambda order: float(sum(place * label for place, label in enumerate(order)))
    >>> best_orders(rising, 4, n_steps=100, n_best=1, beta=0.0, draws=np.random.default_rng(0))
    [ScoredOrder(payoff=14.0, order=(0, 1, 2, 3))]
    """
    order = tuple(draws.permutation(n_labels).tolist())
    kept = [ScoredOrder(payoff(order), order)]
    for step in progress(range(n_steps if n_labels > 1 else 0), "orders of the chain"):
        proposal = swapped(order, step, beta, draws)
        if any(proposal == known for _, known in kept):
            continue
        found = ScoredOrder(payoff(proposal), proposal)
        if len(kept) < n_best:
            kept.append(found)
        elif _better(found.payoff, min(kept).payoff):
            kept[kept.index(min(kept))] = found
        else:
            continue
        order = proposal
    return sorted(kept, reverse=True)


def links_of(order: Sequence[int]) -> list[Link]:
    """Return the links of a chain, along its order.

    Examples
    --------
    >>> links_of([2, 0, 1])
    [(2, frozenset()), (0, frozenset({2})), (1, frozenset({0, 2}))]
    """
    return [(int(label), frozenset(map(int, order[:place]))) for place, label in enumerate(order)]


class ChainPayoff:
    """The payoff J(s) of chain orders s: the larger, the better the chain explains some rows.

    Two orders differ in few links: where two labels change places, only they and those between them. The labels stand
    beside X as further columns, a mask says which of them come before, and all links that are not known yet are trained
    in one batch.

    Parameters
    ----------
    learner : Learner
        Trains the links; one that leaves columns as they are.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows, in training and in the payoff.
    kind : {"log_likelihood", "probability"}
        The sum over rows of log P(y | x, s), or of P(y | x, s).
    held_out : ndarray of int, or None
        Rows that the payoff is taken over; all others train. None trains on all rows and takes the payoff over them.

    Attributes
    ----------
    n_trained : int
        How many links were trained.
    """

    def __init__(
        self,
        learner: Learner,
        X: Any,
        Y: Labels,
        sample_weight: Any,
        kind: str,
        held_out: npt.NDArray[np.int64] | None = None,
    ) -> None:
        every = slice(None)  # no copy of the design
        train = every if held_out is None else np.setdiff1d(np.arange(len(Y)), held_out)
        score = every if held_out is None else held_out
        weights = np.ones(len(Y)) if sample_weight is None else sample_weight
        design = beside(X, Y.astype(np.float64))
        self._learner, self._kind, self._n_features = learner, kind, X.shape[1]
        self._train = (design[train], Y[train], None if sample_weight is None else weights[train])
        self._score = (design[score], Y[score], weights[score])
        self._terms: dict[Link, Floats] = {}
        self.n_trained = 0

    def __call__(self, order: Sequence[int]) -> float:
        """Return J of an order."""
        links = links_of(order)
        missing = [link for link in links if link not in self._terms]
        if missing:
            self._terms |= dict(zip(missing, self._trained(missing).T, strict=True))
            self.n_trained += len(missing)
        if self._kind == "log_likelihood":
            return float(sum(self._terms[link][0] for link in links))
        # Here a link takes a number for each row: only those that were asked for last stay.
        latest = {link: self._terms.pop(link) for link in links}
        self._terms = dict(list((self._terms | latest).items())[-_ORDERS_KEPT * len(links) :])
        return float(self._score[2] @ np.exp(np.sum(list(latest.values()), axis=0)))

    def _trained(self, links: list[Link]) -> Floats:
        """Return what the links add to log P(y | x): one number for all rows, or one for each; (_, n_links)."""
        labels = [label for label, _ in links]
        design, Y, weights = self._train
        conditionals = self._learner.fit(design, Y[:, labels], mask=self._mask(links), sample_weight=weights)
        conditionals.require_probabilities("ClassifierChainMonteCarlo")
        design, Y, weights = self._score
        scores = np.clip(conditionals.base_scores(design), -SCORE_LIMIT, SCORE_LIMIT)
        terms = log_sigmoid(np.where(Y[:, labels] == 1, scores, -scores))
        return (weights @ terms)[None] if self._kind == "log_likelihood" else terms

    def _mask(self, links: list[Link]) -> FeatureMask:
        features = np.arange(self._n_features)
        used = [np.concatenate([features, self._n_features + np.array(sorted(b), dtype=np.int64)]) for _, b in links]
        n_columns = self._train[0].shape[1]
        return FeatureMask.by_label(used, [np.zeros(len(columns)) for columns in used], n_columns)


def place_chances(n_labels: int, step: int, beta: float) -> npt.NDArray[np.float64]:
    """Return how probable each place of the chain is to be picked for a swap: in proportion to L^(-beta t / (1 + j)).

    At first all L places j are alike; step by step t the chain freezes from its beginning.

    Examples
    --------
    >>> place_chances(4, 0, 0.03)
    array([0.25, 0.25, 0.25, 0.25])
    >>> place_chances(4, 100, 0.03).round(3)
    array([0.021, 0.168, 0.336, 0.475])
    """
    logs = -np.log(n_labels) * beta * step / (1.0 + np.arange(n_labels))
    weights = np.maximum(np.exp(logs - logs.max()), _LEAST)
    return np.asarray(weights / weights.sum())


def swapped(order: Sequence[int], step: int, beta: float, draws: np.random.Generator) -> tuple[int, ...]:
    """Return the order with two labels in each other's place; the places are drawn one after the other."""
    changed = list(order)
    one, two = draws.choice(len(changed), 2, replace=False, p=place_chances(len(changed), step, beta))
    changed[one], changed[two] = changed[two], changed[one]
    return tuple(changed)


def _better(one: float, other: float) -> bool:
    return one - other > _EQUAL * abs(other)
