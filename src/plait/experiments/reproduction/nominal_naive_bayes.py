"""ML-NB on columns that are all nominal, whatever their number: for what comes out of a discretiser and a selector."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from plait.baselines import MultilabelNaiveBayes
from plait.core.checks import Constraint, Interval, check_parameters

__all__ = ["NominalNaiveBayes"]


class NominalNaiveBayes(BaseEstimator):
    """`MultilabelNaiveBayes` that takes every column for names, as the experiments of [SCLS table 2] need it.

    Parameters
    ----------
    s : float, default=1.0
        How much is added to every count of rows.

    Examples
    --------
    >>> X = np.array([[0], [1], [2], [0], [1], [2]])
    >>> Y = np.array([[0], [1], [0], [0], [1], [0]])
    >>> NominalNaiveBayes().fit(X, Y).predict(X).ravel()
    array([0, 1, 0, 0, 1, 0])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"s": (Interval(float, 0, None, closed="neither"),)}

    def __init__(self, s: float = 1.0) -> None:
        self.s = s

    def fit(self, X: Any, y: Any) -> "NominalNaiveBayes":
        """Count the values of every column with and without every label."""
        check_parameters(self)
        every = np.ones(X.shape[1], dtype=bool)
        self.model_ = MultilabelNaiveBayes(nominal=every, s=self.s).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the labels that are more likely than not."""
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probabilities of the labels."""
        return np.asarray(self.model_.predict_proba(X), dtype=np.float64)
