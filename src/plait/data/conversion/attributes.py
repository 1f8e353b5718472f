"""Columns as files declare them, and the numbers that stand for declared values.

Two values that mean no and yes (0/1, -1/1, false/true, no/yes, f/t, n/y, off/on, nein/ja and the like in other
languages, in any case and any order) have the codes 0 and 1 by that meaning; all others have their index in the
declared order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from plait.core.no_yes import NO, NO_YES, YES, meaning

__all__ = ["Attribute", "AttributeTable", "label_codes", "value_codes"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column as its file declares it.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"numeric", "nominal", "string"}, default="numeric"
        What it holds.
    values : tuple of str, default=()
        The declared values of a nominal attribute, in order.
    """

    name: str
    kind: str = "numeric"
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttributeTable:
    """Attributes by column, of which tens of thousands may have the same few declarations.

    Parameters
    ----------
    names : list of str
        The name of each column.
    types : list of Attribute
        The different declarations; their names do not count.
    which : ndarray of shape (n_columns,)
        Which of them each column has.
    """

    names: list[str]
    types: list[Attribute]
    which: npt.NDArray[np.intp]

    @classmethod
    def of(cls, attributes: Iterable[Attribute]) -> "AttributeTable":
        """Return the table of a list of attributes."""
        places: dict[tuple[str, tuple[str, ...]], int] = {}
        types: list[Attribute] = []
        names, which = [], []
        for attribute in attributes:
            key = (attribute.kind, attribute.values)
            if key not in places:
                places[key] = len(types)
                types.append(attribute)
            names.append(attribute.name)
            which.append(places[key])
        return cls(names, types, np.array(which, dtype=np.intp))

    def take(self, columns: npt.NDArray[np.intp]) -> "AttributeTable":
        """Return the table of some columns."""
        return AttributeTable([self.names[j] for j in columns.tolist()], self.types, self.which[columns])


def value_codes(values: Sequence[str]) -> tuple[int, ...]:
    """Return the code of each declared value: 0 and 1 by meaning where there is one, else the index.

    Examples
    --------
    >>> value_codes(["1", "0"]), value_codes(["YES", "NO"]), value_codes(["red", "blue"])
    ((1, 0), (1, 0), (0, 1))
    >>> value_codes(["low", "middle", "high"])
    (0, 1, 2)
    """
    # Thousands of attributes have the same two values.
    return _small_codes(tuple(values)) if len(values) <= 2 else tuple(range(len(values)))


@lru_cache(maxsize=1024)
def _small_codes(values: tuple[str, ...]) -> tuple[int, ...]:
    meanings = tuple(meaning(value) for value in values)
    if len(values) == 2 and meanings[::-1] in NO_YES:
        return (1, 0)
    if len(values) == 1 and meanings[0] in YES:
        return (1,)
    return tuple(range(len(values)))


def label_codes(values: Sequence[str]) -> tuple[int, ...] | None:
    """Return 0 or 1 for each declared value of a label, or None where the values cannot be those of a label.

    A label has two values, or a single one that means no or yes (a label that is never or always set).

    Examples
    --------
    >>> label_codes(["False", "True"]), label_codes(["1"]), label_codes(["a", "b", "c"])
    ((0, 1), (1,), None)
    """
    if len(values) == 2 or (len(values) == 1 and meaning(values[0]) in NO | YES):
        return value_codes(values)
    return None
