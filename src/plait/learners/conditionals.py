"""`Conditionals`: what a learner hands on, P(y_k = 1 | x, y_parents(k)) of every label."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import log_sigmoid
from plait.core.sentences import ParameterError
from plait.structure import LabelGraph

__all__ = ["Conditionals", "checked_n_settings", "pair_scores", "table_of_scores"]


# A table over all settings of more parents would hold more than a million numbers for every row.
MOST_PARENTS = 20


# Several settings are asked for in one call as long as the call has no more rows than this.
_ROWS_OF_A_CALL = 1 << 14


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
    linear : bool
        Whether they are `LinearConditionals`: scores linear in the features and the values of the parents.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.learners import LogisticLearner
    >>> from plait.structure import LabelGraph
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 1], [1, 1], [1, 0]]
    >>> fitted = LogisticLearner().fit(X, Y, LabelGraph([[], [0]]))
    >>> isinstance(fitted, Conditionals), fitted.scores(1, np.array([[1.5]]), np.array([[1]])).shape
    (True, (1,))
    """

    graph: LabelGraph
    n_features: int
    probabilistic: bool = True
    linear: ClassVar[bool] = False

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

    def recorded_scores(self, X: Any, Y: Labels) -> Floats:
        """Return the scores of all labels (n_samples, n_labels), their parents as recorded in the 0/1 matrix Y.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        Y : ndarray of uint8, shape (n_samples, n_labels)
            Labels.
        """
        parents = self.graph.parents
        columns = [self.scores(label, X, Y[:, list(parents[label])]) for label in range(self.n_labels)]
        return np.stack(columns, axis=1)

    def base_scores(self, X: Any) -> Floats:
        """Return the scores of all labels where no parent is 1, (n_samples, n_labels).

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        """
        return self.recorded_scores(X, np.zeros((X.shape[0], self.n_labels), dtype=np.uint8))

    def divided_by(self, scales: Floats) -> "Conditionals":
        """Return what was trained on columns divided by `scales`, for the columns themselves; only linear ones can.

        Parameters
        ----------
        scales : ndarray of float64, shape (n_features,)
            What columns were divided by.
        """
        return self

    def log_prob(self, label: int, X: Any, parent_values: Labels) -> Floats:
        """Return log P(y_label = 1 | x, parent_values) for every row; takes the same as `scores`.

        Parameters
        ----------
        label : int
            Which.
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        parent_values : ndarray of uint8, shape (n_samples, n_parents)
            Values of the label's parents.
        """
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

    def relaxed(self, factor: float) -> "Conditionals":
        """Return the same to start from with a penalty divided by the factor; itself where no penalty is known.

        Parameters
        ----------
        factor : float
            By which the penalty is divided.
        """
        return self

    def require_probabilities(self, wish: str) -> None:
        """Raise unless scores are log-odds.

        Parameters
        ----------
        wish : str
            What needs them, for the complaint.
        """
        if not self.probabilistic:
            raise ParameterError(
                f"{wish} needs a learner that gives probabilities, but {self.origin} gives decisions only. "
                "Use a probabilistic learner such as LogisticLearner(), or calibrate this one."
            )

    @property
    def origin(self) -> str:
        """What the conditionals came from, in words, for errors."""
        return type(self).__name__


def checked_n_settings(owner: str, label: int, n_parents: int) -> int:
    """Return 2 ** n_parents, or raise where a table of all settings would be too wide."""
    if n_parents > MOST_PARENTS:
        raise ParameterError(
            f"{owner}.score_table needs a label with at most {MOST_PARENTS} parents, but label {label} has "
            f"{n_parents}. Ask scores_of_pairs for the settings that matter, or use a graph with fewer parents."
        )
    return 1 << n_parents


def parent_settings_of(numbers: npt.ArrayLike, n_parents: int) -> Labels:
    """Return settings by their numbers, shape (n_numbers, n_parents): bit t of the number is the value of parent t.

    Examples
    --------
    >>> parent_settings_of([0, 1, 2, 3], 2)
    array([[0, 0],
           [1, 0],
           [0, 1],
           [1, 1]], dtype=uint8)
    """
    bits = np.asarray(numbers, dtype=np.int64)[:, None] >> np.arange(n_parents)
    return (bits & 1).astype(np.uint8)


def table_of_scores(score: Callable[[Any, Labels], Floats], X: Any, n_parents: int) -> Floats:
    """Return `score(rows, parent_values)` for all rows and settings, shape (n_samples, 2 ** n_parents)."""
    n_samples, n_settings = X.shape[0], 1 << n_parents
    table = np.empty((n_samples, n_settings))
    step = max(1, _ROWS_OF_A_CALL // max(n_samples, 1))
    for start in range(0, n_settings, step):
        numbers = np.arange(start, min(start + step, n_settings))
        values = np.repeat(parent_settings_of(numbers, n_parents), n_samples, axis=0)
        table[:, numbers] = score(stacked(X, numbers.size), values).reshape(numbers.size, -1).T
    return table


def pair_scores(score: Callable[[Any, Labels], Floats], X: Any, rows: npt.ArrayLike, parent_values: Labels) -> Floats:
    """Return `score(rows, parent_values)` for pairs of a row of X and a setting; each pair is asked once."""
    rows = np.asarray(rows, dtype=np.int64)
    first, place = distinct_pairs(rows, parent_values)
    return score(X[rows[first]], parent_values[first])[place]


def stacked(X: Any, times: int) -> Any:
    """Return the rows of X so many times, one copy below the other; once is X itself."""
    if times == 1:
        return X
    return sparse.vstack([X] * times, format="csr") if sparse.issparse(X) else np.concatenate([X] * times)


def distinct_pairs(rows: Ints, parent_values: Labels) -> tuple[Ints, Ints]:
    """Return the positions of pairs (row, setting) that differ, and for each pair the place of its like among them.

    Examples
    --------
    >>> first, place = distinct_pairs(np.array([5, 3, 5]), np.array([[1], [1], [1]], dtype=np.uint8))
    >>> first, place
    (array([1, 0]), array([1, 0, 1]))
    """
    # One string of bytes for each pair, the highest byte of the row first, so that rows come out in their order.
    row_bytes = np.ascontiguousarray(rows, dtype=">i8").view(np.uint8).reshape(-1, 8)
    keys = np.ascontiguousarray(np.hstack([row_bytes, np.packbits(parent_values, axis=1)]))
    whole = keys.view(np.dtype((np.void, keys.shape[1]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    return first.astype(np.int64), place.astype(np.int64).ravel()
