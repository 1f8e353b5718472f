"""Random distributions over label sets, given as trees of conditional probabilities.

Node (y_1, ..., y_k) of the tree holds P(y_{k+1} = 1 | y_1, ..., y_k). A label set's probability is the product along
its path; every distribution over label sets is such a tree, so small ones are a test of any inference.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.checks import Interval, check_value
from plait.core.randomness import generator
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["ProbabilityTrees", "random_probability_trees"]


_MOST_LABELS = 20


@dataclass(frozen=True, eq=False)
class ProbabilityTrees:
    """Some trees over the same labels.

    Attributes
    ----------
    conditionals : ndarray of shape (n_trees, 2 ** n_labels - 1)
        Level by level: the node of labels y_1 ... y_k stands at 2 ** k - 1 plus the number they spell, y_1 first.

    Examples
    --------
    >>> import numpy as np
    >>> tree = ProbabilityTrees(np.array([[0.5, 0.1, 0.9]]))
    >>> tree.conditional([1]), tree.probabilities()
    (array([0.9]), array([[0.45, 0.05, 0.05, 0.45]]))
    """

    conditionals: Floats

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.conditionals.shape[1]).bit_length()

    def conditional(self, labels: npt.ArrayLike) -> Floats:
        """Return, for each tree, the probability that the next label is on after the given first ones.

        Parameters
        ----------
        labels : array of int
            The values of the first labels; empty for the first label itself.
        """
        before = np.asarray(labels, dtype=np.int64).ravel()
        number = int(before @ (1 << np.arange(len(before))[::-1]))
        return self.conditionals[:, (1 << len(before)) - 1 + number]

    def probabilities(self) -> Floats:
        """Return P of all 2 ** n_labels label sets in lexicographic order (0 before 1), a row for each tree."""
        level = np.ones((len(self.conditionals), 1))
        for k in range(self.n_labels):
            on = self.conditionals[:, (1 << k) - 1 : (2 << k) - 1]
            level = np.stack((level * (1 - on), level * on), axis=2).reshape(len(level), -1)
        return level


def random_probability_trees(
    n_labels: int, n_trees: int = 1, *, concentration: float = 1.0, random_state: Any = None
) -> ProbabilityTrees:
    """Draw every conditional probability of every tree from Beta(concentration, concentration).

    Parameters
    ----------
    n_labels : int
        Number of labels, at most 20.
    n_trees : int, default=1
        Number of trees.
    concentration : float, default=1.0
        Below 1 most labels are nearly certain given those before; far above 1 all label sets are about equally likely.
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same trees every time.

    Returns
    -------
    ProbabilityTrees

    Examples
    --------
    >>> from plait.data.synthetic import random_probability_trees
    >>> trees = random_probability_trees(3, n_trees=2, random_state=0)
    >>> trees.probabilities().shape, trees.probabilities().sum(axis=1).round(12).tolist()
    ((2, 8), [1.0, 1.0])
    """
    owner = "random_probability_trees"
    check_sizes(owner, random_state, n_trees=n_trees)
    check_value(owner, "n_labels", n_labels, (Interval(int, 1, _MOST_LABELS),))
    check_value(owner, "concentration", concentration, (Interval(float, 0, 1e6, closed="right"),))
    random = generator(random_state)
    return ProbabilityTrees(random.beta(concentration, concentration, (n_trees, (1 << n_labels) - 1)))
