"""Scores label by label, as a frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.core.label_forms import read_labels
from plait.core.named_answers import row_frame
from plait.data.errors import DataError
from plait.losses.overlap import label_overlap
from plait.metrics.curves import area_of, label_columns, precision_of
from plait.metrics.inputs import label_pair
from plait.metrics.precision_recall import shares

__all__ = ["label_report"]


def label_report(true: Any, predicted: Any, scores: Any = None, *, label_names: Sequence[str] | None = None) -> Any:
    """Return the scores of every label as a frame: one row for each.

    Parameters
    ----------
    true, predicted : array, sparse matrix, nested list, frame or rows of names
        True and predicted labels, 0 or 1.
    scores : array, sparse matrix, nested list or frame of shape (n_samples, n_labels), optional
        Marginal probabilities or other scores; with them there are average precision and ROC AUC too.
    label_names : sequence of str, optional
        Names of the labels; by default those of `true`, else of `predicted`, else "y0", "y1", ...

    Returns
    -------
    frame : pandas DataFrame, or polars DataFrame where `true` is one
        Columns label, rows (that have it), predicted, precision, recall, f1; NaN where nothing can be said of a label.

    Examples
    --------
    >>> label_report([{"sea"}, {"sea", "sun"}], [{"sea"}, {"sea"}])[["label", "rows", "recall"]]
      label  rows  recall
    0   sea     2     1.0
    1   sun     1     0.0
    """
    both, n_true, n_predicted, n_labels = label_overlap(*label_pair("label_report", true, predicted, cells=True))
    names = _names(true, predicted, n_labels) if label_names is None else [str(name) for name in label_names]
    if len(names) != n_labels:
        raise DataError(
            f"label_report needs label_names to hold {n_labels} names, but it holds {len(names)}. "
            "Pass one for each label, or None."
        )
    columns: dict[str, Any] = {
        "label": names,
        "rows": n_true.astype(np.int64),
        "predicted": n_predicted.astype(np.int64),
        "precision": shares(both, n_predicted, np.nan),
        "recall": shares(both, n_true, np.nan),
        "f1": shares(2 * both, n_true + n_predicted, np.nan),
    }
    if scores is not None:
        pairs = list(label_columns("label_report", true, scores))
        columns["average_precision"] = [precision_of(*pair) for pair in pairs]
        columns["roc_auc"] = [area_of(*pair) for pair in pairs]
    return row_frame(true).frame(columns, indexed=False)


def _names(true: Any, predicted: Any, n_labels: int) -> list[str]:
    """Return the names that either has, in the order in which columns are compared."""
    found = [read_labels("label_report", "labels", Y, DataError).names for Y in (predicted, true)]
    named = list(dict.fromkeys(name for names in found if names is not None for name in names))
    return named if len(named) == n_labels else [f"y{k}" for k in range(n_labels)]
