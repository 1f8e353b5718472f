"""A polytree over labels: a tree in which labels may have several parents [PACC 5.1]."""

from collections.abc import Callable
from itertools import combinations
from typing import ClassVar

import numpy as np
from scipy.stats import chi2

from plait.core.arrays import Bools, Floats
from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.core.sentences import warn_user
from plait.structure.conditional_tree import FOLDS_RULES
from plait.structure.label_graph import LabelGraph, by_level
from plait.structure.label_information import AnyInformation
from plait.structure.spanning import components, directed_outward, maximum_spanning_forest, neighbours
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["Polytree"]


# Above so many labels, "auto" does without a learner for every pair.
_MOST_LABELS = 75
Edge = tuple[int, int]
Test = Callable[[int, int, int], bool]


class Polytree(Structure):
    """The spanning tree of strongest dependence between labels, directed so that independent neighbours are co-parents.

    Parameters
    ----------
    weights : {"auto", "conditional", "nmi"}, default="auto"
        What the tree is made from: I(Y_j;Y_k|X) as a learner estimates it [PACC 13], or normalised mutual information
        of the labels alone [PACC 25]. "auto" is "conditional" up to 75 labels, and "nmi", with a warning,
        above.
    zero_mi : {"same", "marginal"}, default="same"
        In which numbers two neighbours are tested for independence: those of the tree, or those of the labels alone.
    test : {"ratio", "gtest"}, default="ratio"
        Two neighbours of a label are independent if their weight is below `ratio` times the smallest weight
        between the label and a neighbour; or if the G-test does not reject it at level `alpha`.
    ratio : float, default=0.2
        See `test`; 0 gives a tree in which no label has two parents.
    alpha : float, default=0.05
        See `test`.
    max_parents : int, default=6
        Most parents of a label: of more, those with the smallest summed weight among them are kept.
    folds : int or float, default=3
        How the learner's rows are held out, for whoever trains it: a number of folds, or a share of the rows.
    earlier : float, optional
        Every label that stands before another in the polytree's order becomes its parent too where their normalised
        mutual information is above this number, as in the program of the authors of [PACC], which has 0.0005; the
        graph is then close to a full chain. None leaves the polytree as it is.

    Notes
    -----
    The graph depends on how labels are numbered: they are visited from the smallest on. Pairs without any shared
    information are not joined, so that the tree may be a forest; labels without variation stand alone. On a chain of
    weak symmetric links (correlation below about 0.45) the ratio takes ends for independent; the G-test does not, once
    there are enough rows.

    The G-test takes 2 N I, with I in nats and N the number of rows behind it, against the chi-square distribution with
    one degree of freedom: I(Y_a;Y_b|X) and the rows held out where the tree is conditional and `zero_mi="same"`,
    I(Y_a;Y_b) and all rows otherwise.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.random((3, 5000)) < [[0.5], [0.5], [0.05]]
    >>> Y = np.column_stack([a, b, (a | b) ^ noise]).astype(np.uint8)
    >>> Polytree(weights="nmi").build(np.zeros((5000, 1)), Y).parents
    ((), (), (0, 1))
    """

    takes_sparse_labels: ClassVar[bool] = True
    counts_labels: ClassVar[bool] = True
    counts_pairs: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "weights": (OneOf(("auto", "conditional", "nmi")),),
        "zero_mi": (OneOf(("same", "marginal")),),
        "test": (OneOf(("ratio", "gtest")),),
        "ratio": (Interval(float, 0.0, None),),
        "alpha": (Interval(float, 0.0, 1.0, closed="neither"),),
        "max_parents": (Interval(int, 1, None),),
        "folds": FOLDS_RULES,
        "earlier": (Interval(float, 0.0, None), Nothing()),
    }

    def __init__(
        self,
        weights: str = "auto",
        zero_mi: str = "same",
        test: str = "ratio",
        ratio: float = 0.2,
        alpha: float = 0.05,
        max_parents: int = 6,
        folds: float = 3,
        earlier: float | None = None,
    ) -> None:
        self.weights = weights
        self.zero_mi = zero_mi
        self.test = test
        self.ratio = ratio
        self.alpha = alpha
        self.max_parents = max_parents
        self.folds = folds
        self.earlier = earlier

    def needs_pairs(self, n_labels: int) -> bool:
        """Say whether the tree is made from what a learner finds about pairs of so many labels."""
        return n_labels > 1 and (self.weights == "conditional" or (self.weights == "auto" and n_labels <= _MOST_LABELS))

    def _build(self, given: StructureInput) -> LabelGraph:
        if self.weights == "auto" and given.n_labels > _MOST_LABELS:
            warn_user(
                f"Polytree takes the mutual information of labels alone, not given the features, as there are "
                f"{given.n_labels} labels, more than {_MOST_LABELS}. Pass weights='nmi' to say that this is meant, or "
                "weights='conditional' for a learner of every pair.",
            )
        labels = given.information
        weights = self._weights(given, labels)
        edges = maximum_spanning_forest(weights)
        compared = weights if self.zero_mi == "same" else labels.normalized
        test = self._ratio_test(compared, edges) if self.test == "ratio" else self._g_test(given, labels)
        graph = by_level(directed_edges(given.n_labels, edges, test, compared, self.max_parents))
        return graph if self.earlier is None else _with_earlier(graph, labels.normalized > self.earlier)

    def _weights(self, given: StructureInput, labels: AnyInformation) -> Floats:
        if given.pairs is None or not self.needs_pairs(given.n_labels):
            return labels.normalized
        weights = given.pairs.conditional_information
        # Nothing depends on a label that never varies, whatever rounding leaves.
        return np.where(np.logical_and.outer(given.varies, given.varies), weights, 0.0)

    def _ratio_test(self, weights: Floats, edges: list[tuple[int, int]]) -> Test:
        weakest = np.full(weights.shape[0], np.inf)
        for a, b in edges:
            for node in (a, b):
                weakest[node] = min(weakest[node], weights[a, b])
        return lambda a, b, j: bool(weights[a, b] < self.ratio * weakest[j])

    def _g_test(self, given: StructureInput, labels: AnyInformation) -> Test:
        conditional = self.zero_mi == "same" and self.needs_pairs(given.n_labels)
        if conditional and given.pairs is not None:
            information = given.pairs.conditional_information
            n_rows = labels.rows_of_pairs * (given.pairs.n_held_out or given.n_rows) / given.n_rows
        else:
            information, n_rows = labels.mutual * np.log(2.0), labels.rows_of_pairs
        limit = chi2.isf(self.alpha, 1)
        return lambda a, b, j: bool(2.0 * n_rows[a, b] * information[a, b] < limit)


