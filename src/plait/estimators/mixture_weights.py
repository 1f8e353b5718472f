"""Weights of a mixture whose components are fixed."""

import numpy as np

from plait.core.arrays import Floats
from plait.core.logspace import log_normalize, log_sum_exp

__all__ = ["likeliest_weights"]


def likeliest_weights(log_probs: Floats, tol: float = 1e-9, max_iter: int = 1000) -> Floats:
    """Return the weights under which rows are most likely, by EM from equal weights; the problem is concave.

    Parameters
    ----------
    log_probs : ndarray of shape (n_samples, n_components)
        log P_k(y | x) of every row under every component.
    tol : float, default=1e-9
        Gain of the mean log-likelihood below which it stops.
    max_iter : int, default=1000
        Most steps.

    Examples
    --------
    >>> likeliest_weights(np.log([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])).round(3)
    array([0.708, 0.292])
    """
    n_components = log_probs.shape[1]
    weights = np.full(n_components, 1.0 / n_components)
    last = -np.inf
    for _ in range(max_iter):
        terms = log_probs + np.log(weights)
        found = float(log_sum_exp(terms, axis=1).mean())
        if found - last < tol:
            break
        last = found
        weights = np.maximum(np.exp(log_normalize(terms, axis=1)).mean(axis=0), 1e-300)
    return weights / weights.sum()
