"""Greedy choice: take the best feature, see what the others are worth beside it, and again."""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.features.ties import first_best

__all__ = ["Criterion", "forward_search"]


class Criterion(ABC):
    """A score J(f|S) of every feature f beside the chosen ones S, kept up to date as S grows."""

    @abstractmethod
    def scores(self) -> Floats:
        """Return J(f|S) for every feature, in a new array; what stands at features in S does not matter."""

    @abstractmethod
    def add(self, feature: int) -> None:
        """Put one more feature into S."""

    def best(self, scores: Floats) -> int:
        """Return the feature to choose; -inf marks those in S."""
        return first_best(scores)


def forward_search(criterion: Criterion, n_wanted: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return so many features in the order chosen, and the score of each when it was chosen."""
    ranking = np.empty(n_wanted, dtype=np.int64)
    chosen_scores = np.empty(n_wanted)
    for step in range(n_wanted):
        scores = criterion.scores()
        scores[ranking[:step]] = -np.inf
        best = criterion.best(scores)
        ranking[step], chosen_scores[step] = best, scores[best]
        if step + 1 < n_wanted:
            criterion.add(best)
    return ranking, chosen_scores
