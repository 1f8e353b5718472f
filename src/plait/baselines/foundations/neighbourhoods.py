"""`Neighbourhoods`: the nearest training rows of any row, with a rule for ties."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from plait.core.arrays import Floats, Ints
from plait.core.checks import Constraint, Interval, OneOf
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import Threads
from plait.core.progress_bar import progress

__all__ = ["METRIC_RULES", "NEIGHBORS_RULES", "Neighbourhoods", "nearest_rows", "neighbour_label_counts"]

_kernels = lazy_module("plait.baselines.foundations._kernels")

NEIGHBORS_RULES: tuple[Constraint, ...] = (Interval(int, 1, None),)
METRIC_RULES: tuple[Constraint, ...] = (OneOf(("auto", "euclidean", "manhattan", "cosine")),)


# Distances are ties when they differ by less than this share of what their rounding scales with: far more than the
# rounding itself, so that dense, sparse and rotated rows have the same neighbours.
TIE_TOLERANCE = 1e-12
# A tree is worth building for dense rows of at most so many columns (scikit-learn's own rule) and from so many rows on.
TREE_COLUMNS, TREE_ROWS = 15, 2000
# Plain NumPy below so many training rows: there it takes 70 ms for all neighbours of all of them, kernels 10 ms after
# seconds of compilation.
KERNEL_ROWS = 2000
# Bytes of distances held by each thread at one time.
_BLOCK_BYTES = 1 << 24


class Neighbourhoods:
    """The k nearest rows among training rows, as a set: listed by row index, not by distance.

    Let D be the k-th smallest distance of a row. All rows nearer than D are neighbours; the places that are left go
    to rows at distance D, the smallest row index first. Distances that differ by rounding only (1e-12 of squared length
    plus squared distance for Euclidean distances, of the distance for Manhattan ones, of 1 for cosines) are the same.

    Dense rows of few columns are looked up in a tree of scikit-learn's, and those whose last place is tied are looked
    up again by brute force; all others by brute force, where sparse rows are multiplied through lists of the training
    rows that have a column, and never made dense.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Training rows.
    n_neighbors : int
        k; with N <= k training rows, N - 1.
    metric : {"auto", "euclidean", "manhattan", "cosine"}
        The distance. The cosine distance from or to a row of zeros is 1. "auto" is cosine where more than half of all
        values are 0, stored sparse or not, and Euclidean otherwise.
    scale : bool, default=False
        Whether columns are divided by their range (largest minus smallest value) among the training rows; not for the
        cosine, and not where more than half of all values are 0.

    Attributes
    ----------
    k : int
        How many neighbours each row has.
    metric : str
        The distance that is used.

    Examples
    --------
    >>> found = Neighbourhoods(np.array([[0.0], [1.0], [2.0], [9.0]]), n_neighbors=1)
    >>> found.of_training_rows().ravel().tolist()  # row 1 lies between 0 and 2
    [1, 0, 1, 2]
    >>> found.of(np.array([[1.4]])).tolist()
    [[1]]
    """

    def __init__(self, X: Any, n_neighbors: int, metric: str = "euclidean", scale: bool = False) -> None:
        n_values = X.shape[0] * X.shape[1]
        empty = 2 * np.count_nonzero(X.data if sparse.issparse(X) else X) < n_values
        self.metric = metric if metric != "auto" else "cosine" if empty else "euclidean"
        self.k = min(n_neighbors, X.shape[0] - 1)
        scaled = scale and not empty and self.metric != "cosine"
        self._widths: Any = _ranges(X) if scaled else 1.0
        # Otherwise dense takes less memory.
        self._sparse = sparse.issparse(X) and not scaled and 12 * X.nnz < 8 * n_values
        self._origin: Any = 0.0
        if self.metric == "euclidean" and not self._sparse:
            # Far from 0 products lose the digits in which rows differ; distances do not change with the origin.
            self._origin = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        self._rows = self._prepared(X)
        self._lengths = self._squared_lengths(self._rows)
        self._by_column = self._rows.T.tocsr() if self._sparse else None
        self._tree = self._built_tree()

    def of(self, X: Any, n_jobs: int | None = None) -> Ints:
        """Return the neighbours of other rows, (n_samples, k)."""
        return self._found(self._prepared(X), np.full(X.shape[0], -1), n_jobs)

    def of_training_rows(self, n_jobs: int | None = None) -> Ints:
        """Return the neighbours of every training row among the other ones, (n_samples, k)."""
        return self._found(self._rows, np.arange(self._rows.shape[0]), n_jobs)

    def _prepared(self, X: Any) -> Any:
        if self._sparse:
            rows = sparse.csr_matrix(X, dtype=np.float64)
            if not rows.has_canonical_format:
                rows = rows.copy()
                rows.sum_duplicates()
            return normalize(rows) if self.metric == "cosine" else rows
        rows = np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        return normalize(rows) if self.metric == "cosine" else (rows - self._origin) / self._widths

    def _squared_lengths(self, rows: Any) -> Floats:
        # With all lengths 1, also those of rows of zeros, the squared distance is twice the cosine distance.
        return np.ones(rows.shape[0]) if self.metric == "cosine" else np.asarray(row_norms(rows, squared=True))

    def _built_tree(self) -> Any:
        n_rows, n_columns = self._rows.shape
        if (
            self._sparse
            or self.metric == "cosine"
            or n_columns > TREE_COLUMNS
            or n_rows < TREE_ROWS
            or self.k + 2 > n_rows // 2
        ):
            return None
        return NearestNeighbors(algorithm="kd_tree", metric=self.metric).fit(self._rows)

    def _found(self, rows: Any, excluded: Ints, n_jobs: int | None) -> Ints:
        neighbours = np.zeros((rows.shape[0], self.k), dtype=np.int64)
        if neighbours.size == 0:
            return neighbours
        if self._tree is None:
            open_rows = np.arange(rows.shape[0])
        else:
            open_rows = self._looked_up(rows, excluded, neighbours, n_jobs)
        size = max(_BLOCK_BYTES // (8 * self._rows.shape[0]), 16)
        blocks = [open_rows[start : start + size] for start in range(0, open_rows.size, size)]
        with Threads(n_jobs) as threads:
            work = progress(blocks, "neighbours, blocks of rows", len(blocks))
            threads.map(lambda block: self._searched(rows, block, excluded, neighbours), work)
        return neighbours

    def _searched(self, rows: Any, block: Ints, excluded: Ints, neighbours: Ints) -> None:
        """Find the neighbours of a block of rows by brute force."""
        part = rows[block]
        if self.metric == "manhattan":
            scales = np.zeros(block.size)
            distances = pairwise_distances(part, self._rows, metric="manhattan")
        else:
            scales = self._squared_lengths(part)
            distances = self._squared_distances(part, scales)
        found = np.empty((block.size, self.k), dtype=np.int64)
        nearest = _kernels.nearest_rows if kernels_pay(self._rows.shape[0], KERNEL_ROWS) else nearest_rows
        nearest(distances, excluded[block], scales, TIE_TOLERANCE, found)
        neighbours[block] = found

    def _squared_distances(self, part: Any, lengths: Floats) -> Floats:
        """Return |x|^2 + |y|^2 - 2 x.y of a block of rows x, with these squared lengths, and all training rows y."""
        if not kernels_pay(self._rows.shape[0], KERNEL_ROWS):
            # SciPy adds up along the columns of a row, as the kernel does: equal training rows get equal bits.
            products = (part @ self._by_column).toarray() if self._sparse else part @ self._rows.T
            return np.maximum(lengths[:, None] + self._lengths - 2.0 * products, 0.0)
        if self._by_column is None:
            products = np.asarray(part @ self._rows.T)
        else:
            products, by = np.empty((part.shape[0], self._rows.shape[0])), self._by_column
            _kernels.sparse_products(part.indptr, part.indices, part.data, by.indptr, by.indices, by.data, products)
        _kernels.squared_distances(products, lengths, self._lengths)
        return products

    def _looked_up(self, rows: Any, excluded: Ints, neighbours: Ints, n_jobs: int | None) -> Ints:
        """Fill in the neighbours by the tree; return the rows whose last place is tied."""
        tree = self._tree.set_params(n_jobs=n_jobs)
        distances, places = tree.kneighbors(rows, self.k + 2)
        own = places == excluded[:, None]
        # Without itself in the list, a row has as many copies as the list is long: tied, and searched again.
        own[~own.any(axis=1), -1] = True
        distances, places = distances[~own].reshape(-1, self.k + 1), places[~own].reshape(-1, self.k + 1)
        squared = distances**2 if self.metric == "euclidean" else distances
        scales = self._squared_lengths(rows) if self.metric == "euclidean" else 0.0
        neighbours[:] = np.sort(places[:, : self.k], axis=1)
        last = squared[:, self.k - 1]
        return np.flatnonzero(squared[:, self.k] <= last + TIE_TOLERANCE * (scales + last))


def _ranges(X: Any) -> Floats:
    """Return the largest minus the smallest value of each column, 1 where they are equal."""
    low, high = X.min(axis=0), X.max(axis=0)
    widths = np.asarray((high - low).toarray() if sparse.issparse(X) else high - low, dtype=np.float64).ravel()
    return np.where(widths > 0, widths, 1.0)


def neighbour_label_counts(neighbours: Ints, Y: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """Return how many neighbours of each row have each label, (n_samples, n_labels)."""
    counts = np.zeros((neighbours.shape[0], Y.shape[1]), dtype=np.int32)
    for rows in neighbours.T:
        counts += Y[rows]
    return counts


def nearest_rows(distances: Floats, excluded: Ints, scales: Floats, tolerance: float, neighbours: Ints) -> None:
    """Do what the kernel of this name does, all rows at once; sets distances to excluded rows to infinity."""
    k = neighbours.shape[1]
    own = np.flatnonzero(excluded >= 0)
    distances[own, excluded[own]] = np.inf
    last = np.partition(distances, k - 1, axis=1)[:, k - 1]
    slack = tolerance * (scales + last)
    nearer = distances < (last - slack)[:, None]
    tied = (distances <= (last + slack)[:, None]) & ~nearer
    places = k - nearer.sum(axis=1)
    for row in np.flatnonzero(tied.sum(axis=1) > places):
        tied[row, np.flatnonzero(tied[row])[places[row] :]] = False
    neighbours[:] = np.nonzero(nearer | tied)[1].reshape(-1, k)
