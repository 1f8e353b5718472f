"""Columns as people have them, in numbers: words become indicators, gaps are filled in and marked."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

__all__ = ["GapFiller", "WordColumns", "word_columns"]

_MOST_WORDS = 100  # of a column; rarer ones share an indicator


def word_columns(X: Any) -> list[int]:
    """Return which columns of a frame hold words or categories; none of anything else.

    Examples
    --------
    >>> import pandas
    >>> word_columns(pandas.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}))
    [1]
    """
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return []
    types = [X[name].dtype for name in X.columns]
    return [place for place, each in enumerate(types) if not _numeric(each)]


def _numeric(kind: Any) -> bool:
    check = getattr(kind, "is_numeric", None)  # polars
    if check is not None:
        return bool(check()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "biuf"


class WordColumns:
    """Indicators of the words in some columns of a frame, the other columns as they are."""

    def __init__(self, X: Any, columns: list[int]) -> None:
        words = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=_MOST_WORDS, sparse_output=False)
        self.columns = columns
        self.encoder = ColumnTransformer([("words", words, columns)], remainder="passthrough", sparse_threshold=0.0)
        self.encoder.fit(X)

    def transform(self, X: Any) -> Any:
        """Return the numbers."""
        return np.ascontiguousarray(self.encoder.transform(X), dtype=np.float64)


class GapFiller:
    """Means in place of NaN, and an indicator of the gaps for every column that had some."""

    def __init__(self, X: Any) -> None:
        gaps = np.isnan(X.data if sparse.issparse(X) else X).any()
        self.imputer = SimpleImputer(add_indicator=True, keep_empty_features=True).fit(X) if gaps else None
        self.means = None if gaps else np.asarray(X.mean(axis=0)).ravel()

    def transform(self, X: Any) -> Any:
        """Return X without NaN, as float64 in one piece by rows."""
        if self.imputer is not None:
            X = self.imputer.transform(X)
        elif np.isnan(X.data if sparse.issparse(X) else X).any():
            X = X.copy()
            if sparse.issparse(X):
                places = np.flatnonzero(np.isnan(X.data))
                X.data[places] = self.means[X.indices[places]]  # type: ignore[index]
            else:
                rows, columns = np.nonzero(np.isnan(X))
                X[rows, columns] = self.means[columns]  # type: ignore[index]
        if sparse.issparse(X):
            return sparse.csr_matrix(X, dtype=np.float64)
        return np.ascontiguousarray(X, dtype=np.float64)
