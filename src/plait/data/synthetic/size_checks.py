"""The check that every maker of data starts with."""

from typing import Any

from plait.core.checks import Interval, RandomState, check_value

__all__ = ["check_sizes"]


def check_sizes(owner: str, random_state: Any, **sizes: Any) -> None:
    """Raise `ParameterError` unless every size is a positive integer and `random_state` can make a generator."""
    for name, size in sizes.items():
        check_value(owner, name, size, (Interval(int, 1, None),))
    check_value(owner, "random_state", random_state, (RandomState(),))
