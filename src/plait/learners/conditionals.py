"""`Conditionals`: what a learner hands on, P(y_k = 1 | x, y_parents(k)) of every label."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.core.logspace import log_sigmoid
from plait.core.sentences import ParameterError
from plait.learners.parent_settings import checked_n_settings, pair_scores, table_of_scores
from plait.structure import LabelGraph

__all__ = ["Conditionals"]


class Conditionals(ABC):
    """Fitted conditionals of all labels of a graph.

    Attributes
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    n_features : int
        Number of columns of X.
    probabilistic : bool
        Whether scores are log-odds. If not they are margins: their sign decides, their size only ranks.
    """

    graph: LabelGraph
    n_features: int
    probabilistic: bool = True

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.graph.n_labels

    @abstractmethod
    def scores(self, label: int, X: Any, parent_values: Labels) -> Floats:
        """Return the score of one label for every row: log P(1) - log P(0), or a margin; above 0 means 1.

        Parameters
        ----------
        label : int
            The label.
        X : array or CSR matrix of shape (n_samples, n_features)
            Features, all columns.
        parent_values : ndarray of uint8, shape (n_samples, n_parents)
            Values of the parents, in the order of `graph.parents[label]`.
        """

    def log_prob(self, label: int, X: Any, parent_values: Labels) -> Floats:
        """Return log P(y_label = 1 | x, parent_values) for every row; takes the same as `scores`."""
        self.require_probabilities("log_prob")
        return log_sigmoid(self.scores(label, X, parent_values))

    def score_table(self, label: int, X: Any) -> Floats:
        """Return the scores of one label for every row and every setting of its parents.

        Parameters
        ----------
        label : int
            A label with at most 20 parents.
        X : array or CSR matrix of shape (n_samples, n_features)
            Features, all columns.

        Returns
        -------
        table : ndarray of float64, shape (n_samples, 2 ** n_parents)
            Bit t of the column's number is the value of `graph.parents[label][t]`: column 0 has all parents 0,
            column 1 the first parent 1 and the others 0.
        """
        n_parents = len(self.graph.parents[label])
        checked_n_settings(type(self).__name__, label, n_parents)
        return table_of_scores(partial(self.scores, label), X, n_parents)

    def scores_of_pairs(self, label: int, X: Any, rows: npt.ArrayLike, parent_values: Labels) -> Floats:
        """Return the scores of one label for pairs of a row and a setting of its parents; each pair is asked once.

        Parameters
        ----------
        label : int
            The label.
        X : array or CSR matrix of shape (n_samples, n_features)
            Features, all columns.
        rows : array of int, shape (n_pairs,)
            The row of each pair.
        parent_values : ndarray of uint8, shape (n_pairs, n_parents)
            The setting of each pair, in the order of `graph.parents[label]`.

        Returns
        -------
        scores : ndarray of float64, shape (n_pairs,)
        """
        return pair_scores(partial(self.scores, label), X, rows, parent_values)

    def require_probabilities(self, wish: str) -> None:
        """Raise unless scores are log-odds."""
        if not self.probabilistic:
            raise ParameterError(
                f"{wish} needs a learner that gives probabilities, but {self.origin} gives decisions only. "
                "Use a probabilistic learner such as LogisticLearner(), or calibrate this one."
            )

    @property
    def origin(self) -> str:
        """What the conditionals came from, in words, for errors."""
        return type(self).__name__
