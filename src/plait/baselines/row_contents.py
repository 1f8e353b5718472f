"""A seed for each row made from what is in it: the same row draws the same, wherever and in whatever form it comes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Bits

__all__ = ["content_seeds", "mixed_bits"]


_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
# Numbers of a dense X that are turned into bits at the same time.
_ENTRIES = 1 << 20


def mixed_bits(states: Bits) -> Bits:
    """Return 64 well mixed bits for each state [Steele2014]."""
    states = (states ^ (states >> np.uint64(30))) * _FIRST
    states = (states ^ (states >> np.uint64(27))) * _SECOND
    return np.asarray(states ^ (states >> np.uint64(31)))


def content_seeds(X: Any, seed: int) -> Bits:
    """Return one seed for each row of X (dense or CSR): a sum over its entries that are not zero.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows; dense or sparse makes no difference.
    seed : int
        Another one gives other seeds.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> one, two, three = content_seeds(X, 0)
    >>> bool(one == three != two), bool((content_seeds(sparse.csr_matrix(X), 0) == content_seeds(X, 0)).all())
    (True, True)
    """
    columns = mixed_bits((np.arange(X.shape[1], dtype=np.uint64) + np.uint64(1)) * _STEP + np.uint64(seed))
    if sparse.issparse(X):
        return mixed_bits(_sparse_sums(X, columns) + np.uint64(seed))
    sums = np.empty(X.shape[0], dtype=np.uint64)
    step = max(1, _ENTRIES // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        sums[start : start + step] = _terms(X[start : start + step], columns).sum(axis=1, dtype=np.uint64)
    return mixed_bits(sums + np.uint64(seed))


def _sparse_sums(X: Any, columns: Bits) -> Bits:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # Sums run modulo 2 ** 64, and so do their differences.
    sums = np.zeros(len(X.data) + 1, dtype=np.uint64)
    np.cumsum(_terms(X.data, columns[X.indices]), out=sums[1:])
    return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]])


def _terms(values: npt.NDArray[Any], columns: Bits) -> Bits:
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.where(values == 0, np.uint64(0), mixed_bits(bits ^ columns))
