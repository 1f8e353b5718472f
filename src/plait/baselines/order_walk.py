"""A Monte Carlo walk over the orders of a chain, which keeps the best it meets [Read2014]."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.core.progress_bar import progress

__all__ = ["ScoredOrder", "best_orders", "place_chances", "swapped"]

# Payoffs that differ by less than this share of their size are taken as equal: solvers stop about there.
_EQUAL = 1e-6
# However cold, a place can be picked: two different ones must be found.
_LEAST = 1e-300


class ScoredOrder(NamedTuple):
    """An order of the labels and its payoff."""

    payoff: float
    order: tuple[int, ...]


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


def _better(one: float, other: float) -> bool:
    return one - other > _EQUAL * abs(other)
