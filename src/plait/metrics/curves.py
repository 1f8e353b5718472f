"""Areas under curves of scores: average precision and ROC AUC, over all labels together, by label, and by row."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from plait.core.arrays import Array, Floats
from plait.core.unknown_labels import has_unknown
from plait.losses.rank import wrong_pairs
from plait.metrics.inputs import by_name, label_blocks, label_matrix, same_shape, score_blocks, score_matrix

__all__ = [
    "area_of",
    "label_columns",
    "macro_average_precision",
    "macro_roc_auc",
    "micro_average_precision",
    "micro_roc_auc",
    "precision_of",
    "sample_roc_auc",
]


def micro_average_precision(Y_true: Any, scores: Any) -> float:
    """Average precision over all labels of all rows taken together; 1 is best, and without any true label it is 0.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_average_precision([[1, 0], [0, 1]], [[0.9, 0.2], [0.6, 0.5]]).__round__(4)
    0.8333
    """
    return precision_of(*_all_together("micro_average_precision", Y_true, scores), nothing=0.0)


def macro_average_precision(Y_true: Any, scores: Any) -> float:
    """Mean of the average precision of every label that some row has; 1 is best, and without any it is 0.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> macro_average_precision([[1, 0, 0], [0, 1, 0]], [[0.9, 0.7, 0.1], [0.6, 0.5, 0.2]])
    0.75
    """
    return _mean(precision_of(*column) for column in label_columns("macro_average_precision", Y_true, scores))


def micro_roc_auc(Y_true: Any, scores: Any) -> float:
    """Area under the ROC curve of all labels of all rows together; 1 is best, 0.5 is chance, also of one value only.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> micro_roc_auc([[1, 0], [0, 1]], [[0.9, 0.2], [0.6, 0.5]])
    0.75
    """
    return area_of(*_all_together("micro_roc_auc", Y_true, scores), nothing=0.5)


def macro_roc_auc(Y_true: Any, scores: Any) -> float:
    """Mean area under the ROC curve of every label that has both values; 1 is best, 0.5 is chance, also without any.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> macro_roc_auc([[1, 0, 0], [0, 1, 0]], [[0.9, 0.7, 0.1], [0.6, 0.5, 0.2]])
    0.5
    """
    return _mean((area_of(*column) for column in label_columns("macro_roc_auc", Y_true, scores)), nothing=0.5)


def sample_roc_auc(Y_true: Any, scores: Any) -> float:
    """Mean area under the ROC curve of every row that has some labels but not all; 1 is best, 0.5 is chance.

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list, frame or rows of names
        True labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        Marginal probabilities, vote shares or any other scores.

    Returns
    -------
    float

    Examples
    --------
    >>> sample_roc_auc([[1, 0, 0], [0, 0, 0]], [[0.4, 0.6, 0.1], [0.2, 0.3, 0.4]])
    0.5
    """
    shares = []
    for labels, block in score_blocks("sample_roc_auc", "scores", Y_true, scores):
        wrong, pairs = wrong_pairs(labels == 1, block, tie=0.5)
        shares += (1.0 - wrong[pairs > 0] / pairs[pairs > 0]).tolist()
    return _mean(shares, nothing=0.5)


def precision_of(labels: Array, scores: Array, nothing: float = np.nan) -> float:
    """Return the average precision of one ranking; items with equal scores come at once."""
    n_relevant = int(labels.sum())
    if n_relevant == 0:
        return nothing
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    found = np.cumsum(labels[order], dtype=np.int64)[ends]
    return float((np.diff(found, prepend=0) * found / (ends + 1)).sum() / n_relevant)


def area_of(labels: Array, scores: Array, nothing: float = np.nan) -> float:
    """Return the share of pairs (relevant, irrelevant) in the right order; equal scores count half."""
    relevant = labels == 1
    n_relevant = int(relevant.sum())
    n_pairs = n_relevant * (labels.size - n_relevant)
    if n_pairs == 0:
        return nothing
    above = rankdata(scores)[relevant].sum() - n_relevant * (n_relevant + 1) / 2
    return float(above / n_pairs)


def _tables(owner: str, Y_true: Any, scores: Any) -> tuple[Any, Any]:
    Y_true, scores = by_name(owner, Y_true, scores, "scores")
    labels, table = label_matrix(owner, "Y_true", Y_true, unknown=True), score_matrix(owner, "scores", scores)
    same_shape(owner, labels, table, "scores")
    return labels, table


def _all_together(owner: str, Y_true: Any, scores: Any) -> tuple[Array, Array]:
    tables = _tables(owner, Y_true, scores)
    labels, values = ((table.toarray() if sparse.issparse(table) else table).ravel() for table in tables)
    return (labels[labels >= 0], values[labels >= 0]) if has_unknown(labels) else (labels, values)


def label_columns(owner: str, Y_true: Any, scores: Any) -> Iterator[tuple[Array, Array]]:
    """Yield labels and scores of every label; sparse tables are made dense some columns at a time."""
    tables = _tables(owner, Y_true, scores)
    turned = [sparse.csr_matrix(table.T) if sparse.issparse(table) else table.T for table in tables]
    for labels, values in label_blocks(*turned):
        for column, scored in zip(labels, values, strict=True):
            yield (column[column >= 0], scored[column >= 0]) if has_unknown(column) else (column, scored)


def _mean(values: Iterable[float], nothing: float = 0.0) -> float:
    """Return the mean of the values that are defined."""
    found: Floats = np.array([value for value in values if value == value])
    return float(found.mean()) if found.size else nothing
