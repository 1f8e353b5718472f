"""Columns of categories in a data frame, which reach scikit-learn classifiers as they are.

Between the frame and the classifier all is numbers: a category is its place among the categories of the training frame,
NaN if it is not one of them. `CategoryFrames` makes the frame again for the classifier inside.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from plait.core.arrays import Array
from plait.core.lazy_modules import lazy_module

__all__ = ["CategoryFrames", "categories_of", "in_codes"]

_pandas = lazy_module("pandas")


def categories_of(X: Any) -> dict[str, list[Any]]:
    """Return column -> categories, for columns of dtype `category` in a frame of pandas; none for other X."""
    if not hasattr(X, "select_dtypes"):
        return {}
    return {name: list(X[name].cat.categories) for name in X.select_dtypes("category").columns}


def in_codes(X: Any, categories: dict[str, list[Any]]) -> Any:
    """Return a frame with numbers for the categories of some columns, NaN for others and for gaps."""
    if not categories or not hasattr(X, "select_dtypes"):
        return X
    X = X.copy(deep=False)
    for name in set(categories) & set(X.columns):
        codes = _pandas.Index(categories[name]).get_indexer(X[name].astype(object))
        X[name] = np.where(codes < 0, np.nan, codes)
    return X


class CategoryFrames(ClassifierMixin, BaseEstimator):
    """A classifier that is handed frames with categories, made of the numbers that come in.

    Parameters
    ----------
    estimator : classifier
        Takes frames.
    names : list of str
        Names of the first columns; the others are values of other labels, called "label 0", "label 1", ...
    categories : dict
        Column -> its categories.
    """

    def __init__(self, estimator: Any, names: Any, categories: Any) -> None:
        self.estimator = estimator
        self.names = names
        self.categories = categories

    def _frame(self, X: Array) -> Any:
        more = [f"label {place}" for place in range(X.shape[1] - len(self.names))]
        frame = _pandas.DataFrame(np.asarray(X, dtype=np.float64), columns=[*self.names, *more])
        for name, known in self.categories.items():
            codes = frame[name].fillna(-1).astype(int)
            frame[name] = _pandas.Categorical.from_codes(codes, categories=known)
        return frame

    def fit(self, X: Any, y: Any, **metadata: Any) -> Self:
        """Fit the classifier on the frame."""
        self.estimator_ = clone(self.estimator).fit(self._frame(X), y, **metadata)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the classes of the rows."""
        return self.estimator_.predict(self._frame(X))

    @available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes."""
        return self.estimator_.predict_proba(self._frame(X))

    @available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the margins of the rows."""
        return self.estimator_.decision_function(self._frame(X))
