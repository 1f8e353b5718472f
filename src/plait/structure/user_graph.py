"""A graph that the user knows."""

from collections.abc import Iterable
from typing import Any, ClassVar

from plait.core.checks import Constraint
from plait.core.label_numbering import label_numbers
from plait.core.sentences import ParameterError, shown
from plait.structure.label_graph import LabelGraph
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["UserGraph"]


class _Pairs(Constraint):
    """Pairs of labels, or a `LabelGraph`."""

    def accepts(self, value: Any) -> bool:
        if isinstance(value, LabelGraph):
            return True
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)

    def describe(self) -> str:
        return "(parent, child) pairs of labels by number or name, or a LabelGraph"

    def wrong(self) -> list[Any]:
        return [None, "sea sun", 3]


class UserGraph(Structure):
    """Edges that the user gives.

    Parameters
    ----------
    edges : sequence of (parent, child), or LabelGraph
        Labels by number, or by name where names are known. A `LabelGraph` is taken as it is.

    Examples
    --------
    >>> structure = UserGraph([("sea", "sand"), ("sun", "sand")])
    >>> structure.build([[0.0], [1.0]], [[0, 1, 0], [1, 1, 0]], label_names=["sea", "sun", "sand"]).parents
    ((), (), (0, 1))
    """

    takes_sparse_labels: ClassVar[bool] = True
    counts_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"edges": (_Pairs(),)}

    def __init__(self, edges: Any = ()) -> None:
        self.edges = edges

    def _build(self, given: StructureInput) -> LabelGraph:
        if isinstance(self.edges, LabelGraph):
            return self._fitting(self.edges, given.n_labels)
        parents: list[list[int]] = [[] for _ in range(given.n_labels)]
        for edge in self.edges:
            if isinstance(edge, str | bytes) or not isinstance(edge, Iterable) or len(ends := list(edge)) != 2:
                raise ParameterError(
                    f"UserGraph needs every edge to be a pair (parent, child), but one is {shown(edge)}. "
                    "Pass pairs of labels by number or name."
                )
            parent, child = label_numbers("UserGraph", "edges", ends, given.n_labels, given.label_names)
            parents[child].append(parent)
        return LabelGraph(parents)

    def _fitting(self, graph: LabelGraph, n_labels: int) -> LabelGraph:
        if graph.n_labels != n_labels:
            raise ParameterError(
                f"UserGraph needs a graph over {n_labels} labels, but it is {shown(graph)}. "
                "Build it from as many parent lists as Y has columns."
            )
        return graph
