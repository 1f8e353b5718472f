"""Best-first search for the features with the largest merit: with the target, not with each other [Hall1999].

The best set not yet expanded is expanded: all sets with one more feature are looked at. The search ends after some
expansions in a row that found nothing better, or when no set is left.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.core.ties import TIE_TOLERANCE

__all__ = ["MemberSet", "best_first", "grown_to", "subset_merit"]


def subset_merit(to_target: Any, among: Any, n_members: int) -> Any:
    """Return n rcf / sqrt(n + n (n - 1) rff), with mean correlations to the target and between members.

    Parameters
    ----------
    to_target : float or ndarray
        Sum of the correlations of the members with the target, n rcf.
    among : float or ndarray
        Sum of the correlations over unordered pairs of members, n (n - 1) / 2 rff. PACC 21 prints a factor that
        doubles the mean; Hall's is used.
    n_members : int
        Number of members; none have merit 0.

    Examples
    --------
    A copy of the only member changes nothing.

    >>> float(subset_merit(0.6, 0.0, 1)), float(subset_merit(0.6 + 0.6, 1.0, 2))
    (0.6, 0.6)
    """
    return to_target / np.sqrt(n_members + 2.0 * among) if n_members else 0.0 * to_target


Links = Callable[[int], Floats]


@dataclass(frozen=True, eq=False)
class MemberSet:
    """A set on the way: what stays in it throughout, and the candidates added so far.

    Parameters
    ----------
    members : tuple of int
        Candidates in the order added.
    merits : tuple of float
        Merit of the set before any was added, and after each.
    n_fixed : int
        How many members beside the candidates there are.
    to_target : float
        Sum of correlations of all members with the target.
    among : float
        Sum of correlations over pairs of members.
    links : ndarray of shape (n_candidates,)
        Sum of correlations of each candidate with all members.
    """

    members: tuple[int, ...]
    merits: tuple[float, ...]
    n_fixed: int
    to_target: float
    among: float
    links: Floats

    @classmethod
    def start(cls, to_target: float, among: float, links: Floats, n_fixed: int) -> "MemberSet":
        """Return the set of fixed members alone."""
        return cls((), (float(subset_merit(to_target, among, n_fixed)),), n_fixed, to_target, among, links)

    @property
    def merit(self) -> float:
        """Merit of the set."""
        return self.merits[-1]

    def merits_with_one_more(self, relevance: Floats) -> Floats:
        """Return the merit of the set with each candidate added, -inf for those in it."""
        size = self.n_fixed + len(self.members) + 1
        merits = np.asarray(subset_merit(self.to_target + relevance, self.among + self.links, size))
        merits[list(self.members)] = -np.inf
        return merits

    def with_member(self, candidate: int, merit: float, relevance: Floats, links_of: Links) -> "MemberSet":
        """Return the set with one more candidate."""
        return replace(
            self,
            members=(*self.members, candidate),
            merits=(*self.merits, merit),
            to_target=self.to_target + float(relevance[candidate]),
            among=self.among + float(self.links[candidate]),
            links=self.links + links_of(candidate),
        )


def best_first(start: MemberSet, relevance: Floats, links_of: Links, patience: int) -> MemberSet:
    """Return the best set found.

    Parameters
    ----------
    start : MemberSet
        Where to begin; its members stay.
    relevance : ndarray of shape (n_candidates,)
        Correlation of each candidate with the target.
    links_of : function from a candidate to ndarray of shape (n_candidates,)
        Its correlations with all candidates; asked for only when it is in a set that is expanded.
    patience : int
        Expansions in a row without a better set after which to stop.

    Notes
    -----
    Ties within rounding: the set whose expansion came first, then the addition with the larger relevance, then the
    smaller index. A set that two ways lead to is expanded once.
    """
    best = (start, -1, start.merit)
    opened: list[_Opened] = []
    seen: set[frozenset[int]] = set()
    node: MemberSet | None = start
    stale = 0
    while node is not None:
        seen.add(frozenset(node.members))
        opened.append(_Opened(node, node.merits_with_one_more(relevance), relevance))
        top = opened[-1]
        if top.merit > best[2] + TIE_TOLERANCE:
            best, stale = (node, top.candidate, top.merit), 0
        else:
            stale += 1
        node = _next(opened, seen, relevance, links_of) if stale < patience else None
    node, candidate, merit = best
    return node if candidate < 0 else node.with_member(candidate, merit, relevance, links_of)


class _Opened:
    """An expanded set and the best of its additions that has not been taken up."""

    def __init__(self, node: MemberSet, merits: Floats, relevance: Floats) -> None:
        self.node, self.merits, self._relevance = node, merits, relevance
        self._find()

    def _find(self) -> None:
        self.candidate = _best_addition(self.merits, self._relevance)
        self.merit = float(self.merits[self.candidate]) if self.candidate >= 0 else -np.inf

    def drop(self) -> None:
        """Go on to the next best addition."""
        self.merits[self.candidate] = -np.inf
        self._find()


def _best_addition(merits: Floats, relevance: Floats) -> int:
    """Return the candidate with the largest merit, ties by relevance and then by index; -1 where none is left."""
    top = merits.max(initial=-np.inf)
    if top == -np.inf:
        return -1
    near = merits >= top - TIE_TOLERANCE
    return int(np.argmax(near & (relevance >= relevance[near].max() - TIE_TOLERANCE)))


def _next(opened: list[_Opened], seen: set[frozenset[int]], relevance: Floats, links_of: Links) -> MemberSet | None:
    """Take the best set that has not been expanded out of the additions."""
    while True:
        merits = np.array([each.merit for each in opened])
        if not (merits > -np.inf).any():
            return None
        place = opened[int(np.argmax(merits >= merits.max() - TIE_TOLERANCE))]
        candidate, merit = place.candidate, place.merit
        place.drop()
        if frozenset((*place.node.members, candidate)) not in seen:
            return place.node.with_member(candidate, merit, relevance, links_of)


def grown_to(subset: MemberSet, size: int, relevance: Floats, links_of: Links) -> MemberSet:
    """Return the set with exactly `size` candidates: its first ones, or the best additions one after another."""
    if len(subset.members) >= size:
        return replace(subset, members=subset.members[:size], merits=subset.merits[: size + 1])
    while len(subset.members) < min(size, relevance.size):
        merits = subset.merits_with_one_more(relevance)
        candidate = _best_addition(merits, relevance)
        subset = subset.with_member(candidate, float(merits[candidate]), relevance, links_of)
    return subset
