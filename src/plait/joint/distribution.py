"""`LabelDistribution`: P(y | x) of several rows, as numbers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.core.sentences import ParameterError

__all__ = ["Evidence", "Floats", "LabelDistribution", "Labels", "joined_evidence"]

Evidence = npt.NDArray[np.int8]


class LabelDistribution(ABC):
    """The distribution over label sets of several rows; where evidence was given, restricted to what agrees with it.

    Attributes
    ----------
    n_rows, n_labels : int
        How many rows and labels.
    evidence : ndarray of int8, shape (n_rows, n_labels), or None
        Labels that are known; -1 where unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> weights = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> two = LinearDistribution(LabelGraph([[], [0]]), base=np.zeros((1, 2)), parent_coef=weights)
    >>> isinstance(two, LabelDistribution), two.log_prob(np.array([[1, 1]])).round(3)
    (True, array([-0.82]))
    """

    n_rows: int
    n_labels: int
    evidence: Evidence | None = None
    # Whether `sample` draws from P(y | x, evidence) itself, all draws weighing the same.
    draws_given: ClassVar[bool] = False

    @abstractmethod
    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x): for Y (n_rows, n_labels) one number a row, for (n_rows, m, n_labels) m numbers a row.

        Evidence is not divided out: a vector that contradicts it has -inf, any other keeps its joint log P(y | x).

        Parameters
        ----------
        Y : ndarray of uint8, shape (n_rows, n_labels) or (n_rows, m, n_labels)
            Label sets.
        """

    @abstractmethod
    def sample(self, n_samples: int, random_state: Any = None) -> tuple[Labels, Floats]:
        """Draw label sets: vectors (n_rows, n_samples, n_labels) and log weights (n_rows, n_samples).

        Without evidence all log weights are 0. With evidence known labels are set and the log weight is the log
        probability of the known labels given the values drawn for their parents (importance weights). `random_state`
        may be the seeds of the rows, as `row_seeds` makes them.

        Parameters
        ----------
        n_samples : int
            Draws of each row.
        random_state : int, Generator, RandomState, ndarray of uint64 or None
            Seed, or the seeds of the rows.
        """

    def flip_log_ratios(self, Y: Labels) -> Floats:
        """Return log P(y with label k flipped | x) - log P(y | x) of every label, (n_rows, n_labels).

        What is said of labels that are known has no meaning.

        Parameters
        ----------
        Y : ndarray of uint8, shape (n_rows, n_labels)
            One label vector for each row, which agrees with the evidence.
        """
        before, flipped = self.log_prob(Y), Y.copy()
        ratios = np.empty(Y.shape)
        for label in range(Y.shape[1]):
            flipped[:, label] ^= 1
            ratios[:, label] = self.log_prob(flipped) - before
            flipped[:, label] ^= 1
        return ratios

    def tempered(self, factor: float) -> "LabelDistribution":
        """Return the distribution with every conditional's log-odds multiplied by a factor: below 1 it is less sure.

        Parameters
        ----------
        factor : float
            The inverse of the temperature.
        """
        raise ParameterError(
            f"tempered needs a product of conditionals over a label graph, or a mixture of such, but this is a "
            f"{type(self).__name__}. Calibrate another model."
        )

    @abstractmethod
    def clamp(self, evidence: Evidence) -> "LabelDistribution":
        """Return the distribution restricted to what agrees with the evidence (joined to evidence already there).

        Parameters
        ----------
        evidence : ndarray of int8, shape (n_rows, n_labels)
            Labels that are known; -1 where unknown.
        """

    @abstractmethod
    def take(self, rows: Any) -> "LabelDistribution":
        """Return the distribution of some rows: a slice or an array of row numbers.

        Parameters
        ----------
        rows : slice or array of int
            Which.
        """


def joined_evidence(old: Evidence | None, new: Evidence, shape: tuple[int, int] | None = None) -> Evidence:
    """Return both pieces of evidence as one; another shape, values other than -1, 0, 1 and contradictions are errors.

    Examples
    --------
    >>> joined_evidence(np.array([[1, -1]], dtype=np.int8), np.array([[-1, 0]], dtype=np.int8))
    array([[1, 0]], dtype=int8)
    """
    new = np.asarray(new)
    if shape is not None and new.shape != shape:
        raise ParameterError(
            f"evidence needs to have the shape {shape}, but its shape is {new.shape}. "
            "Pass one value for every row and label, -1 where unknown."
        )
    if not np.isin(new, (-1, 0, 1)).all():
        raise ParameterError(
            f"evidence needs to hold 0, 1 or -1 (unknown), but it holds {new[~np.isin(new, (-1, 0, 1))][0]}. "
            "Pass 0 or 1 where a label is known."
        )
    new = new.astype(np.int8)
    if old is None:
        return new
    clash = (old >= 0) & (new >= 0) & (old != new)
    if clash.any():
        row, label = np.argwhere(clash)[0]
        raise ParameterError(
            f"evidence needs to agree with what is known already, but row {row} has label {label} as {old[row, label]} "
            f"and now as {new[row, label]}. Start from the distribution without evidence."
        )
    return np.where(new >= 0, new, old).astype(np.int8)
