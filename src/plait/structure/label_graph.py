"""`LabelGraph`: which labels each label depends on, and an order in which parents come first."""

import heapq
import json
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from plait.core.arrays import Ints
from plait.core.extras import optional
from plait.core.sentences import ParameterError, shown
from plait.pictures.graph_axes import plot_graph
from plait.pictures.graph_layouts import GraphLayout, layout_of
from plait.pictures.graphs import graph_html

__all__ = ["LabelGraph", "by_level"]


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
    label_names : sequence of str, optional
        Names of the labels, for pictures; graphs of the same labels by other names are equal.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> graph = LabelGraph([[], [0], [0, 1]])
    >>> graph.order, graph.edges
    ((0, 1, 2), ((0, 1), (0, 2), (1, 2)))
    >>> graph.children, graph.levels, graph.is_forest, graph.is_polytree
    (((1, 2), (2,), ()), (0, 1, 2), False, False)
    >>> LabelGraph([[1], [0]])
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: LabelGraph needs an acyclic graph, but labels [0, 1] wait for each other....
    """

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    label_names: tuple[str, ...] | None = field(default=None, compare=False)

    def __init__(
        self,
        parents: Iterable[Iterable[int]],
        order: Sequence[int] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        checked = _checked_parents(parents)
        names = None if label_names is None else tuple(_checked_names(len(checked), label_names))
        topological = _topological_order(checked)
        self._set(checked, topological if order is None else _checked_order(checked, order), names)

    def _set(self, parents: Any, order: Any, names: tuple[str, ...] | None) -> "LabelGraph":
        for name, part in (("parents", parents), ("order", order), ("label_names", names)):
            object.__setattr__(self, name, part)
        return self

    def named(self, label_names: Sequence[str]) -> "LabelGraph":
        """Return the same graph with names of its labels.

        Parameters
        ----------
        label_names : sequence of str
            One for each label.
        """
        names = tuple(_checked_names(self.n_labels, label_names))
        return object.__new__(type(self))._set(self.parents, self.order, names)

    def __getstate__(self) -> dict[str, Any]:
        """Return integer arrays: a file of a chain of 400 labels would hold 80,000 objects instead."""
        sizes = np.array([len(group) for group in self.parents], dtype=np.int32)
        flat = np.fromiter((parent for group in self.parents for parent in group), dtype=np.int32, count=sizes.sum())
        names = None if self.label_names is None else json.dumps(self.label_names)
        return {"n_parents": sizes, "parents": flat, "order": np.array(self.order, dtype=np.int32), "names": names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        sizes, flat, order = (_whole_numbers(state[key]) for key in ("n_parents", "parents", "order"))
        names = None if state["names"] is None else tuple(_checked_names(len(sizes), json.loads(state["names"])))
        _check_arrays(sizes, flat, order)
        ends = np.cumsum(sizes).tolist()
        ids = flat.tolist()
        parents = tuple(tuple(ids[end - size : end]) for size, end in zip(sizes.tolist(), ends, strict=True))
        self._set(parents, tuple(order.tolist()), names)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Made once: plans of messages are looked up by graph for every block of rows."""
        return hash((self.parents, self.order))

    @cached_property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.parents)

    @cached_property
    def most_parents(self) -> int:
        """Most parents of a label."""
        return max((len(group) for group in self.parents), default=0)

    @cached_property
    def n_settings(self) -> int:
        """Number of settings of parents, of all labels together."""
        return sum(1 << len(group) for group in self.parents)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All (parent, child) pairs, sorted."""
        return tuple(sorted((parent, child) for child, group in enumerate(self.parents) for parent in group))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For every label, the labels that depend on it, ascending."""
        children: list[list[int]] = [[] for _ in self.parents]
        for child, group in enumerate(self.parents):
            for parent in group:
                children[parent].append(child)
        return tuple(tuple(group) for group in children)

    @property
    def levels(self) -> tuple[int, ...]:
        """For every label, the number of edges on the longest way to it from a label without parents."""
        levels = [0] * self.n_labels
        for label in self.order:
            levels[label] = max((levels[parent] + 1 for parent in self.parents[label]), default=0)
        return tuple(levels)

    @cached_property
    def is_forest(self) -> bool:
        """Whether every label has at most one parent."""
        return all(len(group) <= 1 for group in self.parents)

    @cached_property
    def is_polytree(self) -> bool:
        """Whether the graph has no cycle even when the directions of its edges are ignored; a forest has none."""
        parts = list(range(self.n_labels))
        for parent, child in self.edges:
            ends = _part(parts, parent), _part(parts, child)
            if ends[0] == ends[1]:
                return False
            parts[ends[0]] = ends[1]
        return True

    def to_networkx(self, label_names: Sequence[str] | None = None) -> Any:
        """Return a `networkx.DiGraph` over label numbers, with edges from parents to children.

        Parameters
        ----------
        label_names : sequence of str, optional
            Kept as the attribute `name` of each node; by default the graph's own, where it has names.
        """
        networkx = optional("networkx", extra="graphs", purpose="graphs")
        graph = networkx.DiGraph()
        label_names = self.label_names if label_names is None else label_names
        for label, name in enumerate(_checked_names(self.n_labels, label_names)):
            graph.add_node(label, **({} if label_names is None else {"name": name}))
        graph.add_edges_from(self.edges)
        return graph

    def plot(self, label_names: Sequence[str] | None = None, ax: Any = None) -> Any:
        """Draw the graph with matplotlib.

        A polytree is drawn like a tree of folders with parents above their children. Other graphs are a list in the
        order of the chain, with an arc from each parent down to its child. Every label has a row of its own; labels
        without parents are orange, those without any edge grey.

        Parameters
        ----------
        label_names : sequence of str, optional
            Names of the labels; by default the graph's own, else numbers.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure, large enough for all names.

        Returns
        -------
        ax : matplotlib Axes
        """
        return plot_graph(self._layout(), self.edges, self._names(label_names), ax)

    def to_html(self, label_names: Sequence[str] | None = None) -> str:
        """Return the same picture as HTML that needs nothing from outside; notebooks show it.

        Parameters
        ----------
        label_names : sequence of str, optional
            By default the graph's own.
        """
        title = f"{self.n_labels} labels, {len(self.edges)} edges"
        return graph_html(title, self._layout(), self.edges, self._names(label_names))

    def _repr_html_(self) -> str:
        return self.to_html()

    def _names(self, label_names: Sequence[str] | None) -> list[str]:
        return _checked_names(self.n_labels, self.label_names if label_names is None else label_names)

    def _layout(self) -> GraphLayout:
        return layout_of(self.parents, self.children, self.order, self.is_polytree)

    def __repr__(self) -> str:
        return f"LabelGraph({self.n_labels} labels, {len(self.edges)} edges, order {shown(list(self.order))})"


