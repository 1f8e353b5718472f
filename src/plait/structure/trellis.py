"""Labels on a grid, each depending on its neighbours to the left and above: a classifier trellis [Read2015]."""

import math
from typing import Any, ClassVar

from plait.core.checks import Constraint, Interval, Nothing
from plait.structure.label_graph import LabelGraph
from plait.structure.orders import ORDER_RULES, arranged
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["Trellis"]


class Trellis(Structure):
    """Labels fill a grid row by row; each depends on the label to its left and on the one above.

    However many labels there are, none has more than two parents, so that training and prediction grow with the
    number of labels and not with its square [Read2015].

    Parameters
    ----------
    width : int, optional
        Labels in a row of the grid; by default the square root of the number of labels, rounded up. Width 1 is a chain
        in which every label depends on the one before it, and so is a width of at least the number of labels.
    order : None, str, Order or sequence of int or str, default=None
        In which order labels fill the grid, as for `FullChain`.

    References
    ----------
    [Read2015] Read, Martino, Olmos and Luengo: Scalable multi-output label prediction: From classifier chains to
    classifier trellises, 2015.

    Examples
    --------
    >>> Trellis(width=2).build([[0.0], [1.0]], [[0, 1, 0, 1], [1, 1, 0, 0]]).parents
    ((), (0,), (0,), (2, 1))
    """

    counts_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "width": (Interval(int, 1, None), Nothing()),
        "order": ORDER_RULES,
    }

    def __init__(self, width: int | None = None, order: Any = None) -> None:
        self.width = width
        self.order = order

    def _build(self, given: StructureInput) -> LabelGraph:
        order = arranged(self.order, given)
        width = self.width or math.isqrt(max(given.n_labels - 1, 0)) + 1
        parents: list[list[int]] = [[] for _ in order]
        for place, label in enumerate(order):
            left = [order[place - 1]] if place % width else []
            above = [order[place - width]] if place >= width else []
            parents[label] = left + above
        return LabelGraph(parents, order)
