"""What to show of a label graph: all of a small one, of a large one the part with the strongest links."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["ShownGraph", "choose_labels"]

_MOST_LABELS, _MOST_EDGES = 150, 300
_DENSE = 1.5  # links for each label
_BY_LINKS, _BY_PLACE = "those of labels with the most links", "those of labels next to each other in the order"


@dataclass(frozen=True)
class ShownGraph:
    """Part of a label graph.

    Parameters
    ----------
    labels : tuple of int
        The labels shown, in the order of the chain.
    edges : tuple of (int, int, float)
        Parent, child and strength from 0 to 1, of edges between labels shown.
    alone : tuple of int
        Labels without any edge.
    n_labels, n_edges : int
        Of the whole graph.
    has_strengths : bool
        Whether strengths are known.
    """

    labels: tuple[int, ...]
    edges: tuple[tuple[int, int, float], ...]
    alone: tuple[int, ...]
    n_labels: int
    n_edges: int
    has_strengths: bool

    @property
    def is_dense(self) -> bool:
        """Whether the graph is more like a chain of all labels than like a tree."""
        return self.n_edges > _DENSE * self.n_labels

    @property
    def note(self) -> str:
        """What is not shown, as a sentence; empty where all is."""
        linked = self.n_labels - len(self.alone)
        by = "the strongest" if self.has_strengths else _BY_PLACE if self.is_dense else _BY_LINKS
        if len(self.labels) < linked:
            edges = f"{len(self.edges)} of {self.n_edges} links"
            return f"{len(self.labels)} of {linked} linked labels and {edges}: {by}."
        return f"{len(self.edges)} of {self.n_edges} links: {by}." if len(self.edges) < self.n_edges else ""


def choose_labels(graph: dict[str, Any], most_labels: int = _MOST_LABELS, most_edges: int = _MOST_EDGES) -> ShownGraph:
    """Return what to show of a graph as cells record it: `parents`, `order`, and `strengths` where they are known.

    Examples
    --------
    >>> shown = choose_labels({"parents": [[], [0], [], [1]], "strengths": [[], [2.0], [], [1.0]]})
    >>> shown.labels, shown.edges, shown.alone
    ((0, 1, 3), ((0, 1, 1.0), (1, 3, 0.5)), (2,))
    """
    parents: Sequence[Sequence[int]] = graph["parents"]
    order = graph.get("order") or list(range(len(parents)))
    edges = _edges(parents, order, graph.get("strengths"))
    linked = {label for parent, child, _ in edges for label in (parent, child)}
    strong = sorted(edges, key=lambda edge: (-edge[2], edge[:2]))
    chosen = linked if len(linked) <= most_labels else _strongest(strong, most_labels)
    kept = [edge for edge in strong if edge[0] in chosen and edge[1] in chosen][:most_edges]
    largest = max((abs(edge[2]) for edge in edges), default=0.0) or 1.0
    return ShownGraph(
        tuple(label for label in order if label in chosen),
        tuple((parent, child, abs(strength) / largest) for parent, child, strength in sorted(kept)),
        tuple(label for label in order if label not in linked),
        len(parents),
        len(edges),
        graph.get("strengths") is not None,
    )


def _edges(parents: Sequence[Sequence[int]], order: Sequence[int], strengths: Any) -> list[tuple[int, int, float]]:
    """Return (parent, child, strength).

    Where strengths are unknown, short edges of a chain count more, and otherwise edges of labels with many links.
    """
    if strengths is not None:
        return [
            (parent, child, abs(float(strengths[child][k])))
            for child, group in enumerate(parents)
            for k, parent in enumerate(group)
        ]
    pairs = [(parent, child) for child, group in enumerate(parents) for parent in group]
    if len(pairs) > _DENSE * len(parents):
        place = {label: number for number, label in enumerate(order)}
        return [(parent, child, 1 / max(1, abs(place[child] - place[parent]))) for parent, child in pairs]
    links = [len(group) for group in parents]
    for parent, _ in pairs:
        links[parent] += 1
    return [(parent, child, float(links[parent] + links[child])) for parent, child in pairs]


def _strongest(strong: list[tuple[int, int, float]], most: int) -> set[int]:
    """Return labels that grow from the strongest edge, always along the strongest edge that leads further."""
    around: dict[int, list[tuple[float, int]]] = {}
    for parent, child, strength in strong:
        around.setdefault(parent, []).append((-strength, child))
        around.setdefault(child, []).append((-strength, parent))
    chosen: set[int] = set()
    heap: list[tuple[float, int]] = []
    for start, _, _ in strong:
        if start in chosen:
            continue
        heapq.heappush(heap, (-float("inf"), start))
        while heap and len(chosen) < most:
            label = heapq.heappop(heap)[1]
            if label not in chosen:
                chosen.add(label)
                for link in around[label]:
                    heapq.heappush(heap, link)
        if len(chosen) >= most:
            break
    return chosen
