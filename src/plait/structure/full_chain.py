"""Every label depends on all labels before it: classifier chains [PCC 8]."""

from typing import Any, ClassVar

from plait.core.checks import Constraint
from plait.structure.label_graph import LabelGraph
from plait.structure.orders import ORDER_RULES, arranged
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["FullChain"]


class FullChain(Structure):
    """Every label depends on all labels before it in an order.

    Parameters
    ----------
    order : None, str, Order or sequence of int or str, default=None
        None or "given" for the order of the columns, "random", "frequency" (most frequent first), "information"
        (see `InformationOrder`), an `Order`, or all labels by number or name.

    Examples
    --------
    >>> FullChain([2, 0, 1]).build([[0.0], [1.0]], [[0, 1, 0], [1, 1, 0]]).parents
    ((2,), (2, 0), ())
    """

    takes_sparse_labels: ClassVar[bool] = True
    counts_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"order": ORDER_RULES}

    def __init__(self, order: Any = None) -> None:
        self.order = order

    def _build(self, given: StructureInput) -> LabelGraph:
        order = arranged(self.order, given)
        parents: list[list[int]] = [[] for _ in order]
        for place, label in enumerate(order):
            parents[label] = order[:place]
        return LabelGraph(parents, order)
