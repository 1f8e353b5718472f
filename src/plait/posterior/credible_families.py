"""Families of label sets: for each row the likeliest sets, as many as a rule asks for."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.named_answers import label_sets
from plait.posterior.likely_sets import LikelySets

__all__ = ["LabelFamilies", "deepen", "label_families"]


class LabelFamilies(Sequence[Any]):
    """One family of label sets for each row, the most probable set first: `families[row]` is (n_sets, n_labels).

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
    >>> model.joint([[0.0], [1.5]]).credible_sets(0.9)
    LabelFamilies(2 rows, 3.0 label sets a row)
    """

    def __init__(self, families: list[Labels], masses: Floats, exact: Any, label_names: Sequence[str]) -> None:
        self._families = families
        self.masses = masses
        self.exact = np.asarray(exact)
        self.sizes = np.array([len(family) for family in families], dtype=np.int64)
        self.label_names = tuple(str(name) for name in label_names)

    def __len__(self) -> int:
        return len(self._families)

    def __getitem__(self, row: Any) -> Any:
        return self._families[row]

    def names(self, row: int) -> list[tuple[str, ...]]:
        """Return the sets of one row as names."""
        return label_sets(self._families[row], self.label_names)

    def __repr__(self) -> str:
        return f"LabelFamilies({len(self)} rows, {self.sizes.mean() if len(self) else 0:.1f} label sets a row)"


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
        How large a family may become.
    """
    families: list[Any] = [None] * len(answer)
    masses, exact = np.zeros(len(answer)), np.zeros(len(answer), dtype=np.bool_)

    def passed(rows: Any, likely: LikelySets, whole: bool, proved: Any) -> Any:
        taken = inside(rows, likely.probabilities) & (likely.probabilities > 0)
        for place, row in enumerate(rows):
            kept = np.flatnonzero(taken[place]) if taken[place].any() else [0]
            families[row] = likely.vectors[place, kept].astype(np.uint8)
            masses[row] = likely.probabilities[place, kept].sum()
        done = ~taken[:, -1] | whole
        exact[rows] = done & proved
        return done

    deepen(answer, max_sets, passed)
    return LabelFamilies(families, masses, exact, answer.label_names)


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
