"""`LabelDistribution`: P(y | x) of several rows, as numbers."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels

__all__ = ["Evidence", "Floats", "LabelDistribution", "Labels"]

Evidence = npt.NDArray[np.int8]


class LabelDistribution(ABC):
    """The distribution over label sets of several rows; where evidence was given, restricted to what agrees with it.

    Attributes
    ----------
    n_rows, n_labels : int
        How many rows and labels.
    evidence : ndarray of int8, shape (n_rows, n_labels), or None
        Labels that are known; -1 where unknown.
    """

    n_rows: int
    n_labels: int
    evidence: Evidence | None = None

    @abstractmethod
    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x): for Y (n_rows, n_labels) one number a row, for (n_rows, m, n_labels) m numbers a row.

        Evidence is not divided out: a vector that contradicts it has -inf, any other keeps its joint log P(y | x).
        """

    @abstractmethod
    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw label sets: vectors (n_rows, n_samples, n_labels) and log weights (n_rows, n_samples).

        Without evidence all log weights are 0. With evidence known labels are set and the log weight is the log
        probability of the known labels given the values drawn for their parents (importance weights). `random_state`
        may be the seeds of the rows, as `row_seeds` makes them.
        """

    @abstractmethod
    def clamp(self, evidence: Evidence) -> "LabelDistribution":
        """Return the distribution restricted to what agrees with the evidence (joined to evidence already there)."""

    @abstractmethod
    def take(self, rows: Any) -> "LabelDistribution":
        """Return the distribution of some rows: a slice or an array of row numbers."""
