"""Centres of clusters, and distances of rows to them: the features that `LIFT` makes for a label [Zhang2015]."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Floats
from plait.core.parallel import one_blas_thread

__all__ = ["class_centres", "distances_to", "n_centres"]


# Below this share of the squares it is the difference of, a squared distance of sparse rows is taken anew.
_CANCELLED = 1e-6


def n_centres(y: npt.NDArray[np.uint8], ratio: float) -> int:
    """Return the number of clusters of either class, ceil(ratio * rows of the smaller class).

    Examples
    --------
    >>> n_centres(np.array([0, 0, 1] * 11), 0.1), n_centres(np.array([0, 0, 1]), 0.1), n_centres(np.zeros(5), 0.1)
    (2, 1, 0)
    """
    ones = int(np.count_nonzero(y))
    # 0.07 * 100 is a little more than 7.
    return int(np.ceil(round(ratio * min(ones, len(y) - ones), 9)))


def class_centres(X: Any, y: npt.NDArray[np.uint8], ratio: float, seed: int) -> Any:
    """Return the centres of the clusters of the rows with the label, then of those without it, by k-means.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    y : ndarray of uint8, shape (n_samples,)
        Whether a row has the label.
    ratio : float
        Clusters of either class for each row of the smaller class.
    seed : int
        Seed of the centres that k-means starts from.

    Returns
    -------
    centres : ndarray, or CSR matrix where X is sparse, of shape (2 * n_centres, n_features)
        Without rows if the label has one value only.
    """
    m = n_centres(y, ratio)
    if m == 0:
        return X[:0]
    # Threads would add up in another order: the last digits would depend on how many there are.
    with one_blas_thread():
        parts = [_centres(X[np.flatnonzero(y == value)], m, seed) for value in (1, 0)]
    return sparse.vstack(parts, format="csr") if sparse.issparse(X) else np.vstack(parts)


def _centres(rows: Any, n_clusters: int, seed: int) -> Any:
    with warnings.catch_warnings():
        # Copies of rows may leave fewer different centres than asked for: then a centre comes twice.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(n_clusters, n_init=1, random_state=seed).fit(rows)
    return sparse.csr_matrix(found.cluster_centers_) if sparse.issparse(rows) else found.cluster_centers_


def distances_to(centres: Any, X: Any) -> Floats:
    """Return the Euclidean distances of rows to centres, (n_samples, n_centres); a column of zeros without centres.

    Examples
    --------
    >>> distances_to(np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[5., 4.]])
    """
    if centres.shape[0] == 0:
        return np.zeros((X.shape[0], 1))
    if not sparse.issparse(X):
        return np.asarray(cdist(X, centres.toarray() if sparse.issparse(centres) else centres))
    return np.sqrt(_sparse_squares(centres, X))


def _sparse_squares(centres: Any, X: Any) -> Floats:
    """Return squared distances as |x|^2 - 2 x.c + |c|^2; where they nearly cancel, as sums of squared differences."""
    crossed = X @ centres.T
    crossed = crossed.toarray() if sparse.issparse(crossed) else np.asarray(crossed)
    sizes = _squared_sizes(X)[:, None] + _squared_sizes(centres)
    squares = np.asarray(sizes - 2.0 * crossed, dtype=np.float64)
    for row, centre in np.argwhere(squares <= _CANCELLED * sizes):
        apart = X[[row]] - centres[[centre]]
        squares[row, centre] = np.sum(np.square(apart.data if sparse.issparse(apart) else np.asarray(apart)))
    return squares


def _squared_sizes(rows: Any) -> Floats:
    return np.asarray(rows.multiply(rows).sum(axis=1) if sparse.issparse(rows) else np.square(rows).sum(axis=1)).ravel()
