"""ReliefF: a good feature differs between near rows of other classes, not between those of the same [Kononenko1994]."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.metrics import pairwise_distances_chunked

from plait.core.arrays import Ints
from plait.core.progress_bar import progress
from plait.features._relief_kernels import add_differences_dense, add_differences_sparse, nearest_by_class
from plait.features.whole_differences import WholeDifferences

__all__ = ["relieff_weights"]


# MiB of distances held at one time.
_WORKING_MEMORY = 64


def relieff_weights(
    differences: WholeDifferences, classes: Ints, rows: Ints, n_neighbors: int, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return the ReliefF weight of every column.

    For each sampled row: minus the mean difference to its nearest rows of the same class, plus, for each other class
    c, P(c) / (1 - P(own class)) times the mean difference to its nearest rows of class c; averaged over sampled rows.

    Parameters
    ----------
    differences : WholeDifferences
        The rows; neighbours are those with the smallest sum of differences, ties by row index.
    classes : ndarray of int
        Class of each row, from 0.
    rows : ndarray of int
        Which rows are sampled.
    n_neighbors : int
        Neighbours from each class; where a class has fewer, those it has.
    n_jobs : int, optional
        Threads for the distances; the weights are the same for any number.
    """
    values = differences.values
    priors = np.bincount(classes) / classes.size
    parts = np.zeros(values.shape[1])
    nearest = np.empty((priors.size, n_neighbors))
    chunks = pairwise_distances_chunked(
        values[rows], values, metric="manhattan", n_jobs=n_jobs, working_memory=_WORKING_MEMORY
    )
    first = 0
    for distances in progress(chunks, "ReliefF, blocks of rows"):
        own = rows[first : first + distances.shape[0]]
        neighbours = np.empty((own.size, priors.size, n_neighbors), dtype=np.int64)
        nearest_by_class(distances, own, classes, neighbours, nearest)
        _add(values, own, classes, priors, neighbours, parts)
        first += own.size
    weights = np.bincount(differences.owner, weights=parts, minlength=differences.owner.max(initial=-1) + 1)
    return weights / (differences.unit * max(rows.size, 1))


def _add(values: Any, own: Ints, classes: Ints, priors: Any, neighbours: Ints, parts: Any) -> None:
    if sparse.issparse(values):
        add_differences_sparse(values.indptr, values.indices, values.data, own, classes, priors, neighbours, parts)
    else:
        add_differences_dense(np.ascontiguousarray(values), own, classes, priors, neighbours, parts)
