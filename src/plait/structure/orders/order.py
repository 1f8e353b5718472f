"""`Order`: the base of all orders of labels."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from sklearn.base import BaseEstimator

from plait.core.checks import Constraint, check_parameters
from plait.structure.structure_input import StructureInput

__all__ = ["Order"]


class Order(BaseEstimator, ABC):
    """Base of all orders: a subclass writes `_arrange(given)` and lists its parameters in `parameter_rules`."""

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]]

    @abstractmethod
    def _arrange(self, given: StructureInput) -> list[int]:
        """Return all labels in order."""

    def arrange(self, given: StructureInput) -> list[int]:
        """Return all labels in order, the first of the chain first."""
        check_parameters(self)
        return self._arrange(given)
