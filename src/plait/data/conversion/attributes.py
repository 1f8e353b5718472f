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

__all__ = ["Attribute", "AttributeTable", "label_codes", "meaning", "no_yes_codes", "value_codes"]

_LETTERS = (("0", "1"), ("-1", "1"), ("f", "t"), ("n", "y"), ("off", "on"))
_WORDS = (
    *(("false", "true"), ("no", "yes"), ("nein", "ja"), ("falsch", "wahr"), ("non", "oui"), ("faux", "vrai")),
    *(("no", "si"), ("no", "sí"), ("no", "sì"), ("falso", "verdadero"), ("falso", "vero"), ("não", "sim")),
    *(("falso", "verdadeiro"), ("nee", "ja"), ("nej", "ja"), ("nei", "ja"), ("ei", "kyllä"), ("nie", "tak")),
    *(("ne", "ano"), ("nem", "igen"), ("ne", "da"), ("nu", "da"), ("нет", "да"), ("ні", "так"), ("не", "да")),
    *(("όχι", "ναι"), ("hayır", "evet"), ("لا", "نعم"), ("לא", "כן"), ("नहीं", "हाँ"), ("いいえ", "はい")),
    *(("否", "是"), ("아니요", "예"), ("tidak", "ya"), ("không", "có")),
)
_NO_YES = {*_LETTERS, *_WORDS}
_NO = {"0", *(no for no, _ in _WORDS)}
_YES = {"1", *(yes for _, yes in _WORDS)}
_KNOWN = {word for pair in _NO_YES for word in pair}


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


def meaning(value: str) -> str:
    """Return a value in the form in which no and yes are looked up: 0.0 is 0, TRUE is true, others stay."""
    word = value.strip().lower()
    try:
        number = float(word)
    except ValueError:
        return word if word in _KNOWN else value
    return str(int(number)) if number in (-1.0, 0.0, 1.0) else value


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
    if len(values) == 2 and meanings[::-1] in _NO_YES:
        return (1, 0)
    if len(values) == 1 and meanings[0] in _YES:
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
    if len(values) == 2 or (len(values) == 1 and meaning(values[0]) in _NO | _YES):
        return value_codes(values)
    return None


def no_yes_codes(values: Iterable[str]) -> dict[str, float] | None:
    """Return what words mean if they say no and yes in some language, else None; capitals do not count.

    Words of one meaning alone, as a small file may hold, are understood with both.

    Examples
    --------
    >>> no_yes_codes(["Ja", "nein"]), no_yes_codes(["nein", "maybe"])
    ({'nein': 0.0, 'ja': 1.0}, None)
    >>> no_yes_codes(["nein"])["ja"]
    1.0
    """
    words = {meaning(value) for value in values}
    pair = next((pair for pair in _NO_YES if words == set(pair)), None)
    if pair is not None:
        return {pair[0]: 0.0, pair[1]: 1.0}
    if len(words) == 1 and words <= _NO | _YES:
        return dict.fromkeys(sorted(_NO), 0.0) | dict.fromkeys(sorted(_YES), 1.0)
    return None
