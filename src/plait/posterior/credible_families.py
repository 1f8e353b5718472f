"""Families of label sets: for each row the likeliest sets, as many as a rule asks for, found when looked at."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.named_answers import label_sets
from plait.posterior.likely_sets import LikelySets

__all__ = ["LabelFamilies", "deepen", "label_families"]

# Rows whose families are found together.
_BLOCK = 64
# For row numbers: their families, the probability that each holds, and whether it is whole.
FamiliesOf = Callable[[Ints], tuple[list[Labels], Floats, Any]]


class LabelFamilies(Sequence[Any]):
    """One family of label sets for each row, the most probable set first: `families[row]` is (n_sets, n_labels).

    Families are found when they are looked at, a few rows at a time; `sets(row)` goes through one, set by set, however
    large it is.

    Parameters
    ----------
    found_of : callable
        Row numbers -> their families, what each holds, and whether it is whole.
    n_rows : int
        How many rows.
    label_names : sequence of str
        Names of the labels.
    sets_of : callable, optional
        Row number -> iterator over all sets of its family; by default over those of `families[row]`.

    Attributes
    ----------
    masses : ndarray of float64, shape (n_rows,)
        Probability of all sets of the family together, by the model.
    exact : ndarray of bool, shape (n_rows,)
        Whether the family is whole: neither cut at `max_sets` nor found by sampling.
    sizes : ndarray of int64, shape (n_rows,)
        How many sets each family has.
    label_names : tuple of str
        Names of the labels.

    Examples
    --------
    >>> from plait import recipes
    >>> model = recipes.br().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [[0, 0], [0, 1], [1, 1], [1, 0]] * 9)
    >>> families = model.joint([[0.0], [1.5]]).credible_sets(0.9)
    >>> families
    LabelFamilies(2 rows, 3.0 label sets a row)
    >>> next(families.sets(0))
    array([0, 0], dtype=uint8)
    """

    def __init__(
        self,
        found_of: FamiliesOf,
        n_rows: int,
        label_names: Sequence[str],
        sets_of: Callable[[int], Iterator[Labels]] | None = None,
    ) -> None:
        self.label_names = tuple(str(name) for name in label_names)
        self._found_of, self._sets_of = found_of, sets_of
        self._families: list[Any] = [None] * n_rows
        self._masses, self._exact = np.zeros(n_rows), np.zeros(n_rows, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._families)

    def __getitem__(self, row: Any) -> Any:
        numbers = range(len(self))[row]
        if isinstance(numbers, range):
            return [self[number] for number in numbers]
        if self._families[numbers] is None:
            start = numbers // _BLOCK * _BLOCK
            rows = np.arange(start, min(start + _BLOCK, len(self)))
            found, self._masses[rows], self._exact[rows] = self._found_of(rows)
            self._families[start : start + len(rows)] = found
        return self._families[numbers]

    def _all(self) -> None:
        for start in range(0, len(self), _BLOCK):
            self[start]

    def held(self, rows: Any) -> tuple[Floats, Any]:
        """Return `masses` and `exact` of some rows; no others are answered for it.

        Parameters
        ----------
        rows : sequence of int
            Which rows.
        """
        for row in rows:
            self[int(row)]
        return self._masses[rows], self._exact[rows]

    @property
    def masses(self) -> Floats:
        """Probability of each family, by the model."""
        self._all()
        return self._masses

    @property
    def exact(self) -> Any:
        """Whether each family is whole."""
        self._all()
        return self._exact

    @property
    def sizes(self) -> Ints:
        """How many sets each family has."""
        self._all()
        return np.array([len(family) for family in self._families], dtype=np.int64)

    def sets(self, row: int) -> Iterator[Labels]:
        """Yield the sets of one row, the most probable first, also those beyond `max_sets`; found as they are needed.

        Parameters
        ----------
        row : int
            Which row.
        """
        number = range(len(self))[row]
        return iter(self[number]) if self._sets_of is None else self._sets_of(number)

    def names(self, row: int) -> list[tuple[str, ...]]:
        """Return the sets of one row as names.

        Parameters
        ----------
        row : int
            Which.
        """
        return label_sets(self[row], self.label_names)

    def __getstate__(self) -> dict[str, Any]:
        self._all()  # what finds more of them cannot be written
        return {**self.__dict__, "_found_of": None, "_sets_of": None}

    def __repr__(self) -> str:
        first = [len(self[row]) for row in range(min(_BLOCK, len(self)))]
        about = "" if len(first) == len(self) else "about "
        return f"LabelFamilies({len(self)} rows, {about}{np.mean(first) if first else 0:.1f} label sets a row)"


def label_families(answer: Any, inside: Callable[[Any, Floats], Any], max_sets: int) -> LabelFamilies:
    """Return the label sets of every row that a rule takes; a row that it takes none of has its likeliest set.

    Parameters
    ----------
    answer : Posterior
        P(y | x) of the rows.
    inside : callable
        Takes row numbers and the probabilities of their likeliest sets, (n, k), the largest first; says which belong:
        of each row the first few.
    max_sets : int
        How large a family may become; `sets` goes on where it is larger.
    """

    def found_of(numbers: Ints) -> tuple[list[Labels], Floats, Any]:
        families: list[Any] = [None] * len(numbers)
        masses, exact = np.zeros(len(numbers)), np.zeros(len(numbers), dtype=np.bool_)

        def passed(rows: Any, likely: LikelySets, whole: bool, proved: Any) -> Any:
            taken = inside(numbers[rows], likely.probabilities) & (likely.probabilities > 0)
            for place, row in enumerate(rows):
                kept = np.flatnonzero(taken[place]) if taken[place].any() else [0]
                families[row] = likely.vectors[place, kept].astype(np.uint8)
                masses[row] = likely.probabilities[place, kept].sum()
            done = ~taken[:, -1] | whole
            exact[rows] = done & proved
            return done

        deepen(answer[numbers], max_sets, passed)
        return families, masses, exact

    def sets_of(row: int) -> Iterator[Labels]:
        part, everything, k = answer[row], 2.0**answer.n_labels, 8
        given: set[bytes] = set()
        while True:
            k = int(min(4 * k, everything))
            likely = part.top(k)
            taken = (inside(np.array([row]), likely.probabilities) & (likely.probabilities > 0))[0]
            n_taken = max(int(taken.sum()), 1)
            # Equal sets may come in another order when more are asked for.
            for labels in likely.vectors[0, :n_taken].astype(np.uint8):
                if labels.tobytes() not in given:
                    given.add(labels.tobytes())
                    yield labels
            if n_taken < k or k >= everything:
                return

    return LabelFamilies(found_of, len(answer), answer.label_names, sets_of)


def deepen(answer: Any, max_sets: int, passed: Callable[[Any, LikelySets, bool, Any], Any], first: int = 8) -> None:
    """Ask for more and more of the likeliest sets until enough is known of every row.

    Parameters
    ----------
    answer : Posterior
        P(y | x) of the rows.
    max_sets : int
        How many sets to ask for at most.
    passed : callable
        Takes row numbers, their likeliest sets, whether these are all there are, and row by row whether they are proved
        to be the likeliest; says which rows have had enough.
    first : int, default=8
        How many sets to ask for at first.
    """
    rows, everything = np.arange(len(answer)), 2.0**answer.n_labels
    k = int(min(first, max_sets, everything))
    while len(rows):
        part = answer[rows]
        likely = part.top(k)
        done = passed(rows, likely, k >= everything, part.exact)
        if k >= min(max_sets, everything):
            return
        rows, k = rows[~done], int(min(4 * k, max_sets, everything))
