"""What cells tell about fitted models, over all parts: calibration, selected features, and what to show of a graph."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Bools, Floats
from plait.experiments.running.cells import CellResult

__all__ = ["ChosenFeatures", "Reliability", "ShownGraph", "choose_labels", "chosen_features", "pooled_reliability"]

_MOST_LABELS, _MOST_EDGES = 150, 300
_DENSE = 1.5  # links for each label
_BY_LINKS, _BY_PLACE = "those of labels with the most links", "those of labels next to each other in the order"


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of given probabilities.

    Parameters
    ----------
    count : ndarray of shape (n_bins,)
        Labels of rows in each bin.
    mean, frequency : ndarray of shape (n_bins,)
        Mean given probability, and how often the label was true; 0 in empty bins.
    """

    count: Floats
    mean: Floats
    frequency: Floats

    @property
    def calibration_error(self) -> float:
        """Mean distance of frequency from probability, weighted by the size of the bins."""
        return float((self.count * abs(self.frequency - self.mean)).sum() / self.count.sum())


def pooled_reliability(cells: Sequence[CellResult], of: str = "reliability") -> Reliability | None:
    """Return the bins of all parts together, of labels, or of whole sets by "joint_reliability"; None without any.

    Examples
    --------
    >>> bins = {"edges": [0.0, 0.5, 1.0], "count": [2, 2], "mean": [0.2, 0.9], "frequency": [0.0, 0.5]}
    >>> cells = [CellResult("sea", "br", fold, 0, extras={"reliability": bins}) for fold in (0, 1)]
    >>> round(pooled_reliability(cells).calibration_error, 6)
    0.3
    """
    tables: list[dict[str, Any]] = [cell.extras[of] for cell in cells if cell.extras.get(of)]
    size = max((len(table["count"]) for table in tables), default=0)
    tables = [table for table in tables if len(table["count"]) == size]
    counts = np.array([table["count"] for table in tables], dtype=np.float64)
    if not counts.size or not counts.sum() > 0:
        return None
    total = counts.sum(axis=0)
    pooled = [
        (counts * np.nan_to_num(np.array([table[key] for table in tables], dtype=np.float64))).sum(axis=0)
        / np.maximum(total, 1)
        for key in ("mean", "frequency")
    ]
    return Reliability(total, *pooled)


@dataclass(frozen=True, eq=False)
class ChosenFeatures:
    """How often each label keeps each feature.

    Parameters
    ----------
    shares : ndarray of shape (n_labels, n_features)
        Share of the parts in which the label keeps the feature; labels and features as named.
    labels, features : tuple of str
        Names.
    n_parts : int
        Number of parts.
    n_kept : float
        Mean number of features that a label keeps.
    n_features : int
        Number of features of the data, chosen or not.
    """

    shares: Floats
    labels: tuple[str, ...]
    features: tuple[str, ...]
    n_parts: int
    n_kept: float
    n_features: int


@dataclass(frozen=True)
class _PartFeatures:
    """What one cell recorded of its features: which ones each label keeps, and all names."""

    by_label: list[list[int]]
    names: dict[int, str]
    labels: tuple[str, ...]
    n_features: int

    @classmethod
    def of(cls, extras: Mapping[str, Any]) -> "_PartFeatures":
        found = extras["features"]
        by_label = [[int(feature) for feature in group] for group in found["by_label"]]
        names = {int(key): str(name) for key, name in found.get("names", {}).items()}
        labels = ("all labels",) if found.get("shared") else tuple(map(str, extras.get("label_names") or ()))
        if len(labels) != len(by_label):
            labels = tuple(f"label {k}" for k in range(len(by_label)))
        return cls(by_label, names, labels, int(extras.get("n_features") or 0))

    def table(self, used: Sequence[int]) -> Bools:
        """Return which label keeps which of some features, shape (n_labels, n_used)."""
        return np.array([np.isin(used, group) for group in self.by_label])


def chosen_features(cells: Sequence[CellResult]) -> ChosenFeatures | None:
    """Return the features of all parts together; None where nothing is selected, or each label keeps all."""
    parts = [_PartFeatures.of(cell.extras) for cell in cells if cell.extras.get("features")]
    parts = [part for part in parts if len(part.by_label) == len(parts[0].by_label)]
    used = sorted({feature for part in parts for group in part.by_label for feature in group})
    if not used:
        return None
    first, names = parts[0], {feature: name for part in parts for feature, name in part.names.items()}
    shares = np.mean([part.table(used) for part in parts], axis=0)
    if len(used) == first.n_features and shares.min() == 1:
        return None
    features = tuple(names.get(feature, f"feature {feature}") for feature in used)
    return ChosenFeatures(
        shares, first.labels, features, len(parts), float(shares.sum(axis=1).mean()), first.n_features
    )


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
