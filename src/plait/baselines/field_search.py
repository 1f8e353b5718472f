"""Marginals, draws and modes of pairwise fields with more labels than can be enumerated: sampling and ascent."""

from typing import Any

import numpy as np

from plait.baselines import _field_kernels as kernels
from plait.baselines.pairwise_distribution import potentials
from plait.core.arrays import Floats, Labels
from plait.core.randomness import generators

__all__ = ["gibbs_sample", "likely_vectors"]


# A tenth of the sweeps that count is left out before them.
_BURNT_SHARE = 0.1
# Annealing: so many sweeps from temperature 1 down to the lowest [MC, section 6.1 has 150 steps].
_COOLING_SWEEPS = 150
_LOWEST_TEMPERATURE = 0.01


def gibbs_sample(
    scores: Floats, pairs: Floats, n_sweeps: int, n_draws: int, random_state: Any
) -> tuple[Floats, Labels]:
    """Return marginals (n_rows, n_labels) and draws (n_rows, n_draws, n_labels) by Gibbs sampling.

    Marginals are means of the conditionals P(y_j = 1 | x, other labels) over the sweeps, which vary less than means of
    what was drawn. All rows see the same random numbers: a row's answer depends on nothing but the row and the seed.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_rows, n_labels)
        What each label adds by itself.
    pairs : ndarray of float64, shape (n_labels, n_labels) or (n_rows, n_labels, n_labels)
        Weights of pairs, symmetric with zeros in the diagonal.
    n_sweeps : int
        Sweeps that count, after a tenth as many that do not.
    n_draws : int
        How many states to keep, evenly spaced; at most `n_sweeps`.
    random_state : int, Generator or None
        Where random numbers come from.

    Examples
    --------
    >>> pairs = np.array([[0.0, 2.0], [2.0, 0.0]])
    >>> marginals, draws = gibbs_sample(np.zeros((1, 2)), pairs, 10_000, 10, random_state=0)
    >>> exact = (1 + np.exp(2)) / (3 + np.exp(2))
    >>> bool(np.abs(marginals - exact).max() < 0.02), draws.shape
    (True, (1, 10, 2))
    """
    n_rows, n_labels = scores.shape
    n_burn = int(np.ceil(_BURNT_SHARE * n_sweeps))
    uniforms = generators(random_state, 1)[0].random((n_burn + n_sweeps, n_labels))
    labels = (scores > 0).astype(np.uint8)
    marginals = np.empty((n_rows, n_labels))
    draws = np.empty((n_rows, n_draws, n_labels), dtype=np.uint8)
    kernels.gibbs_rows(scores, _by_row(pairs), uniforms, n_burn, labels, marginals, draws)
    return marginals, draws


def likely_vectors(scores: Floats, pairs: Floats, starts: list[Labels], random_state: Any) -> Labels:
    """Return the most probable label vector found for every row, (n_rows, n_labels).

    The best of the starts, of the labels that gain by themselves, and of where annealing from these ends, each after an
    ascent by single flips; so no single flip improves it. Of equals the first.

    Parameters
    ----------
    scores, pairs : ndarray of float64
        As for `gibbs_sample`.
    starts : list of ndarray of uint8, shape (n_rows, n_labels)
        Vectors to start from as well.
    random_state : int, Generator or None
        Where random numbers come from, the same for all rows.

    Examples
    --------
    >>> pairs = np.array([[0.0, 3.0], [3.0, 0.0]])  # neither label gains by itself, both do together
    >>> likely_vectors(np.array([[-1.0, -1.0]]), pairs, [], random_state=0)
    array([[1, 1]], dtype=uint8)
    """
    alone = (scores > 0).astype(np.uint8)
    annealed = alone.copy()
    uniforms = generators(random_state, 2)[1].random((_COOLING_SWEEPS, scores.shape[1]))
    coldness = np.geomspace(1.0, 1.0 / _LOWEST_TEMPERATURE, _COOLING_SWEEPS)
    kernels.anneal_rows(scores, _by_row(pairs), uniforms, coldness, annealed)
    found = [vectors.copy() for vectors in (*starts, alone, annealed)]
    for vectors in found:
        kernels.ascend_rows(scores, _by_row(pairs), vectors)
    candidates = np.stack(found, axis=1)
    best = potentials(scores, pairs, candidates).argmax(axis=1)
    return np.ascontiguousarray(candidates[np.arange(len(scores)), best])


def _by_row(pairs: Floats) -> Floats:
    """Return pair weights with a first axis for rows, of length one where all rows share them."""
    return np.ascontiguousarray(pairs if pairs.ndim == 3 else pairs[None])
