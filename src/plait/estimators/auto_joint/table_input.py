"""Columns as people have them, in numbers: words become indicators, gaps are filled in and marked."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from plait.core.arrays import Floats, Labels
from plait.core.sentences import ParameterError
from plait.posterior.explaining import FeatureBackground

__all__ = ["GapFiller", "WordColumns", "named_numbers", "weighing_rows", "word_columns"]

_MOST_WORDS = 100  # of a column; rarer ones share an indicator


def weighing_rows(X: Any, Y: Labels, weights: Any) -> tuple[Any, Labels, Any]:
    """Return the rows whose weight is not zero; weights as float64, or None where there are none."""
    if weights is None:
        return X, Y, None
    weights = np.asarray(weights, dtype=np.float64)
    rows = np.flatnonzero(weights)
    if not len(rows):
        raise ParameterError(
            "AutoJoint needs sample_weight to be above 0 somewhere, but all weights are zero. Pass a positive "
            "weight for at least one row."
        )
    return (X, Y, weights) if len(rows) == len(weights) else (X[rows], Y[rows], weights[rows])


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

    def names(self, columns: list[str]) -> tuple[list[str], list[int]]:
        """Return the names of the numbers, and for each the place of the first number of its column."""
        words = self.encoder.named_transformers_["words"]
        names: list[str] = []
        firsts: list[int] = []
        for j, column in enumerate(self.columns):
            rare = set() if words.infrequent_categories_[j] is None else set(words.infrequent_categories_[j])
            kept = [word for word in words.categories_[j] if word not in rare] + ["(rare)"] * bool(rare)
            firsts += [len(names)] * len(kept)
            names += [f"{columns[column]}={word}" for word in kept]
        others = [name for place, name in enumerate(columns) if place not in self.columns]
        return names + others, firsts + list(range(len(names), len(names) + len(others)))


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


def named_numbers(columns: Any, means: Floats, words: WordColumns | None, filler: GapFiller) -> FeatureBackground:
    """Return names and means of the numbers that learners see; the indicators of one column of words are a group.

    Parameters
    ----------
    columns : sequence of str, optional
        Names of the columns of X.
    means : ndarray of float64
        Of the numbers, before gaps are marked.
    words : WordColumns, optional
        What made indicators of words.
    filler : GapFiller
        What marked the gaps.

    Examples
    --------
    >>> found = named_numbers(None, np.array([1.0, 2.5]), None, GapFiller(np.array([[1.0, 2.0], [np.nan, 3.0]])))
    >>> [found.name(number) for number in range(3)]
    ['x0', 'x1', 'x0=(gap)']
    """
    names, groups = columns, None
    if words is not None:
        names, places = words.names([str(name) for name in columns])
        groups = np.array(places, dtype=np.int64)
    gaps = None if filler.imputer is None else filler.imputer.indicator_.features_
    return FeatureBackground(names, means, None, groups, gaps=gaps)
