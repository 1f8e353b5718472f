"""The terms of the general criterion on given features, labels and parents: what searches by it share."""

from collections.abc import Sequence

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.counts import Codes, SparseCodes, Vocabulary
from plait.features._greedy_kernels import add_start, best_candidate
from plait.features.arrangement import Arrangement, label_rows
from plait.features.general_criterion import GeneralCriterion
from plait.features.pair_memory import PairMemory
from plait.features.plane_arrays import LabelRows, Planes
from plait.features.ties import TIE_TOLERANCE

__all__ = ["Choice", "CriterionTerms"]


class Choice:
    """A choice under way, for one label or for all of them together.

    Parameters
    ----------
    n_candidates, n_wanted : int
        Features there are, and features to choose.

    Attributes
    ----------
    relevance, base, conditional, sums : ndarrays of shape (n_candidates,)
        See `_greedy_kernels`.
    ranking, scores : ndarrays of shape (n_wanted,)
        Chosen candidates and their scores, the first `n_chosen` of which are there.
    """

    def __init__(self, n_candidates: int, n_wanted: int):
        self.relevance, self.base, self.conditional, self.sums = np.zeros((4, n_candidates))
        self.ranking = np.empty(n_wanted, dtype=np.int64)
        self.scores = np.empty(n_wanted)
        self.n_chosen = 0

    def choose(self, candidate: int, score: float) -> None:
        """Put one candidate in the next place."""
        self.ranking[self.n_chosen], self.scores[self.n_chosen] = candidate, score
        self.base[candidate] = -np.inf
        self.n_chosen += 1


class CriterionTerms:
    """Features that vary, labels and their parents, with the weights of the general criterion.

    Parameters
    ----------
    criterion : GeneralCriterion
        Weights and options.
    x, y : SparseCodes or PackedCodes
        Features, each with more than one symbol, and labels 0/1.
    parents : sequence of sequences of int
        Labels on which each label depends.
    """

    def __init__(self, criterion: GeneralCriterion, x: Codes, y: Codes, parents: Sequence[Sequence[int]]):
        self.criterion = criterion
        self._y = y.sparse()
        used = criterion.beta != 0 and any(len(group) > 0 for group in parents)
        self.arranged = Arrangement.of(x, self._y if used else _no_columns(x.n_rows))
        self._parents = parents if used else [()] * len(parents)

    @property
    def planes(self) -> Planes:
        """What kernels read."""
        return self.arranged.planes

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self._parents)

    def label_rows(self, labels: Sequence[int], most_bytes: int) -> LabelRows:
        """Return some labels as kernels read them."""
        return label_rows(self._y, labels, self.arranged, most_bytes)

    def gammas(self, n_steps: int) -> Floats:
        """Return gamma and gamma times the number of chosen features for each step, in bits for each unit."""
        shares = self.criterion.shares(n_steps)
        return self.planes.bits * np.stack(
            (self.criterion.gammas(n_steps), 0.0 * shares if self.criterion.marginal else shares)
        )

    def add_start(self, label: int, place: int, labels: LabelRows, memory: PairMemory, choice: Choice) -> None:
        """Add the first two terms of a label, which has a place in `labels`, to a choice."""
        parents = np.array(self._parents[label], dtype=np.int64) + self.planes.names.size
        beta, sums = self.criterion.beta_of(parents.size), np.zeros(choice.base.size)
        sums_of = (choice.relevance, choice.base, choice.conditional)
        done = add_start(parents, 0, beta, place, labels, self.planes, memory.space, sums, *sums_of)
        while done < parents.size:
            memory.count(parents[done : done + 1])
            done = add_start(parents, done, beta, place, labels, self.planes, memory.space, sums, *sums_of)

    def open(self, choice: Choice) -> None:
        """Apply the options of the released program: fewer candidates, and the most relevant feature first."""
        most, n_wanted = self.criterion.max_candidates, choice.ranking.size
        if most is not None and n_wanted >= most:
            # All candidates would be chosen; the program then ranks all features by relevance.
            self._choose_most_relevant(choice, n_wanted)
            return
        if most is not None:
            outside = np.ones(choice.base.size, dtype=np.bool_)
            outside[self._most_relevant(choice.relevance, min(most, outside.size))] = False
            choice.base[outside] = -np.inf
        if self.criterion.first_by_relevance:
            self._choose_most_relevant(choice, min(n_wanted, 1))

    def _choose_most_relevant(self, choice: Choice, n_wanted: int) -> None:
        for candidate in self._most_relevant(choice.relevance, n_wanted).tolist():
            choice.choose(candidate, choice.relevance[candidate])

    def _most_relevant(self, relevance: Floats, n_wanted: int) -> Ints:
        left, nothing = relevance.copy(), np.zeros(relevance.size)
        ranking = np.empty(n_wanted, dtype=np.int64)
        for place in range(n_wanted):
            best = best_candidate(left, nothing, 0.0, self.planes.runs, self.planes.names, TIE_TOLERANCE)
            ranking[place] = best
            left[best] = -np.inf
        return ranking


def _no_columns(n_rows: int) -> SparseCodes:
    return SparseCodes(Vocabulary.binary(0), np.zeros(n_rows + 1, dtype=np.int64), np.empty(0, dtype=np.uint32))
