import numpy as np

from plait.features.forward_steps import Criterion, forward_search


class Falling(Criterion):
    """Scores that fall by 1 at the neighbours of what was chosen."""

    def __init__(self, start):
        self.values, self.added = np.array(start, dtype=float), []

    def scores(self):
        return self.values.copy()

    def add(self, feature):
        self.added.append(feature)
        self.values[[j for j in (feature - 1, feature + 1) if 0 <= j < self.values.size]] -= 1


def test_search_scores_and_ties():
    criterion = Falling([1.0, 3.0, 2.5, 2.5])
    ranking, scores = forward_search(criterion, 4)
    assert ranking.tolist() == [1, 3, 2, 0]
    assert scores.tolist() == [3.0, 2.5, 0.5, 0.0]
    assert criterion.added == [1, 3, 2]  # the last is not needed


def test_nothing_wanted():
    ranking, scores = forward_search(Falling([1.0]), 0)
    assert ranking.size == scores.size == 0
