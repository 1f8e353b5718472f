"""`KernelScores`: logistic regression on a Gaussian kernel, approximated by some training rows as landmarks."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler, normalize

from plait.core.arrays import Floats, Labels
from plait.estimators.auto_joint.base_scores import BaseScores, Folds
from plait.estimators.auto_joint.logistic_scores import LogisticScores

__all__ = ["KernelScores"]


class KernelScores(BaseScores):
    """Smooth, non-linear log-odds: kernel logistic regression by Nystroem's method [Williams2001].

    Columns of dense X are standardised, rows of sparse X have unit length. Landmarks are rows drawn without a look at
    labels, so they are drawn once for all folds.

    Parameters
    ----------
    n_components : int, default=300
        Number of landmarks.
    scale : float, default=0.5
        The kernel is exp(-scale * squared distance / number of columns); of sparse X, without the division.

    Attributes
    ----------
    map_ : Nystroem
        From columns to similarities.
    regression_ : LogisticScores
        On the similarities.
    scaler_ : StandardScaler or None
        Of dense columns.

    References
    ----------
    [Williams2001] Williams and Seeger: Using the Nystroem method to speed up kernel machines, 2001.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=["forest", KernelScores(n_components=100)])
    AutoJoint(learners=['forest', KernelScores(n_components=100)])
    """

    name = "kernel"

    def __init__(self, n_components: int = 300, scale: float = 0.5) -> None:
        self.n_components = n_components
        self.scale = scale

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Draw the landmarks, and cross-fit logistic regression on the similarities to them."""
        self.scaler_ = None if sparse.issparse(X) else StandardScaler().fit(X, sample_weight=sample_weight)
        gamma = self.scale / (1.0 if self.scaler_ is None else X.shape[1])
        rows = _distinct(self._placed(X))
        size = min(self.n_components, rows.shape[0])
        self.map_ = Nystroem(gamma=gamma, n_components=size, random_state=seed).fit(rows)
        self.regression_ = LogisticScores(standardize=False)
        return self.regression_.out_of_fold(self._similar(X), Y, folds, sample_weight=sample_weight)

    def log_odds(self, X: Any) -> Floats:
        """Return the log-odds of the regression, whose coefficients take in what makes landmarks orthogonal."""
        found = self.regression_.conditionals_
        kernel = rbf_kernel(self._placed(X), self.map_.components_, gamma=self.map_.gamma)
        return np.asarray(kernel @ (self.map_.normalization_.T @ found.coef_.T) + found.intercept_)

    def _placed(self, X: Any) -> Any:
        return normalize(X) if self.scaler_ is None else self.scaler_.transform(X)

    def _similar(self, X: Any) -> Floats:
        return np.ascontiguousarray(self.map_.transform(self._placed(X)))


def _distinct(rows: Any) -> Any:
    """Return every row once, in the order in which they first occur: a landmark twice says no more than once."""
    if sparse.issparse(rows):
        return rows
    return rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
