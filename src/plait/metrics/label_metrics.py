"""Metrics of predicted labels.

`loss_metric` makes one of any loss; those of some losses have names of their own. F1 by label is no mean over rows.
"""

from typing import Any

import numpy as np
from scipy import sparse

from plait import losses as losses_room
from plait.core.arrays import Floats
from plait.core.checks import OneOf, check_value
from plait.core.naming import registered, resolve
from plait.core.unknown_labels import has_unknown, known_cells
from plait.losses import F1, Hamming, Jaccard, Loss, Subset
from plait.losses.overlap import label_overlap, row_overlap
from plait.metrics.inputs import label_blocks, label_matrix, label_pair, score_blocks
from plait.metrics.precision_recall import shares

__all__ = [
    "LossMetric",
    "exact_match",
    "hamming_loss",
    "hamming_score",
    "jaccard_accuracy",
    "loss_metric",
    "macro_f1",
    "micro_f1",
    "sample_f1",
    "subset_loss",
]


class LossMetric:
    """Mean over rows of a loss; 0 is best. Made by `loss_metric`.

    Parameters
    ----------
    loss : Loss
        The loss.
    """

    def __init__(self, loss: Loss) -> None:
        self.loss = loss
        self.__name__ = f"{registered(type(loss).__name__)}_loss"

    def __call__(self, Y_true: Any, Y_pred: Any) -> float:
        """Return the mean loss of predicted labels, or of scores where the loss takes scores."""
        return _mean_loss(self.__name__, self.loss, Y_true, Y_pred)

    def __repr__(self) -> str:
        return f"loss_metric({self.loss!r})"


def loss_metric(loss: Loss | str) -> LossMetric:
    """Return a loss as a metric: a function of true and predicted labels, the mean over rows; 0 is best.

    Parameters
    ----------
    loss : Loss or str
        A loss, or the word by which `plait.losses` knows it.

    Returns
    -------
    LossMetric
        A function of `Y_true` and `Y_pred` (scores, where the loss takes scores), in every form that metrics take.

    Examples
    --------
    >>> metric = loss_metric("f1")
    >>> metric.__name__, round(metric([[1, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]), 4)
    ('f1_loss', 0.1667)
    """
    return LossMetric(resolve("loss_metric", "loss", loss, losses_room, Loss))


