"""What a dict of class weights may be, as a rule for parameters."""

import sys
from dataclasses import dataclass
from typing import Any

from plait.core.checks import Constraint, Interval

__all__ = ["ClassWeights"]

WEIGHT = Interval(float, 0, sys.float_info.max)


@dataclass(frozen=True)
class ClassWeights(Constraint):
    """A dict from the classes 0 and 1 of every label to their weights.

    Examples
    --------
    >>> ClassWeights().accepts({0: 1.0, 1: 5}), ClassWeights().accepts({2: 1.0})
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Say whether all keys are classes and all values weights."""
        if not isinstance(value, dict) or any(key not in (0, 1) for key in value):
            return False
        return all(WEIGHT.accepts(weight) for weight in value.values())

    def describe(self) -> str:
        """Say so."""
        return "a dict from the classes 0 and 1 to finite weights of at least 0"

    def wrong(self) -> list[Any]:
        """Return dicts with another class, with a negative and with an infinite weight."""
        return [{2: 1.0}, {1: -1.0}, {0: float("inf")}, {1: "heavy"}]
