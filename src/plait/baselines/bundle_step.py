"""One step of a bundle method over positive semidefinite matrices: the minimum of a few linear bounds near a centre."""

from typing import NamedTuple

import numpy as np

from plait.core.arrays import Floats

__all__ = ["BundleStep", "bundle_minimum", "semidefinite_part", "simplex_point"]


_MOST_STEPS = 1000
_CHECKED_EVERY = 10


class BundleStep(NamedTuple):
    """Where the bounds are least near the centre, the weights of the bounds there, and the greatest bound."""

    metric: Floats
    weights: Floats
    bound: float


def semidefinite_part(matrix: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix to a symmetric one.

    Examples
    --------
    >>> semidefinite_part(np.diag([2.0, -1.0]))
    array([[2., 0.],
           [0., 0.]])
    """
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def simplex_point(point: Floats) -> Floats:
    """Return the nearest point with entries of at least 0 that sum to 1.

    Examples
    --------
    >>> simplex_point(np.array([0.5, 1.5, -3.0]))
    array([0., 1., 0.])
    """
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    return np.maximum(point - excess[last], 0.0)


def bundle_minimum(
    slopes: Floats, offsets: Floats, centre: Floats, reach: float, start: Floats, precision: float
) -> BundleStep:
    """Return the least of max_t <slope_t, Q> + offset_t + |Q - centre|^2 / (2 reach) over semidefinite Q.

    Solved in the weights of the bounds, which sum to 1, by accelerated projected gradients: for weights a, Q is the
    semidefinite part of the centre minus reach times the mean slope.

    Parameters
    ----------
    slopes : ndarray of float64, shape (n_bounds, n, n)
        Symmetric slopes.
    offsets : ndarray of float64, shape (n_bounds,)
        Offsets.
    centre : ndarray of float64, shape (n, n)
        Where the last good point is.
    reach : float
        How far a step may go.
    start : ndarray of float64, shape (n_bounds,)
        Weights to start from.
    precision : float
        The step is found when the bounds that carry weight are so close to the greatest.
    """
    flat = slopes.reshape(len(slopes), -1)

    def metric_at(weights: Floats) -> Floats:
        return semidefinite_part(centre - reach * (weights @ flat).reshape(centre.shape))

    steepness = reach * np.linalg.eigvalsh(flat @ flat.T)[-1] + 1e-300
    weights, ahead, pace = start, start, 1.0
    for step in range(_MOST_STEPS):
        rising = flat @ metric_at(ahead).ravel() + offsets
        found = simplex_point(ahead + rising / steepness)
        if ((ahead - found) * (found - weights)).sum() > 0:
            pace = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * pace**2))
        ahead, weights, pace = found + (pace - 1.0) / faster * (found - weights), found, faster
        if step % _CHECKED_EVERY == 0:
            bounds = flat @ metric_at(weights).ravel() + offsets
            if bounds.max() - weights @ bounds <= precision:
                break
    metric = metric_at(weights)
    return BundleStep(metric, weights, float((flat @ metric.ravel() + offsets).max()))
