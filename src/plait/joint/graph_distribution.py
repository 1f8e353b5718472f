"""`GraphDistribution`: a product of conditionals over a label graph, P(y | x) = prod_k P(y_k | y_parents(k), x)."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import EPSILON, log_sigmoid
from plait.joint.counted_draws import CountedDraws, Sizes, draw_by_levels
from plait.joint.distribution import Evidence, LabelDistribution, joined_evidence
from plait.joint.row_streams import row_seeds
from plait.structure import LabelGraph

__all__ = ["SCORE_LIMIT", "GraphDistribution", "setting_numbers"]

# Log-odds of a probability of 1 - EPSILON: clipping scores instead of probabilities keeps P(0) + P(1) = 1.
SCORE_LIMIT = float(np.log1p(-EPSILON) - np.log(EPSILON))


class GraphDistribution(LabelDistribution):
    """Base of products over a graph; a subclass writes `scores` and `take`.

    Attributes
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    probabilistic : bool
        Whether scores are log-odds; with margins only greedy decisions make sense.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> chain = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [2.0, 0.0]]))
    >>> isinstance(chain, GraphDistribution), chain.table(1).tolist()  # log-odds of label 1 where label 0 is 0, 1
    (True, [[0.0, 2.0]])
    """

    graph: LabelGraph
    probabilistic: bool = True
    # Whether many labels have few parents each, so that draws for marginals are never held.
    few_parents: bool = False

    @property
    def n_labels(self) -> int:  # type: ignore[override]
        """Number of labels."""
        return self.graph.n_labels

    @abstractmethod
    def scores(self, label: int, rows: npt.NDArray[np.int64], parent_values: Labels) -> Floats:
        """Return the scores of one label for some (row, parent values) pairs, evidence left aside.

        Parameters
        ----------
        label : int
            The label.
        rows : ndarray of int64, shape (m,)
            Row numbers; a row may occur several times.
        parent_values : ndarray of uint8, shape (m, n_parents)
            Values of `graph.parents[label]`, in that order.
        """

    def table(self, label: int) -> Floats:
        """Return the scores of one label for all rows and all settings of its parents, (n_rows, 2 ** n_parents).

        Parameters
        ----------
        label : int
            Which.
        """
        n_parents = len(self.graph.parents[label])
        settings = np.arange(2**n_parents)
        values = ((settings[:, None] >> np.arange(n_parents)) & 1).astype(np.uint8)
        rows = np.repeat(np.arange(self.n_rows), settings.size)
        return self.scores(label, rows, np.tile(values, (self.n_rows, 1))).reshape(self.n_rows, settings.size)

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x)."""
        vectors = Y if Y.ndim == 3 else Y[:, None, :]
        rows = np.repeat(np.arange(self.n_rows), vectors.shape[1])
        flat = vectors.reshape(-1, self.n_labels)
        total = np.zeros(len(flat))
        for label, parents in enumerate(self.graph.parents):
            score = self.scores(label, rows, flat[:, list(parents)])
            total += log_sigmoid(np.where(flat[:, label] == 1, score, -score))
        if self.evidence is not None:
            known = self.evidence[rows]
            total[((known >= 0) & (known != flat)).any(axis=1)] = -np.inf
        return total.reshape(vectors.shape[:2]) if Y.ndim == 3 else total

    def flip_log_ratios(self, Y: Labels) -> Floats:
        """Return what flipping each label does to log P(y | x): its own factor changes, and those of its children."""
        rows, parents = np.arange(self.n_rows), self.graph.parents
        signs = 2.0 * Y - 1.0
        scores = np.column_stack([self.scores(k, rows, Y[:, list(own)]) for k, own in enumerate(parents)])
        # log sigmoid(-s) - log sigmoid(s) = -s for the score s of the value that the label has.
        ratios, before = -signs * scores, log_sigmoid(signs * scores)
        for child, own in enumerate(parents):
            values = Y[:, list(own)]
            for place, parent in enumerate(own):
                values[:, place] ^= 1
                after = signs[:, child] * self.scores(child, rows, values)
                ratios[:, parent] += log_sigmoid(after) - before[:, child]
                values[:, place] ^= 1
        return ratios

    def factors(self, parent_values: Labels) -> Floats:
        """Return P(y_k = 1 | x, parents of k) of every label, with parents as in (n_rows, n_labels), known or not.

        Parameters
        ----------
        parent_values : ndarray of uint8, shape (n_rows, n_labels)
            Values of all labels, taken where they are parents.
        """
        rows = np.arange(self.n_rows)
        columns = [self.scores(k, rows, parent_values[:, list(own)]) for k, own in enumerate(self.graph.parents)]
        return expit(np.column_stack(columns))

    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw label sets, parents first; samples with the same values so far are drawn together."""
        seeds = row_seeds(random_state, self.n_rows)
        return self.counted_draws(n_samples, seeds).expanded(n_samples, seeds)

    def counted_draws(self, n_samples: Sizes, seeds: npt.NDArray[np.uint64]) -> CountedDraws:
        """Draw label sets as vectors that differ, and how often each came; `seeds` as `row_seeds` makes them.

        `n_samples` may hold a number for each row.

        Parameters
        ----------
        n_samples : int or array of int, shape (n_rows,)
            Draws of each row.
        seeds : ndarray of uint64, shape (n_rows,)
            Of the rows.
        """
        return draw_by_levels(self.graph, self.scores, self.evidence, n_samples, seeds)

    def mean_conditionals(self, n_samples: int, seeds: npt.NDArray[np.uint64]) -> tuple[Floats, Ints]:
        """Return the means of P(y_k = 1 | x, parents) over drawn label sets, and how many conditionals were evaluated.

        The evidence must be None: means are then estimates of the marginals.

        Parameters
        ----------
        n_samples : int
            Draws of each row.
        seeds : ndarray of uint64, shape (n_rows,)
            Of the rows.
        """
        draws = self.counted_draws(n_samples, seeds)
        return draws.mean_conditionals, draws.n_evaluations

    def clamp(self, evidence: Evidence) -> "GraphDistribution":
        """Return the distribution restricted to what agrees with the evidence."""
        return self._with_evidence(joined_evidence(self.evidence, evidence, (self.n_rows, self.n_labels)))

    @abstractmethod
    def take(self, rows: Any) -> "GraphDistribution":
        """Return the distribution of some rows: a slice or an array of row numbers."""

    @abstractmethod
    def _with_evidence(self, evidence: Evidence) -> "GraphDistribution":
        """Return the same distribution with other evidence."""


def setting_numbers(vectors: Labels, parents: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return the settings of some parents in label vectors (..., n_labels) as numbers."""
    number = np.zeros(vectors.shape[:-1], dtype=np.int64)
    for t, parent in enumerate(parents):
        number |= vectors[..., parent].astype(np.int64) << t
    return number
