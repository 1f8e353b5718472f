"""The most probable vectors of a mixture of polytrees, by a search that proves them."""

import math

import numpy as np
import numpy.typing as npt

from plait.inference._mixture_search_kernels import search_mixtures
from plait.inference.found_vectors import Found
from plait.inference.mixture_tables import tables_in_blocks
from plait.inference.polytree_scores import known_labels
from plait.joint import MixtureDistribution

__all__ = ["search_mixture"]


def search_mixture(
    mixture: MixtureDistribution, n_best: int, most: int, floor: float = -math.inf
) -> tuple[Found, npt.NDArray[np.bool_]]:
    """Return the best vectors of every row, and for which rows `most` nodes were enough.

    Parameters
    ----------
    mixture : MixtureDistribution
        Flat, its components' graphs polytrees.
    n_best : int
        How many vectors are wanted.
    most : int
        Most nodes for each row; each costs the messages of all components, there and back.
    floor : float, default=-inf
        log P of what is not searched for.
    """
    n_rows, n_labels = mixture.n_rows, mixture.n_labels
    n_vectors = int(min(n_best, 2.0 ** min(n_labels, 62)))
    found = Found(
        np.zeros((n_rows, n_vectors, n_labels), dtype=np.uint8),
        np.full((n_rows, n_vectors), -np.inf),
        np.zeros(n_rows, dtype=np.bool_),
        np.zeros(n_rows, dtype=np.int64),
    )
    finished = np.zeros(n_rows, dtype=np.bool_)
    for rows, graphs, logs in tables_in_blocks(mixture):
        search_mixtures(
            graphs,
            mixture.log_weights,
            logs,
            known_labels(mixture.evidence, rows),
            min(most, 2**62),
            floor,
            found.vectors[rows],
            found.log_weights[rows],
            finished[rows],
            found.exact[rows],
            found.n_evaluations[rows],
        )
    return found, finished
