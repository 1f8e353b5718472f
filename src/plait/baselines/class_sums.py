"""`ClassSums`: sums of columns over the rows of each class of each label."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats

__all__ = ["ClassSums"]


# Labels that are summed together; bounds the memory for their indicators.
_LABELS = 256


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Weighted rows of all labels, ready to be summed by class.

    The rarer class of a label is summed, and the other one is what is left of all rows: at least half of them, so
    little is lost by subtracting, and only the rows of rare labels are read.

    Parameters
    ----------
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    weights : ndarray of float64, shape (n_samples,)
        Weights of rows.
    mass : ndarray of float64, shape (n_labels, 2)
        Weight of the rows without and with each label.
    """

    Y: npt.NDArray[np.uint8]
    weights: Floats
    mass: Floats

    @staticmethod
    def of(Y: npt.NDArray[np.uint8], sample_weight: Any = None) -> "ClassSums":
        """Return the sums' ground: labels and weights."""
        weights = np.ones(Y.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        ones = np.array([weights[column != 0].sum() for column in Y.T])
        others = np.array([weights[column == 0].sum() for column in Y.T])
        return ClassSums(Y, weights, np.column_stack([others, ones]))

    def sums(self, values: Any) -> Floats:
        """Return the weighted sums of columns over the rows of each class, (n_labels, 2, n_columns).

        Examples
        --------
        >>> ClassSums.of(np.array([[1], [0], [1]], dtype=np.uint8)).sums(np.array([[1.0], [2.0], [4.0]])).ravel()
        array([2., 5.])
        """
        n_labels = self.Y.shape[1]
        everything = np.asarray(self.weights @ values).ravel()
        found = np.empty((n_labels, 2, values.shape[1]))
        rarer = (self.mass[:, 1] <= self.mass[:, 0]).astype(np.int64)
        for start in range(0, n_labels, _LABELS):
            labels = np.arange(start, min(start + _LABELS, n_labels))
            part = self._rows_of(labels, rarer[labels], sparse.issparse(values)) @ values
            part = part.toarray() if sparse.issparse(part) else np.asarray(part)
            found[labels, rarer[labels]] = part
            found[labels, 1 - rarer[labels]] = everything - part
        return found

    def _rows_of(self, labels: npt.NDArray[np.int64], classes: npt.NDArray[np.int64], as_sparse: bool) -> Any:
        """Return the weights of the rows of one class of some labels, 0 for other rows, (n_labels, n_samples)."""
        belongs = classes[:, None] == self.Y[:, labels].T
        if not as_sparse:
            return belongs * self.weights
        rows = sparse.csr_matrix(belongs, dtype=np.float64)
        rows.data *= self.weights[rows.indices]
        return rows
