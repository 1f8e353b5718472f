"""How far folds are from the data they were cut from: labels, label pairs, sizes, labels left out.

With c_jf rows of label j in fold f of size n_f, and c_j of all n rows [Sechidis2011]:

LD  = mean over labels and folds of | c_jf / (n_f - c_jf)  -  c_j / (n - c_j) |
LPD = the same over pairs of labels that occur together [Szymanski2017]

Labels and pairs that no row or every row has are left out of both: every fold is right about them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.data.errors import DataError
from plait.data.folds.stratification import given_labels

__all__ = ["SplitErrors", "split_errors"]


class SplitErrors(NamedTuple):
    """What `split_errors` found; smaller is better, zero is best.

    Attributes
    ----------
    labels, pairs : float
        Mean distance of the shares of labels, and of pairs of labels, in the folds from those in all rows.
    sizes : float
        Mean distance of the sizes of the folds from those wanted.
    n_empty : int
        Pairs of a fold and a label without any row that has the label.

    Examples
    --------
    >>> from plait.data.folds import split_errors
    >>> split_errors([[1], [0], [1], [0]], [[0, 1], [2, 3]])
    SplitErrors(labels=0.0, pairs=0.0, sizes=0.0, n_empty=0)
    """

    labels: float
    pairs: float
    sizes: float
    n_empty: int


def split_errors(y: Any, test_folds: Iterable[npt.ArrayLike]) -> SplitErrors:
    """Say how well a set of folds represents the labels.

    Parameters
    ----------
    y : array, sparse matrix or data frame of shape (n_samples, n_labels)
        Labels, 0 or 1.
    test_folds : iterable of int arrays
        The rows of each fold.

    Returns
    -------
    SplitErrors
        `labels`, Sechidis' label distribution LD; `pairs`, the same of label pairs; `sizes`, the mean distance of a
        fold's size from `n_samples / n_folds`; `n_empty`, in how many folds a label that occurs has no row, summed
        over labels. A fold all of whose rows have a label has infinite odds and makes `labels` infinite.

    Examples
    --------
    >>> from plait.data.folds import MultilabelStratifiedKFold, split_errors
    >>> Y = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]]
    >>> folds = [test for _, test in MultilabelStratifiedKFold(2, random_state=0).split(Y, Y)]
    >>> split_errors(Y, folds)
    SplitErrors(labels=0.0, pairs=0.0, sizes=0.0, n_empty=0)
    """
    pattern = given_labels("split_errors", y)
    parts = [pattern[np.asarray(fold)] for fold in test_folds]
    if not parts:
        raise DataError("split_errors needs at least one fold, but there is none. Pass the rows of each fold.")
    n_rows = np.array([part.shape[0] for part in parts])
    counts = np.array([np.asarray(part.sum(axis=0)).ravel() for part in parts])
    overall = np.asarray(pattern.sum(axis=0)).ravel()
    return SplitErrors(
        labels=_odds_error(counts, overall, n_rows, pattern.shape[0]),
        pairs=_odds_error(*_pair_counts(parts, pattern), n_rows, pattern.shape[0]),
        sizes=float(np.abs(n_rows - pattern.shape[0] / len(parts)).mean()),
        n_empty=int((counts[:, overall > 0] == 0).sum()),
    )


def _odds_error(counts: Any, overall: Any, n_rows: Any, n_samples: int) -> float:
    mixed = (overall > 0) & (overall < n_samples)
    if not mixed.any():
        return 0.0
    right = overall[mixed] / (n_samples - overall[mixed])
    with np.errstate(divide="ignore"):
        odds = counts[:, mixed] / (n_rows[:, None] - counts[:, mixed])
    return float(np.abs(odds - right).mean())


def _pair_counts(parts: list[Any], pattern: sparse.csr_matrix) -> tuple[Any, Any]:
    overall = sparse.triu(pattern.T @ pattern, k=1, format="coo")
    counts = [np.asarray(sparse.csr_matrix(part.T @ part)[overall.row, overall.col]).ravel() for part in parts]
    return np.array(counts), overall.data