def exact_match(Y_true: Any, Y_pred: Any) -> float:
    """Share of rows whose whole label set is right; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> exact_match([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    return _mean_score("exact_match", Subset(), Y_true, Y_pred)


def subset_loss(Y_true: Any, Y_pred: Any) -> float:
    """Share of rows whose label set is wrong anywhere: 1 - `exact_match`; 0 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> subset_loss([[1, 0], [1, 1], [0, 0], [0, 1]], [[1, 0], [0, 1], [0, 0], [0, 1]])
    0.25
    """
    return _mean_loss("subset_loss", Subset(), Y_true, Y_pred)


def hamming_score(Y_true: Any, Y_pred: Any) -> float:
    """Share of single labels that are right; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> hamming_score([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _mean_score("hamming_score", Hamming(), Y_true, Y_pred)


def hamming_loss(Y_true: Any, Y_pred: Any) -> float:
    """Share of single labels that are wrong: 1 - `hamming_score`; 0 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.25
    """
    return _mean_loss("hamming_loss", Hamming(), Y_true, Y_pred)


def jaccard_accuracy(Y_true: Any, Y_pred: Any) -> float:
    """Mean over rows of labels in both sets divided by labels in either; 1 is best.

    Two empty sets agree: 0/0 counts as 1. The literature also calls this "accuracy" [PACC 22].

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> jaccard_accuracy([[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]])
    0.75
    """
    return _mean_score("jaccard_accuracy", Jaccard(), Y_true, Y_pred)


def sample_f1(Y_true: Any, Y_pred: Any) -> float:
    """Mean over rows of F1 between the true and the predicted label set; 1 is best.

    Two empty sets agree: 0/0 counts as 1.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> sample_f1([[1, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]).__round__(4)
    0.8333
    """
    return _mean_score("sample_f1", F1(), Y_true, Y_pred)


def macro_f1(Y_true: Any, Y_pred: Any, *, zero_division: int = 0, averaged: str = "f1") -> float:
    """Mean over labels of F1; 1 is best.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.
    zero_division : {0, 1}, default=0
        F1 of a label that is neither true nor predicted in any row.
    averaged : {"f1", "precision_recall"}, default="f1"
        What is averaged over labels: their F1; or precision and recall, each by itself, whose harmonic mean is the
        result. The precision of a label that is never predicted, and the recall of one that is never true, are
        `zero_division` then.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    Report `zero_division` and `averaged` with the result: where many labels are absent from a test fold, or hardly
    ever predicted, the choices differ by several points.

    Examples
    --------
    >>> macro_f1([[1, 0], [1, 0]], [[1, 0], [1, 0]])
    0.5
    >>> macro_f1([[1, 0], [1, 0]], [[1, 0], [1, 0]], zero_division=1)
    1.0
    >>> macro_f1([[1, 1], [1, 0]], [[1, 0], [1, 0]], averaged="precision_recall")
    0.5
    """
    check_value("macro_f1", "zero_division", zero_division, [OneOf((0, 1))])
    check_value("macro_f1", "averaged", averaged, [OneOf(("f1", "precision_recall"))])
    both, true, predicted, _ = label_overlap(*label_pair("macro_f1", Y_true, Y_pred, cells=True))
    if averaged == "precision_recall":
        precision, recall = (shares(both, sizes, zero_division).mean() for sizes in (predicted, true))
        return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0
    # 2 TP / (2 TP + FP + FN), where the denominator is the sum of the two set sizes [PACC 23].
    return float(shares(2 * both, true + predicted, zero_division).mean())


def micro_f1(Y_true: Any, Y_pred: Any) -> float:
    """F1 over all labels of all rows taken together; 1 is best, and 0/0 counts as 0.

    Parameters
    ----------
    Y_true, Y_pred : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True and predicted labels, 0 or 1.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> micro_f1([[1, 1], [1, 0]], [[1, 0], [1, 0]])
    0.8
    """
    both, true, predicted, _ = row_overlap(*label_pair("micro_f1", Y_true, Y_pred, cells=True))
    size = float(true.sum() + predicted.sum())
    return float(2 * both.sum() / size) if size else 0.0


def _mean_loss(owner: str, loss: Loss, Y_true: Any, Y_pred: Any) -> float:
    return float(_row_losses(owner, loss, Y_true, Y_pred).mean())


def _mean_score(owner: str, loss: Loss, Y_true: Any, Y_pred: Any) -> float:
    """Return the mean of one minus the loss."""
    return float((1.0 - _row_losses(owner, loss, Y_true, Y_pred)).mean())


def _row_losses(owner: str, loss: Loss, Y_true: Any, Y_pred: Any) -> Floats:
    """Return the loss of every row; sparse labels become dense in blocks, unless the loss takes them as they are."""
    if loss.answer == "scores":
        blocks = score_blocks(owner, "scores", Y_true, Y_pred)
    else:
        if isinstance(loss, Hamming) and has_unknown(label_matrix(owner, "Y_true", Y_true, unknown=True)):
            return _cell_losses(owner, Y_true, Y_pred)
        true, predicted = label_pair(owner, Y_true, Y_pred)
        blocks = iter([(_bits(true), _bits(predicted))]) if loss.takes_sparse else label_blocks(true, predicted)
    return np.concatenate([np.asarray(loss.value(true, answer), dtype=np.float64) for true, answer in blocks])


def _bits(labels: Any) -> Any:
    """Return checked labels as they are if sparse, else as booleans without a copy."""
    return labels if sparse.issparse(labels) else labels.view(np.bool_)


def _cell_losses(owner: str, Y_true: Any, Y_pred: Any) -> Floats:
    """Return the Hamming loss of every label that is known."""
    known = known_cells(label_matrix(owner, "Y_true", Y_true, unknown=True))
    true, predicted = label_pair(owner, Y_true, Y_pred, cells=True)
    return np.asarray((true != predicted)[known], dtype=np.float64)
