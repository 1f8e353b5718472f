"""`CalledDistribution`: a product over a graph whose conditionals are called when they are needed."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.joint.distribution import Evidence
from plait.joint.graph_distribution import SCORE_LIMIT, GraphDistribution
from plait.learners import Conditionals
from plait.structure import LabelGraph

__all__ = ["CalledDistribution"]


@dataclass(frozen=True, eq=False)
class CalledDistribution(GraphDistribution):
    """Scores come from any fitted conditionals, asked once for each distinct (row, parent values) pair of a call.

    Parameters
    ----------
    conditionals : Conditionals
        What a learner handed on.
    X : array or CSR matrix of shape (n_rows, n_features)
        Features of the rows; seen by the conditionals only.
    evidence : ndarray of int8, shape (n_rows, n_labels), optional
        Labels that are known; -1 where unknown.
    factor : float, default=1.0
        What all log-odds are multiplied by, see `tempered`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from plait.learners import SklearnLearner
    >>> from plait.structure import LabelGraph
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0, 0], [0, 1], [1, 1], [1, 1]], dtype=np.uint8)
    >>> found = SklearnLearner(DecisionTreeClassifier(max_depth=1)).fit(X, Y, LabelGraph([[], [0]]))
    >>> np.exp(CalledDistribution(found, X[:1]).log_prob(np.array([[0, 0]], dtype=np.uint8))).round(2)
    array([1.])
    """

    conditionals: Conditionals
    X: Any
    evidence: Evidence | None = None
    factor: float = 1.0

    @property
    def graph(self) -> LabelGraph:  # type: ignore[override]
        """Which labels each label depends on."""
        return self.conditionals.graph

    @property
    def probabilistic(self) -> bool:  # type: ignore[override]
        """Whether scores are log-odds."""
        return self.conditionals.probabilistic

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return int(self.X.shape[0])

    def scores(self, label: int, rows: npt.NDArray[np.int64], parent_values: Labels) -> Floats:
        """Return the scores of one label for some (row, parent values) pairs."""
        return self._clipped(self.conditionals.scores_of_pairs(label, self.X, rows, parent_values))

    def table(self, label: int) -> Floats:
        """Return the scores of one label for all rows and all settings of its parents."""
        return self._clipped(self.conditionals.score_table(label, self.X))

    def _clipped(self, score: Floats) -> Floats:
        return np.clip(self.factor * score, -SCORE_LIMIT, SCORE_LIMIT) if self.probabilistic else score

    def take(self, rows: Any) -> "CalledDistribution":
        """Return the distribution of some rows."""
        evidence = None if self.evidence is None else self.evidence[rows]
        return replace(self, X=self.X[rows], evidence=evidence)

    def tempered(self, factor: float) -> "CalledDistribution":
        """Return the distribution with all log-odds multiplied by a factor."""
        return replace(self, factor=factor * self.factor)

    def _with_evidence(self, evidence: Evidence) -> "CalledDistribution":
        return replace(self, evidence=evidence)
