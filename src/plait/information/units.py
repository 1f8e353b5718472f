"""The base of logarithms: bits, nats or any other."""

import math
from typing import Any

from plait.core.checks import Interval, OneOf, check_value

__all__ = ["bits_to"]


class _Base(Interval):
    """A number to whose base every logarithm is finite."""

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) and value != 1 and math.isfinite(value)

    def describe(self) -> str:
        return "a positive number other than 1"


_RULES = (_Base(float, 0.0, None, closed="neither"), OneOf(("e",)))


def bits_to(base: Any, owner: str) -> float:
    """Return what one bit is in the unit of a base: 1 for base 2, log 2 for base e (or the word "e").

    Examples
    --------
    >>> bits_to(2, "entropy"), round(bits_to("e", "entropy"), 6)
    (1.0, 0.693147)
    """
    check_value(owner, "base", base, _RULES, "Pass 2 for bits or 'e' for nats.")
    if isinstance(base, str):
        return math.log(2.0)
    return 1.0 / math.log2(base)