def _whole_numbers(array: Any) -> Ints:
    """Return a row of integers out of a file, which may hold anything."""
    found = np.asarray(array)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ParameterError(f"LabelGraph needs rows of integers, but one is {shown(array)}. The file is damaged.")
    return found.astype(np.int64)


def _check_arrays(sizes: Ints, flat: Ints, order: Ints) -> None:
    """Check what `__init__` checks, on arrays: parents are other labels, each once, and come before their children."""
    n_labels = len(sizes)
    sound = (sizes >= 0).all() and sizes.sum() == len(flat) and np.array_equal(np.sort(order), np.arange(n_labels))
    if sound and ((flat >= 0) & (flat < n_labels)).all():
        place, child = np.argsort(order), np.repeat(np.arange(n_labels), sizes)
        if (place[flat] < place[child]).all() and len(np.unique(child * n_labels + flat)) == len(flat):
            return
    raise ParameterError("LabelGraph needs parents before their children, but its arrays differ. The file is damaged.")


def _checked_names(n_labels: int, names: Sequence[str] | None) -> list[str]:
    if names is None:
        return [str(label) for label in range(n_labels)]
    if len(names) != n_labels:
        raise ParameterError(
            f"LabelGraph needs label_names to hold {n_labels} names, but it holds {len(names)}. "
            "Pass one for each label, or None."
        )
    return [str(name) for name in names]


def _part(parts: list[int], label: int) -> int:
    """Return the label that stands for all those joined with this one; ways to it are shortened."""
    while parts[label] != label:
        parts[label] = parts[parts[label]]
        label = parts[label]
    return label


def _label(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ParameterError(
            f"LabelGraph needs {what} to hold label numbers, but it holds {shown(value)} ({type(value).__name__}). "
            "Pass integers from 0 to n_labels - 1."
        )
    return int(value)


def _checked_parents(parents: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    checked = tuple(_numbers(tuple(group)) for group in parents)
    for child, group in enumerate(checked):
        outside = [] if _within(group, len(checked)) else [k for k in group if not 0 <= k < len(checked)]
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


def _numbers(group: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the parents of a label as integers, which they mostly are: a chain of 1,000 labels has half a million."""
    return group if set(map(type, group)) <= {int} else tuple(_label(parent, "parents") for parent in group)


def _within(group: tuple[int, ...], n_labels: int) -> bool:
    return not group or (min(group) >= 0 and max(group) < n_labels)


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


def by_level(parents: Iterable[Iterable[int]]) -> LabelGraph:
    """Return the graph with its labels ordered by level, and by index within a level [PACC 5.1].

    Examples
    --------
    >>> by_level([[3], [], [1], []]).order
    (1, 3, 0, 2)
    """
    graph = LabelGraph(parents)
    levels = graph.levels
    return LabelGraph(graph.parents, sorted(range(graph.n_labels), key=lambda label: (levels[label], label)))
