"""Columns as people have them, in numbers: frames with words are encoded, gaps are filled in and marked."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.utils.validation import _check_feature_names, _check_n_features

from plait.core.arrays import Floats, Labels
from plait.core.sentences import ParameterError
from plait.data import TableEncoder
from plait.data.conversion.frame_columns import column_of_texts
from plait.posterior.explaining import FeatureBackground

__all__ = ["GapFiller", "encoded_rows", "holds_words", "named_numbers", "weighing_rows"]


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


def holds_words(X: Any) -> bool:
    """Say whether X is a list of texts, or a frame or array of objects with columns that are no numbers.

    Examples
    --------
    >>> import pandas
    >>> holds_words(pandas.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}))
    True
    """
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        cells = X if isinstance(X, np.ndarray) and X.dtype.kind in "OU" and X.ndim == 2 else np.empty((0, 0))
        return column_of_texts(X) is not None or any(isinstance(cell, str) for cell in cells.flat)
    return not all(_numeric(X[name].dtype) for name in X.columns)


def encoded_rows(owner: Any, words: TableEncoder, X: Any, reset: bool) -> Any:
    """Return X in numbers; `owner` remembers, or is checked for, what columns there are."""
    if isinstance(X, str):
        raise ParameterError(
            f"{type(owner).__name__} needs X to hold rows, but it is one text. Pass a list, such as [X]."
        )
    if column_of_texts(X) is None:
        _check_feature_names(owner, X, reset=reset)
        _check_n_features(owner, X, reset=reset)
    elif reset:
        owner.n_features_in_, owner.feature_names_in_ = 1, words.feature_names_in_
    return words.transform(X)


def _numeric(kind: Any) -> bool:
    check = getattr(kind, "is_numeric", None)  # polars
    if check is not None:
        return bool(check()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "biuf"


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


def named_numbers(columns: Any, means: Floats, words: TableEncoder | None, filler: GapFiller) -> FeatureBackground:
    """Return names and means of the numbers that learners see; the indicators of one column of words are a group.

    Parameters
    ----------
    columns : sequence of str, optional
        Names of the columns of X.
    means : ndarray of float64
        Of the numbers, before gaps are marked.
    words : TableEncoder, optional
        What made numbers of the columns.
    filler : GapFiller
        What marked the gaps.

    Examples
    --------
    >>> found = named_numbers(None, np.array([1.0, 2.5]), None, GapFiller(np.array([[1.0, 2.0], [np.nan, 3.0]])))
    >>> [found.name(number) for number in range(3)]
    ['x0', 'x1', 'x0=(gap)']
    """
    groups = None
    if words is not None:
        columns, groups = words.get_feature_names_out().tolist(), words.feature_groups()
    gaps = None if filler.imputer is None else filler.imputer.indicator_.features_
    return FeatureBackground(columns, means, None, groups, gaps=gaps)
