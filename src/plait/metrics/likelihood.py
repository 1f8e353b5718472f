"""Conditional log-likelihood loss: how surprising the true label sets are to a model."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.checks import Boolean, check_value
from plait.core.label_forms import as_table
from plait.core.logspace import EPSILON, clip_probability
from plait.core.sentences import shown
from plait.core.unknown_labels import has_unknown
from plait.data.errors import DataError
from plait.metrics.inputs import label_matrix, score_blocks, score_matrix

__all__ = ["cll_loss"]

# Log-probabilities summed in floating point may end a little above 0.
_SLACK = 1e-9


def cll_loss(Y_true: Any, probabilities: Any, *, mean: bool = False) -> float:
    """Sum over rows of -log P(y | x), in nats; 0 is best [MC, section 6.2].

    Parameters
    ----------
    Y_true : array, sparse matrix, nested list or frame of shape (n_samples, n_labels)
        True labels, 0 or 1; unknown ones (NaN) do not count.
    probabilities : array of shape (n_samples, n_labels) or (n_samples,)
        With two dimensions: marginal probabilities, whose product is P(y | x); each is clipped to
        [1e-6, 1 - 1e-6]. With one dimension: log P(y | x) of the true label sets, as a joint model gives them
        (`joint(X).log_prob(Y)`); these are taken as they are, so that -inf gives an infinite loss.
    mean : bool, default=False
        Divide by the number of rows, to compare test sets of different sizes.

    Returns
    -------
    float
        At least 0. A sum: it grows with the number of rows.

    Notes
    -----
    The product of marginals is the likelihood of a model with independent labels. For any other model it is not
    P(y | x): pass the joint log-probabilities.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> round(cll_loss([[1, 0], [1, 1]], [[0.5, 0.5], [0.5, 0.5]]), 4)  # 4 log 2
    2.7726
    >>> round(cll_loss([[1, 0], [1, 1]], np.log([0.5, 0.25])), 4)  # log 2 + log 4
    2.0794
    """
    check_value("cll_loss", "mean", mean, [Boolean()])
    one_dimension = as_table("cll_loss", "probabilities", probabilities, DataError).ndim == 1
    log_probs = _joint(Y_true, probabilities) if one_dimension else _product(Y_true, probabilities)
    # The smallest loss is a plain 0, not -0.
    loss = max(0.0, -float(log_probs.sum()))
    return loss / log_probs.size if mean else loss


def _joint(Y_true: Any, log_probs: Any) -> npt.NDArray[np.float64]:
    """Return checked log-probabilities of the true label sets."""
    n_samples = label_matrix("cll_loss", "Y_true", Y_true, unknown=True).shape[0]
    values = score_matrix("cll_loss", "probabilities", log_probs)[:, 0].astype(np.float64)
    if values.size != n_samples:
        raise DataError(
            f"cll_loss needs probabilities to have one log-probability per row of Y_true, {n_samples}, "
            f"but it has {values.size}. Pass the same rows in both."
        )
    if (values > _SLACK).any():
        raise DataError(
            "cll_loss needs probabilities of one dimension to be logarithms of at most 0, but it holds "
            f"{shown(float(values.max()))}. Pass log P(y | x), or marginals of shape (n_samples, n_labels)."
        )
    return values


def _product(Y_true: Any, marginals: Any) -> npt.NDArray[np.float64]:
    """Return the sum of log-marginals at the true labels, by row."""
    rows = []
    for labels, block in score_blocks("cll_loss", "probabilities", Y_true, marginals, cells=True):
        low, high = float(block.min()), float(block.max())
        if low < -EPSILON or high > 1.0 + EPSILON:
            raise DataError(
                "cll_loss needs probabilities of two dimensions to be marginals from 0 to 1, but it holds "
                f"{shown(low if low < -EPSILON else high)}. Pass predict_proba's, not scores or logarithms."
            )
        present = clip_probability(block)
        logs = np.log(np.where(labels == 1, present, 1.0 - present))
        rows.append((np.where(labels < 0, 0.0, logs) if has_unknown(labels) else logs).sum(axis=1))
    return np.concatenate(rows)
