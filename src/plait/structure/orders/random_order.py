"""A random order."""

from typing import ClassVar

from plait.core.checks import Constraint
from plait.structure.orders.order import Order
from plait.structure.structure_input import StructureInput

__all__ = ["RandomOrder"]


class RandomOrder(Order):
    """Every order is equally likely; the generator comes from the structure's `random_state`."""

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {}

    def _arrange(self, given: StructureInput) -> list[int]:
        return [int(label) for label in given.random.permutation(given.n_labels)]
