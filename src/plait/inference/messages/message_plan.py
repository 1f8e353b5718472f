"""The order of messages on a polytree: one factor for each label and its parents, from the leaves to the roots.

The graph whose nodes are labels and factors is a forest where the graph's skeleton is one [PACC 17]. Every
component has its smallest label as root. A factor sends its message to one of its labels, the *target*: the one nearest
to the root.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from plait.core.arrays import Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.sentences import ParameterError
from plait.joint import GraphDistribution, LabelDistribution
from plait.structure import LabelGraph

__all__ = [
    "CHEAP_PARENTS",
    "MOST_PARENTS",
    "Families",
    "checked_polytree",
    "compiled_messages",
    "families_of",
    "message_order",
    "plain_blocks",
    "takes_messages",
]


# A family of more labels would need a table of more than a million numbers for every row.
MOST_PARENTS = 20
# A label with more parents has a table that costs more than other ways.
CHEAP_PARENTS = 10

# One message changes odds by a factor of 1e6 at most (probabilities are clipped); the product of so many cannot
# overflow, a label that gets more needs its exponent kept apart.
MOST_MESSAGES = 40

# Kernels send messages where all graphs of a model have so many settings of parents together, a tree of 64 labels.
# NumPy needs 2 ms for 593 rows of a tree of 53 labels, kernels 0.1 ms after seconds of compilation.
KERNELS_FROM = 128
# Settings times rows of a block in NumPy (some MiB).
_BLOCK = 1 << 18


class Families(NamedTuple):
    """Which factor sends its message where to, as arrays for the kernels.

    Labels, and the factors of labels with their parents, are numbered anew: factor 0 sends first, and every message
    comes after those it needs.

    Parameters
    ----------
    label : ndarray of int64, shape (n_labels,)
        The label in the graph's own numbering.
    place : ndarray of int64, shape (n_labels,)
        The new number of each label of the graph.
    target : ndarray of int64, shape (n_labels,)
        The label to which each factor sends.
    slot : ndarray of int64, shape (n_labels,)
        Which parent of the factor the target is; -1 where it is the child.
    first : ndarray of int64, shape (n_labels + 1,)
        Where the parents of each label begin in `parents`.
    parents : ndarray of int64
        Parents of all labels, those of one label in the graph's order.
    entry : ndarray of int64, shape (n_labels + 1,)
        Where the settings of each label's parents begin among those of all labels.
    roots : ndarray of int64
        One label of each component.
    hub : ndarray of int64, shape (n_labels,)
        Place of the label among those whose messages may overflow; -1 for all others.
    n_messages : ndarray of int64, shape (n_labels,)
        How many messages each label gets: from its own factor and from those of its children.
    order : ndarray of int64, shape (n_labels,)
        All labels, parents first.
    """

    label: Ints
    place: Ints
    target: Ints
    slot: Ints
    first: Ints
    parents: Ints
    entry: Ints
    roots: Ints
    hub: Ints
    n_messages: Ints
    order: Ints

    @property
    def n_hubs(self) -> int:
        """Number of labels whose exponent is kept apart."""
        return int(self.hub.max(initial=-1)) + 1

    @property
    def most_parents(self) -> int:
        """Largest number of parents."""
        return int(np.diff(self.first).max(initial=0))


def takes_messages(distribution: LabelDistribution) -> bool:
    """Say whether messages along the graph of a distribution are exact and cheap."""
    if not isinstance(distribution, GraphDistribution) or not distribution.probabilistic:
        return False
    return distribution.graph.most_parents <= CHEAP_PARENTS and distribution.graph.is_polytree


def compiled_messages(*parts: GraphDistribution) -> bool:
    """Say whether kernels send the messages along the graphs of a model: where they have many settings of parents."""
    return kernels_pay(sum(part.graph.n_settings for part in parts if part.graph.edges), KERNELS_FROM)


def plain_blocks(model: GraphDistribution) -> Iterator[slice]:
    """Return slices of rows, so few that NumPy's tables of a block stay in the cache."""
    step = max(1, _BLOCK // max(1, model.graph.n_settings))
    for begin in range(0, model.n_rows, step):
        yield slice(begin, min(begin + step, model.n_rows))


def checked_polytree(owner: str, distribution: Any) -> GraphDistribution:
    """Return the distribution if messages are exact on it, else say why not."""
    if not isinstance(distribution, GraphDistribution):
        raise ParameterError(
            f"{owner} needs a distribution over one graph, but it is a {type(distribution).__name__}. "
            "Use BestFirst() or Annealing() for modes and SumProduct() for marginals of a mixture, else MonteCarlo()."
        )
    if not distribution.probabilistic:
        raise ParameterError(
            f"{owner} needs a learner that gives probabilities, but this one gives decisions only. "
            "Use Greedy(), or a probabilistic learner such as LogisticLearner()."
        )
    if not distribution.graph.is_polytree:
        raise ParameterError(
            f"{owner} needs a graph whose skeleton is a forest (a tree, forest or polytree), but this graph of "
            f"{distribution.n_labels} labels and {len(distribution.graph.edges)} edges has a cycle once directions are "
            "ignored. Use BestFirst() for modes, or MonteCarlo() for marginals."
        )
    widest = max(distribution.graph.parents, key=len, default=())
    if len(widest) > MOST_PARENTS:
        raise ParameterError(
            f"{owner} needs labels with at most {MOST_PARENTS} parents, but one has {len(widest)}. "
            "Use BestFirst() or MonteCarlo(), or a graph with fewer parents."
        )
    return distribution


@lru_cache(maxsize=32)
def families_of(graph: LabelGraph) -> Families:
    """Return the order of messages on a graph whose skeleton is a forest.

    Examples
    --------
    >>> plan = families_of(LabelGraph([[], [0], [1]]))
    >>> plan.label, plan.target
    (array([2, 1, 0]), array([1, 2, 2]))
    """
    downward, target, roots = message_order(graph)
    label = downward[::-1]
    place = np.empty(graph.n_labels, dtype=np.int64)
    place[label] = np.arange(graph.n_labels)
    parents = [graph.parents[k] for k in label]
    n_parents = np.array([len(group) for group in parents], dtype=np.int64)
    slots = [-1 if target[k] == k else graph.parents[k].index(target[k]) for k in label]
    children = graph.children
    n_messages = np.array([len(children[k]) + 1 for k in label], dtype=np.int64)
    many = n_messages > MOST_MESSAGES
    return Families(
        label=np.array(label, dtype=np.int64),
        place=place,
        target=place[[target[k] for k in label]],
        slot=np.array(slots, dtype=np.int64),
        first=np.concatenate([[0], np.cumsum(n_parents)]).astype(np.int64),
        parents=place[np.array([parent for group in parents for parent in group], dtype=np.int64)],
        entry=np.concatenate([[0], np.cumsum(1 << n_parents)]).astype(np.int64),
        roots=place[roots],
        hub=np.where(many, np.cumsum(many) - 1, -1).astype(np.int64),
        n_messages=n_messages,
        order=place[list(graph.order)],
    )


@lru_cache(maxsize=64)
def message_order(graph: LabelGraph) -> tuple[list[int], list[int], list[int]]:
    """Return the factors from the roots down, depth first, the target of each label's factor, and the roots.

    Examples
    --------
    >>> message_order(LabelGraph([[], [0], [1]]))
    ([0, 1, 2], [0, 0, 1], [0])
    """
    parents, children = graph.parents, graph.children
    target = [-1] * len(parents)
    downward: list[int] = []
    roots: list[int] = []
    reached = [False] * len(parents)
    for root in range(len(parents)):
        if reached[root]:
            continue
        roots.append(root)
        waiting = [root]
        reached[root] = True
        while waiting:
            label = waiting.pop()
            for factor in (label, *children[label]):
                if target[factor] >= 0:
                    continue
                target[factor] = label
                downward.append(factor)
                others = [k for k in (factor, *parents[factor]) if k != label]
                waiting.extend(others)
                for other in others:
                    reached[other] = True
    return downward, target, roots
