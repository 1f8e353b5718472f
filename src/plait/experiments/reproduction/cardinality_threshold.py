"""Labels cut from confidences so that a test part gets as many labels a row as the training part has."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from plait.core.checks import Constraint, HasMethods, check_parameters

__all__ = ["CardinalityThreshold"]


class CardinalityThreshold(BaseEstimator):
    """Predict labels above one threshold, chosen on the rows to predict: as many labels a row as in training.

    The toolkit in which the results of [PACC table 4] were made evaluates confidences this way unless told otherwise
    [Read2011]. It needs no labels of the test part, but all its rows: a row gets other labels in other company.

    Parameters
    ----------
    estimator : classifier
        Anything with `fit` and `predict_proba` that gives one number per label.

    Attributes
    ----------
    estimator_ : classifier
        The fitted one.
    cardinality_ : float
        Mean number of labels of a training row.

    Examples
    --------
    >>> from plait import recipes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 5))
    >>> Y = (X[:, :3] + rng.normal(size=(400, 3)) > 1.2).astype(int)
    >>> model = CardinalityThreshold(recipes.br()).fit(X[:200], Y[:200])
    >>> bool(abs(model.predict(X[200:]).sum(axis=1).mean() - model.cardinality_) < 0.01)
    True
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"estimator": (HasMethods(("fit",)),)}

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> "CardinalityThreshold":
        """Fit the estimator and count the labels of the training rows."""
        check_parameters(self)
        self.estimator_ = clone(self.estimator).fit(X, y)
        total = y.sum() if sparse.issparse(y) else np.asarray(y).sum()
        self.cardinality_ = float(total) / X.shape[0]
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the confidences."""
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> npt.NDArray[np.uint8]:
        """Return the labels with the largest confidences over all rows."""
        confidences = self.predict_proba(X)
        ordered = np.sort(confidences, axis=None)
        wanted = round(self.cardinality_ * len(confidences))
        if ordered.size < 2:
            return (confidences > 0.5).astype(np.uint8)
        # Half way between the last label that is wanted but one and the last, as the toolkit has it.
        place = min(max(ordered.size - wanted, 0), ordered.size - 2)
        threshold = max(float(ordered[place] + ordered[place + 1]) / 2, 1e-5)
        return (confidences >= threshold).astype(np.uint8)
