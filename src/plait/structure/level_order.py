"""Graphs whose order goes level by level: labels without parents first, then those that depend on them only."""

from collections.abc import Iterable

from plait.structure.label_graph import LabelGraph

__all__ = ["by_level"]


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
