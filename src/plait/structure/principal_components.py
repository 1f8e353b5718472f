"""Principal components of dense or sparse data, without making sparse data dense."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds

from plait.core.arrays import Floats

__all__ = ["component_scores"]


# Up to so many cells the centred matrix is decomposed as a whole (2 MiB).
_SMALL = 1 << 18


def component_scores(X: Any, n_components: int) -> Floats:
    """Return the centred rows of X along the directions of greatest variance, the greatest first.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Numbers.
    n_components : int
        How many directions; fewer come back where rows or features are fewer, or do not vary.

    Returns
    -------
    ndarray of shape (n_samples, at most n_components)
        The sign of a direction is such that its entry of largest size is positive.

    Examples
    --------
    >>> component_scores(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]), 2)
    array([[-2.],
           [ 0.],
           [ 2.]])
    """
    wanted = min(n_components, *X.shape)
    if wanted == 0 or not _varies(X):
        return np.zeros((X.shape[0], 0))
    X = X.astype(np.float64, copy=False)
    means = np.asarray(X.mean(axis=0)).ravel()
    small = X.shape[0] * X.shape[1] <= _SMALL or wanted > min(X.shape) - 2
    directions = _directions_of_small(X, means, wanted) if small else _directions(X, means, wanted)
    return np.asarray(X @ directions.T - means @ directions.T)


def _directions_of_small(X: Any, means: Floats, wanted: int) -> Floats:
    centred = (X.toarray() if sparse.issparse(X) else X) - means
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    return _without_rest(sizes[:wanted], directions[:wanted], _rounding(X))


def _directions(X: Any, means: Floats, wanted: int) -> Floats:
    """Return directions by Lanczos steps on X - 1 means', from a fixed start: the same bits every time."""
    ones = np.ones(X.shape[0])
    centred = LinearOperator(
        X.shape,
        dtype=np.float64,
        matvec=lambda v: X @ v.ravel() - (means @ v.ravel()) * ones,
        rmatvec=lambda u: X.T @ u.ravel() - means * (ones @ u.ravel()),
    )
    # Any start will do that no direction is likely to be orthogonal to.
    start = np.cos(np.arange(1.0, min(X.shape) + 1.0))
    _, sizes, directions = svds(centred, k=wanted, v0=start, tol=0, solver="arpack")
    best_first = np.argsort(-sizes, kind="stable")
    return _without_rest(sizes[best_first], directions[best_first], _rounding(X))


def _varies(X: Any) -> bool:
    if sparse.issparse(X):
        return bool((X.max(axis=0) - X.min(axis=0)).nnz)
    return bool((X[0] != X).any())


def _rounding(X: Any) -> float:
    """Return below which size a direction is rounding only: that of the means, in every cell."""
    largest = np.abs(X.data if sparse.issparse(X) else X).max(initial=0.0)
    return float(4.0 * np.finfo(np.float64).eps * X.shape[0] * np.sqrt(X.shape[1]) * largest)


def _without_rest(sizes: Floats, directions: Floats, limit: float) -> Floats:
    kept = directions[sizes > limit]
    largest = np.abs(kept).argmax(axis=1) if kept.size else np.zeros(0, dtype=np.int64)
    return kept * np.sign(kept[np.arange(kept.shape[0]), largest])[:, None]
