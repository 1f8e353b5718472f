"""`LabelGraph`: which labels each label depends on, and an order in which parents come first."""

import heapq
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from plait.core.sentences import ParameterError, shown

__all__ = ["LabelGraph"]


@dataclass(frozen=True)
class LabelGraph:
    """A directed graph over labels without cycles: P(y | x) = prod_k P(y_k | y_parents(k), x) [OCC 17-18].

    Parameters
    ----------
    parents : sequence of sequences of int
        For every label, the labels it depends on; kept in the order given.
    order : sequence of int, optional
        All labels, parents before children. By default the topological order that takes the smallest
        free label first.

    Examples
    --------
    >>> graph = LabelGraph([[], [0], [0, 1]])
    >>> graph.order, graph.edges
    ((0, 1, 2), ((0, 1), (0, 2), (1, 2)))
    >>> LabelGraph([[1], [0]])
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: LabelGraph needs an acyclic graph, but labels [0, 1] wait for each other....
    """

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    def __init__(self, parents: Iterable[Iterable[int]], order: Sequence[int] | None = None) -> None:
        checked = _checked_parents(parents)
        object.__setattr__(self, "parents", checked)
        topological = _topological_order(checked)
        object.__setattr__(self, "order", topological if order is None else _checked_order(checked, order))

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.parents)

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All (parent, child) pairs, sorted."""
        return tuple(sorted((parent, child) for child, group in enumerate(self.parents) for parent in group))

    def __repr__(self) -> str:
        return f"LabelGraph({self.n_labels} labels, {len(self.edges)} edges, order {shown(list(self.order))})"


def _label(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ParameterError(
            f"LabelGraph needs {what} to hold label numbers, but it holds {shown(value)} ({type(value).__name__}). "
            "Pass integers from 0 to n_labels - 1."
        )
    return int(value)


def _checked_parents(parents: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    checked = tuple(tuple(_label(parent, "parents") for parent in group) for group in parents)
    for child, group in enumerate(checked):
        outside = [parent for parent in group if not 0 <= parent < len(checked)]
        if outside:
            raise ParameterError(
                f"LabelGraph needs parents from 0 to {len(checked) - 1}, but label {child} has parent {outside[0]}. "
                "Number the labels from 0."
            )
        if len(set(group)) < len(group):
            raise ParameterError(
                f"LabelGraph needs each parent once, but label {child} has parents {shown(list(group))}. "
                "Remove what stands twice."
            )
    return checked


def _topological_order(parents: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Return the labels, parents first, the smallest free one next; a cycle is an error."""
    waiting = [len(group) for group in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    free = [label for label, count in enumerate(waiting) if count == 0]
    order = []
    while free:
        label = heapq.heappop(free)
        order.append(label)
        for child in children[label]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(free, child)
    if len(order) < len(parents):
        raise ParameterError(
            f"LabelGraph needs an acyclic graph, but labels {_in_cycle(parents, set(order))} wait for each other. "
            "Remove one edge among them."
        )
    return tuple(order)


def _in_cycle(parents: tuple[tuple[int, ...], ...], placed: set[int]) -> list[int]:
    """Return the labels of one cycle: from any label that waits, step to a waiting parent until one comes again."""
    label = next(k for k in range(len(parents)) if k not in placed)
    path: list[int] = []
    while label not in path:
        path.append(label)
        label = next(parent for parent in parents[label] if parent not in placed)
    return sorted(path[path.index(label) :])


def _checked_order(parents: tuple[tuple[int, ...], ...], order: Sequence[int]) -> tuple[int, ...]:
    checked = tuple(_label(label, "order") for label in order)
    if sorted(checked) != list(range(len(parents))):
        raise ParameterError(
            f"LabelGraph needs order to hold each of {len(parents)} labels once, but it is {shown(list(checked))}. "
            "Pass a permutation, or None."
        )
    position = {label: place for place, label in enumerate(checked)}
    for child, group in enumerate(parents):
        late = [parent for parent in group if position[parent] > position[child]]
        if late:
            raise ParameterError(
                f"LabelGraph needs parents before children in order, but parent {late[0]} stands after its child "
                f"{child}. Move it forward, or pass None."
            )
    return checked
