"""Parameter constraints declared as data on a class and checked once, at `fit`.

A class lists what each parameter may be:

>>> class Beam:
...     parameter_rules = {"width": (Interval(int, 1, None),), "prune": (Boolean(),)}
...     def __init__(self, width=10, prune=False):
...         self.width, self.prune = width, prune
>>> check_parameters(Beam(width=0))
Traceback (most recent call last):
plait.core.sentences.ParameterError: Beam needs width to be an integer of at least 1, but it is 0 (int). Pass ...

Every constraint can also produce values it refuses (`wrong_values`), from which the tests make
one wrong call per parameter of every class without anyone writing it.
"""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.sentences import ParameterError, complaint

__all__ = [
    "Boolean",
    "Constraint",
    "HasMethods",
    "InstanceOf",
    "Interval",
    "Nothing",
    "OneOf",
    "RandomState",
    "check_parameters",
    "check_value",
    "wrong_values",
]


class Constraint(ABC):
    """What a value may be (`accepts`), in words (`describe`), and values it may not be (`wrong`).

    Examples
    --------
    >>> class Even(Constraint):
    ...     def accepts(self, value):
    ...         return isinstance(value, int) and value % 2 == 0
    ...
    ...     def describe(self):
    ...         return "an even number"
    >>> check_value("MyModel", "n_trees", 3, (Even(),))
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: MyModel needs n_trees to be an even number, but it is 3 (int). ...
    """

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Say whether the value is allowed.

        Parameters
        ----------
        value : object
            What was passed.
        """

    @abstractmethod
    def describe(self) -> str:
        """Say in words what is allowed, to follow "must be"."""

    def wrong(self) -> list[Any]:
        """Return some values close to the allowed ones that are not allowed."""
        return []


@dataclass(frozen=True)
class Interval(Constraint):
    """A number between two bounds; `None` leaves a side open, `closed` says which bounds belong.

    Parameters
    ----------
    kind : {int, float}
        Of which type.
    low, high : float or None
        The bounds.
    closed : {"both", "left", "right", "neither"}, default="both"
        Which bounds belong.

    Examples
    --------
    >>> Interval(int, 1, None).accepts(0), Interval(float, 0, 1).accepts(0.5)
    (False, True)
    """

    kind: type
    low: float | None
    high: float | None
    closed: str = "both"

    def _holds(self, value: Any) -> bool:
        if self.low is not None:
            inside = value >= self.low if self.closed in ("both", "left") else value > self.low
            if not inside:
                return False
        if self.high is not None:
            return bool(value <= self.high if self.closed in ("both", "right") else value < self.high)
        return True

    def accepts(self, value: Any) -> bool:
        """Say whether the value is a number of the right kind between the bounds."""
        wanted = numbers.Integral if self.kind is int else numbers.Real
        if isinstance(value, bool | np.bool_) or not isinstance(value, wanted):
            return False
        return bool(value == value) and self._holds(value)

    def describe(self) -> str:
        """Say the bounds in words."""
        noun = "an integer" if self.kind is int else "a number"
        at_least = "of at least" if self.closed in ("both", "left") else "above"
        at_most = "at most" if self.closed in ("both", "right") else "below"
        if self.low is None and self.high is None:
            return noun
        if self.high is None:
            return f"{noun} {at_least} {self.low}"
        if self.low is None:
            return f"{noun} of {at_most} {self.high}" if at_most == "at most" else f"{noun} below {self.high}"
        return f"{noun} {at_least} {self.low} and {at_most} {self.high}"

    def wrong(self) -> list[Any]:
        """Return numbers just outside, a number of the wrong kind, a truth value and a NaN."""
        bad: list[Any] = [True, float("nan")]
        if self.kind is int:
            bad.append((self.low or 0) + 0.5)
        if self.low is not None:
            bad.append(self.low - 1 if self.closed in ("both", "left") else self.low)
        if self.high is not None:
            bad.append(self.high + 1 if self.closed in ("both", "right") else self.high)
        return bad


@dataclass(frozen=True)
class OneOf(Constraint):
    """One of a few listed words (or other constants).

    Parameters
    ----------
    options : tuple
        What may be said.

    Examples
    --------
    >>> OneOf(("fast", "default")).accepts("slow")
    False
    """

    options: tuple[Any, ...]

    def accepts(self, value: Any) -> bool:
        """Say whether the value is listed, of the same type (1 is not True)."""
        return any(type(value) is type(option) and value == option for option in self.options)

    def describe(self) -> str:
        """List the options."""
        return _joined([repr(option) for option in self.options])

    def wrong(self) -> list[Any]:
        """Return a word that is not listed."""
        return ["not one of these"]


@dataclass(frozen=True)
class InstanceOf(Constraint):
    """An instance of a class.

    Parameters
    ----------
    types : tuple of types
        Any of them.

    Examples
    --------
    >>> InstanceOf((dict,)).accepts({})
    True
    """

    types: tuple[type, ...]

    def accepts(self, value: Any) -> bool:
        """Say whether the value is an instance (a truth value is not taken for an integer)."""
        if isinstance(value, bool) and bool not in self.types:
            return False
        return isinstance(value, self.types)

    def describe(self) -> str:
        """Name the classes."""
        names = [kind.__name__ for kind in self.types]
        return "an instance of " + _joined(names)

    def wrong(self) -> list[Any]:
        """Return an object of a class nobody else knows."""
        return [type("Stranger", (), {})()]


@dataclass(frozen=True)
class HasMethods(Constraint):
    """An object with the named methods, such as an estimator.

    Parameters
    ----------
    methods : tuple of str
        Their names.

    Examples
    --------
    >>> HasMethods(("append",)).accepts([])
    True
    """

    methods: tuple[str, ...]

    def accepts(self, value: Any) -> bool:
        """Say whether the object (not a class) has all methods."""
        has_all = all(callable(getattr(value, method, None)) for method in self.methods)
        return has_all and not isinstance(value, type)

    def describe(self) -> str:
        """Name the methods."""
        return "an object with the methods " + _joined(list(self.methods), "and")

    def wrong(self) -> list[Any]:
        """Return an object without methods."""
        return [type("Stranger", (), {})()]


@dataclass(frozen=True)
class Boolean(Constraint):
    """True or False.

    Examples
    --------
    >>> Boolean().accepts(True), Boolean().accepts(1)
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Say whether the value is a truth value."""
        return isinstance(value, bool | np.bool_)

    def describe(self) -> str:
        """Say so."""
        return "True or False"

    def wrong(self) -> list[Any]:
        """Return what people type instead."""
        return [1, "yes"]


@dataclass(frozen=True)
class Nothing(Constraint):
    """None.

    Examples
    --------
    >>> Nothing().accepts(None)
    True
    """

    def accepts(self, value: Any) -> bool:
        """Say whether the value is None."""
        return value is None

    def describe(self) -> str:
        """Say so."""
        return "None"


@dataclass(frozen=True)
class RandomState(Constraint):
    """What scikit-learn takes as `random_state`, and NumPy's `Generator`.

    Examples
    --------
    >>> RandomState().accepts(0), RandomState().accepts("zero")
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Say whether generators can be made from the value."""
        if value is None or isinstance(value, np.random.RandomState | np.random.Generator):
            return True
        return Interval(int, 0, 2**32 - 1).accepts(value)

    def describe(self) -> str:
        """Say so."""
        return "None, an integer from 0 to 2**32 - 1, a RandomState or a Generator"

    def wrong(self) -> list[Any]:
        """Return a negative and a broken seed."""
        return [-1, 1.5, "seed"]


def _joined(words: list[str], last: str = "or") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def check_value(owner: str, name: str, value: Any, rules: Iterable[Constraint], todo: str = "") -> None:
    """Raise `ParameterError` in the house form unless one of the rules accepts the value.

    Parameters
    ----------
    owner, name : str
        Whose parameter, and which.
    value : object
        What was given.
    rules : iterable of Constraint
        One of them has to accept it.
    todo : str, default=""
        What to do instead.

    Examples
    --------
    >>> check_value("example", "n", 3, (Interval(int, 1, None),))
    """
    rules = tuple(rules)
    if not any(rule.accepts(value) for rule in rules):
        must = _joined([rule.describe() for rule in rules])
        raise ParameterError(complaint(owner, name, must, value, todo))


def check_parameters(owner: Any) -> None:
    """Check every parameter listed in `owner.parameter_rules`; the first wrong one is raised.

    Parameters
    ----------
    owner : object
        Has `parameter_rules`, a mapping from the name of a parameter to its rules, and a parameter of each name.

    Examples
    --------
    >>> class Model:
    ...     parameter_rules = {"n_trees": (Interval(int, 1, None),)}
    ...     n_trees = 0
    >>> check_parameters(Model())
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: Model needs n_trees to be an integer of at least 1, but it is 0 (int). ...
    """
    rules: Mapping[str, Iterable[Constraint]] = owner.parameter_rules
    for name, constraints in rules.items():
        check_value(type(owner).__name__, name, getattr(owner, name), constraints)


def wrong_values(rules: Iterable[Constraint]) -> list[Any]:
    """Return values that none of the rules accepts, made from the rules themselves.

    Parameters
    ----------
    rules : iterable of Constraint
        What a value may be.

    Returns
    -------
    list

    Examples
    --------
    >>> len(wrong_values((Interval(int, 1, None),))) > 0
    True
    """
    rules = tuple(rules)
    stranger: Callable[[], Any] = type("Stranger", (), {})
    candidates = [stranger(), *(value for rule in rules for value in rule.wrong())]
    return [value for value in candidates if not any(rule.accepts(value) for rule in rules)]