def _with_earlier(graph: LabelGraph, related: Bools) -> LabelGraph:
    """Return the graph in the same order, with every related label that stands before another as its parent."""
    parents = [list(group) for group in graph.parents]
    for place, label in enumerate(graph.order):
        parents[label] = sorted({*parents[label], *(a for a in graph.order[:place] if related[a, label])})
    return LabelGraph(parents, graph.order)


def directed_edges(n: int, edges: list[Edge], independent: Test, weights: Floats, max_parents: int) -> list[list[int]]:
    """Return the parents of every node of a forest, ascending.

    Parameters
    ----------
    n : int
        Number of nodes.
    edges : list of (int, int)
        The forest.
    independent : callable
        `independent(a, b, j)` says whether the neighbours a and b of node j are independent.
    weights : ndarray of shape (n, n)
        Dependence, by which the most independent parents are kept where there are too many.
    max_parents : int
        Most parents of a node that are found by tests.

    Notes
    -----
    Nodes are visited in depth, from the smallest node of each part, smallest neighbour first. Of the neighbours of a
    visited node that are not its children, each two that are independent are its parents. A visited node with a
    parent passes the flow on: its edges without a direction point outward, also later, when a neighbour makes it a
    child. So every node has the parents that tests have found, or at most one. What has no direction in the end is
    rooted at the smallest node of each part.

    Examples
    --------
    >>> directed_edges(3, [(0, 2), (1, 2)], lambda a, b, j: True, np.ones((3, 3)), 6)
    [[], [], [0, 1]]
    >>> directed_edges(3, [(0, 2), (1, 2)], lambda a, b, j: False, np.ones((3, 3)), 6)
    [[], [2], [0]]
    """
    return _Orientation(n, edges, independent, weights, max_parents).parents()


class _Orientation:
    def __init__(self, n: int, edges: list[Edge], independent: Test, weights: Floats, max_parents: int) -> None:
        self.edges = edges
        self.around = neighbours(n, edges)
        self.independent = independent
        self.weights = weights
        self.max_parents = max_parents
        self.parents_of: list[set[int]] = [set() for _ in range(n)]
        self.open: list[set[int]] = [set(group) for group in self.around]  # neighbours without a direction yet
        self.visited = [False] * n

    def parents(self) -> list[list[int]]:
        for start in range(len(self.around)):
            if not self.visited[start]:
                self._visit_all(start)
        rest = [(a, b) for a, b in self.edges if b in self.open[a]]
        roots = [part[0] for part in components(len(self.around), rest)]
        for child, parent in enumerate(directed_outward(len(self.around), rest, roots)):
            if parent >= 0:
                self._direct(parent, child)
        return [sorted(group) for group in self.parents_of]

    def _visit_all(self, start: int) -> None:
        stack = [start]
        while stack:
            node = stack.pop()
            if not self.visited[node]:
                self.visited[node] = True
                self._visit(node)
                stack.extend(reversed([other for other in self.around[node] if not self.visited[other]]))

    def _visit(self, node: int) -> None:
        for parent in self._tested_parents(node):
            self._direct(parent, node)
        self._flow(node)

    def _tested_parents(self, node: int) -> list[int]:
        """Return the neighbours that tests make parents of a node, besides those that are parents already."""
        settled = self.parents_of[node]
        candidates = sorted(settled | self.open[node])
        found = {n for a, b in combinations(candidates, 2) if self.independent(a, b, node) for n in (a, b)}
        # An earlier direction, of which there is one at most, stays and counts towards the limit.
        room = self.max_parents - len(settled)
        among = sorted(found | settled)
        apart = {a: float(self.weights[a, among].sum() - self.weights[a, a]) for a in found - settled}
        kept = sorted(apart, key=lambda a: (apart[a], a))[:room]
        # One parent alone is no meeting of two.
        return kept if len(kept) + len(settled) > 1 else []

    def _direct(self, parent: int, child: int) -> None:
        self.open[parent].discard(child)
        self.open[child].discard(parent)
        self.parents_of[child].add(parent)

    def _flow(self, node: int) -> None:
        """Let visited nodes with a parent point outward, and those that they make children, and so on."""
        waiting = [node]
        while waiting:
            place = waiting.pop()
            if self.visited[place] and self.parents_of[place]:
                for other in sorted(self.open[place]):
                    self._direct(place, other)
                    waiting.append(other)
