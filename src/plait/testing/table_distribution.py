"""`TableDistribution`: a product over a graph given by tables of scores, the most general one there is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.joint import GraphDistribution
from plait.joint.distribution import Evidence
from plait.structure import LabelGraph

__all__ = ["TableDistribution"]


@dataclass(frozen=True, eq=False)
class TableDistribution(GraphDistribution):
    """P(y | x) with a score for every row, label and setting of the label's parents.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    tables : sequence of ndarray of float64, shape (n_rows, 2 ** n_parents)
        Scores of each label; bit t of the column's number is the value of the t-th parent.
    evidence : ndarray of int8, shape (n_rows, n_labels), optional
        Labels that are known; -1 where unknown.
    probabilistic : bool, default=True
        Whether scores are log-odds.

    Examples
    --------
    >>> P = TableDistribution(LabelGraph([[], [0]]), [np.zeros((1, 1)), np.array([[0.0, np.log(3)]])])
    >>> np.exp(P.log_prob(np.array([[1, 1]], dtype=np.uint8)))
    array([0.375])
    """

    graph: LabelGraph
    tables: Sequence[Floats]
    evidence: Evidence | None = None
    probabilistic: bool = True

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return len(self.tables[0])

    def scores(self, label: int, rows: npt.NDArray[np.int64], parent_values: Labels) -> Floats:
        """Return the scores of one label for some (row, parent values) pairs."""
        column = parent_values.astype(np.int64) @ (1 << np.arange(parent_values.shape[1], dtype=np.int64))
        return np.asarray(self.tables[label][rows, column])

    def take(self, rows: Any) -> "TableDistribution":
        """Return the distribution of some rows."""
        evidence = None if self.evidence is None else self.evidence[rows]
        return replace(self, tables=[table[rows] for table in self.tables], evidence=evidence)

    def _with_evidence(self, evidence: Evidence) -> "TableDistribution":
        return replace(self, evidence=evidence)
