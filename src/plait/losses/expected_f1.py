"""Thresholds of marginals under which expected F1 is largest: one for all labels (micro), or one a label (macro)."""

from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.sentences import ParameterError

__all__ = ["f1_thresholds", "macro_f1_thresholds", "micro_f1_threshold"]


def f1_thresholds(marginals: Floats, Y: Labels, sample_weight: Any = None) -> dict[str, Any]:
    """Return both kinds by the words of their losses, as `thresholds_` of a model; labels without rows are never given.

    Parameters
    ----------
    marginals : ndarray of shape (n_samples, n_labels)
        P(label | x) of the training rows, out of fold.
    Y : ndarray of shape (n_samples, n_labels)
        Their labels, to tell which of them occur at all.
    sample_weight : array of shape (n_samples,), optional
        Weights of rows.

    Examples
    --------
    >>> f1_thresholds(np.array([[1.0, 0.1], [0.0, 0.1]]), np.array([[1, 0], [0, 0]]))
    {'micro_f1': 0.45454545454545453, 'macro_f1': array([0.5, 1. ])}
    """
    by_label = macro_f1_thresholds(marginals, sample_weight)
    return {
        "micro_f1": micro_f1_threshold(marginals, sample_weight),
        "macro_f1": np.where((Y == 1).any(axis=0), by_label, 1.0),
    }


def micro_f1_threshold(marginals: Any, sample_weight: Any = None) -> float:
    """Return the threshold above which labels are given so that expected micro-F1 is largest.

    Of all ways to give labels to these rows, giving those with a marginal above F* / 2 has the largest ratio of
    expectations `F = 2 sum(given p) / (number given + sum p)`, and F* is that ratio [Lipton2014]. With marginals of
    rows that did not train the model (out of fold), the threshold serves new rows.

    Parameters
    ----------
    marginals : array of shape (n_samples, n_labels)
        P(label | x) of every row and label, best out of fold.
    sample_weight : array of shape (n_samples,), optional
        Weights of rows.

    Returns
    -------
    threshold : float
        F* / 2, between 0 and 1/2; a label is given where its marginal is larger.

    See Also
    --------
    macro_f1_thresholds : a threshold for each label.

    References
    ----------
    [Lipton2014] Lipton, Elkan and Naryanaswamy: Optimal thresholding of classifiers to maximize F1 measure, 2014.

    Examples
    --------
    >>> round(micro_f1_threshold([[0.9, 0.3], [0.4, 0.1]]), 3)
    0.351
    """
    table, weights = _checked("micro_f1_threshold", marginals, sample_weight)
    return float(_half_of_best(table.reshape(-1, 1), np.repeat(weights, table.shape[1]))[0])


def macro_f1_thresholds(marginals: Any, sample_weight: Any = None) -> Floats:
    """Return for every label the threshold above which it is given so that its expected F1 is largest.

    As `micro_f1_threshold`, label by label: the mean F1 over labels is largest where that of each label is.

    Parameters
    ----------
    marginals : array of shape (n_samples, n_labels)
        P(label | x) of every row and label, best out of fold.
    sample_weight : array of shape (n_samples,), optional
        Weights of rows.

    Returns
    -------
    thresholds : ndarray of shape (n_labels,)
        Between 0 and 1/2; a label is given where its marginal is larger.

    See Also
    --------
    micro_f1_threshold : one threshold for all labels.

    References
    ----------
    [Lipton2014] Lipton, Elkan and Naryanaswamy: Optimal thresholding of classifiers to maximize F1 measure, 2014.

    Examples
    --------
    >>> macro_f1_thresholds([[0.9, 0.3], [0.4, 0.1]]).round(3)
    array([0.394, 0.214])
    """
    return _half_of_best(*_checked("macro_f1_thresholds", marginals, sample_weight))


def _half_of_best(table: Floats, weights: Floats) -> Floats:
    """Return F* / 2 of every column, by Dinkelbach's steps: give what is above half of the ratio so far.

    No step lowers the ratio, and at the last one no set has a larger one; the sets only shrink, so there is a last.
    """
    expected = weights @ table
    half = np.zeros(table.shape[1])
    while True:
        given = table > half
        sizes = weights @ given + expected
        better = np.divide(weights @ (table * given), sizes, out=np.zeros_like(half), where=sizes > 0)
        if (better <= half).all():
            return half
        half = np.maximum(half, better)


def _checked(owner: str, marginals: Any, sample_weight: Any) -> tuple[Floats, Floats]:
    table = np.asarray(marginals, dtype=np.float64)
    if table.ndim != 2 or table.size == 0 or not ((table >= 0) & (table <= 1)).all():
        raise ParameterError(
            f"{owner} needs marginals to be a table (n_samples, n_labels) of numbers from 0 to 1, but its shape is "
            f"{table.shape} and its values are not all so. Pass what predict_proba returns."
            if table.size
            else f"{owner} needs marginals to have rows and labels, but its shape is {table.shape}. Pass some rows."
        )
    weights = np.ones(len(table)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (len(table),) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ParameterError(
            f"{owner} needs sample_weight to be {len(table)} numbers of at least 0, one a row, but its shape is "
            f"{weights.shape} or some are negative. Pass weights of the rows of marginals."
        )
    return table, weights
