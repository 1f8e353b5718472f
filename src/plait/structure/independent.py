"""No label depends on another: binary relevance [OCC 4.1]."""

from typing import ClassVar

from plait.structure.label_graph import LabelGraph
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["Independent"]


class Independent(Structure):
    """No label depends on another, given the features.

    Examples
    --------
    >>> Independent().build([[0.0], [1.0]], [[0, 1], [1, 1]]).parents
    ((), ())
    """

    takes_sparse_labels: ClassVar[bool] = True
    counts_labels: ClassVar[bool] = True

    def _build(self, given: StructureInput) -> LabelGraph:
        return LabelGraph([[]] * given.n_labels)
