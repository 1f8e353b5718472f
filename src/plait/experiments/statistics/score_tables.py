"""Scores as a table of data sets by methods: checked once, then turned into ranks."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError

__all__ = ["method_ranks", "score_table"]


def score_table(owner: str, scores: Any, min_datasets: int = 2, min_methods: int = 2) -> Floats:
    """Return scores as a float array of shape (n_datasets, n_methods), or say what is wrong with them."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ParameterError(f"{owner} needs scores of shape (n_datasets, n_methods), but they have {table.ndim} axes.")
    n_datasets, n_methods = table.shape
    if n_datasets < min_datasets or n_methods < min_methods:
        least = f"at least {min_datasets} data sets and {min_methods} methods"
        raise ParameterError(f"{owner} needs {least}, but there are {n_datasets} and {n_methods}. Add some.")
    empty = np.argwhere(np.isnan(table))
    if len(empty):
        row, column = empty[0]
        where = f"that of data set {row} and method {column} is missing"
        raise ParameterError(f"{owner} needs every score, but {where}. Leave out that data set or that method.")
    return table


def method_ranks(scores: Any, *, higher_is_better: bool = True) -> Floats:
    """Return the rank of every method on every data set: 1 is best, equal scores share the mean rank.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        One number per data set and method.
    higher_is_better : bool, default=True
        Whether large scores are good; False for losses.

    Examples
    --------
    >>> method_ranks([[0.9, 0.8, 0.8]])
    array([[1. , 2.5, 2.5]])
    """
    table = score_table("method_ranks", scores, min_datasets=1, min_methods=1)
    ranks: Floats = rankdata(-table if higher_is_better else table, axis=1)
    return ranks
