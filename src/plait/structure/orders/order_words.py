"""What a structure takes as `order`: a word, an `Order`, or the labels themselves."""

from typing import Any

from plait.core.checks import Constraint, InstanceOf, Nothing, OneOf
from plait.structure.orders.frequency_order import FrequencyOrder
from plait.structure.orders.given_order import GivenOrder, LabelSequence
from plait.structure.orders.information_order import InformationOrder
from plait.structure.orders.order import Order
from plait.structure.orders.random_order import RandomOrder
from plait.structure.structure_input import StructureInput

__all__ = ["ORDER_RULES", "arranged"]

_WORDS: dict[str, type[Order]] = {
    "given": GivenOrder,
    "random": RandomOrder,
    "frequency": FrequencyOrder,
    "information": InformationOrder,
}

ORDER_RULES: tuple[Constraint, ...] = (Nothing(), OneOf(tuple(_WORDS)), InstanceOf((Order,)), LabelSequence())
"""What the parameter `order` of a structure may be."""


def arranged(order: Any, given: StructureInput) -> list[int]:
    """Return all labels in the order that a structure's parameter asks for."""
    if isinstance(order, Order):
        return order.arrange(given)
    if isinstance(order, str):
        return _WORDS[order]().arrange(given)
    return GivenOrder(order).arrange(given)
