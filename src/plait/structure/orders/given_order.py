"""The order of the columns, or one that the user gives."""

from collections.abc import Iterable
from typing import Any, ClassVar

from plait.core.checks import Constraint, Nothing
from plait.core.labels import label_numbers
from plait.core.sentences import ParameterError, shown
from plait.structure.orders.order import Order
from plait.structure.structure_input import StructureInput

__all__ = ["GivenOrder", "LabelSequence"]


class LabelSequence(Constraint):
    """A sequence of labels by number or name."""

    def accepts(self, value: Any) -> bool:
        """Say whether the value can be gone through and is not one word."""
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)

    def describe(self) -> str:
        """Say so."""
        return "a sequence of all labels by number or name"

    def wrong(self) -> list[Any]:
        """Return a number."""
        return [3]


class GivenOrder(Order):
    """The order of the columns of Y, or a given one.

    Parameters
    ----------
    labels : sequence of int or str, optional
        All labels by number or name; by default 0, 1, 2, ...
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"labels": (LabelSequence(), Nothing())}

    def __init__(self, labels: Any = None) -> None:
        self.labels = labels

    def _arrange(self, given: StructureInput) -> list[int]:
        if self.labels is None:
            return list(range(given.n_labels))
        order = label_numbers(given.owner, "order", self.labels, given.n_labels, given.label_names)
        if sorted(order) != list(range(given.n_labels)):
            raise ParameterError(
                f"{given.owner} needs order to hold each of {given.n_labels} labels once, but it is "
                f"{shown(list(self.labels))}. Pass a permutation, or None."
            )
        return order
