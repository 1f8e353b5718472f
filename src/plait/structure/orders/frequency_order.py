"""Frequent labels first."""

from typing import ClassVar

import numpy as np

from plait.core.checks import Constraint
from plait.structure.orders.order import Order
from plait.structure.structure_input import StructureInput

__all__ = ["FrequencyOrder"]


class FrequencyOrder(Order):
    """The most frequent label first; ties by index."""

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {}

    def _arrange(self, given: StructureInput) -> list[int]:
        ones = given.Y.sum(axis=0, dtype=np.int64)
        return [int(label) for label in np.argsort(-ones, kind="stable")]
