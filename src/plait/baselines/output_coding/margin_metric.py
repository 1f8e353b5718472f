"""The metric of label vectors with the largest margins: the encoding problem of output coding, by cutting planes."""

from typing import NamedTuple

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import one_blas_thread

__all__ = ["MarginMetric", "MarginViolations", "learned_metric", "semidefinite_part"]

_kernels = lazy_module("plait.baselines.foundations._kernels")

# Plain NumPy below so many rows times labels: there a cut takes 7 ms, kernels 1.5 ms after seconds of compilation.
KERNEL_ENTRIES = 1 << 13
# Gains below this are rounding.
_GAIN = 1e-10
_MOST_STEPS = 1000
_CHECKED_EVERY = 10
# Violations closer than this are equal up to rounding.
_EQUAL = 1e-9
# A step that falls by a tenth of what the bounds promised is taken, and by a half makes the next reach longer.
_GOOD, _VERY_GOOD, _STRETCH = 0.1, 0.5, 1.5
_FIRST_REACH, _LEAST_REACH = 10.0, 1e-3
_UNUSED = 1e-8


class Cut(NamedTuple):
    """A linear bound on the mean violation, met at the metric it was made for: <slope, Q> + offset."""

    slope: Floats
    offset: float
    value: float


class MarginViolations:
    """The mean over the rows of how far the worst label vector violates its margin, a convex function of the metric Q.

    For predictions m and true labels y of a row, a vector v should be farther from m than y is, by the number of labels
    in which v and y differ: the violation is |y - v| + (m - y)'Q(m - y) - (m - v)'Q(m - v), at least 0 since v = y.

    Parameters
    ----------
    predictions : ndarray of float64, shape (n_rows, n_labels)
        m.
    Y : ndarray of float64, shape (n_rows, n_labels)
        y.
    weights : ndarray of float64, shape (n_rows,)
        Weights of rows.

    Notes
    -----
    The worst vector is looked for by flips of one or two labels, from the true labels, from the labels that m is
    closest to, and from the last worst vector. What is found is a label vector, so that every cut holds, but there may
    be a worse one.
    """

    def __init__(self, predictions: Floats, Y: Floats, weights: Floats) -> None:
        self.residuals = np.ascontiguousarray(predictions - Y)
        self.signs = np.ascontiguousarray(1.0 - 2.0 * Y)
        self.shares = weights / weights.sum()
        self._rounded = ((predictions > 0.5) != (Y > 0.5)).astype(np.float64)
        self._last = np.zeros_like(self.residuals)

    def cut(self, metric: Floats) -> Cut:
        """Return the bound that is met at this metric, from the worst vector of every row."""
        flips = self._last = self.worst_flips(metric)
        apart = self.residuals - self.signs * flips
        slope = self._scatter(self.residuals) - self._scatter(apart)
        offset = float(self.shares @ flips.sum(axis=1))
        return Cut(slope, offset, float((slope * metric).sum()) + offset)

    def _scatter(self, rows: Floats) -> Floats:
        return (self.shares[:, None] * rows).T @ rows

    def violations(self, metric: Floats, flips: Floats) -> Floats:
        """Return the violation of one vector for every row, given as flips of the true labels."""
        moved = self.signs * flips
        return flips.sum(axis=1) + ((2.0 * self.residuals - moved) @ metric * moved).sum(axis=1)

    def worst_flips(self, metric: Floats) -> Floats:
        """Return the worst vector found for every row, as flips of the true labels."""
        found = [np.zeros_like(self._last), self._rounded.copy(), self._last.copy()]
        flip = _kernels.flip_labels if kernels_pay(self.residuals.size, KERNEL_ENTRIES) else flip_labels
        for flips in found:
            flip(metric, self.residuals, self.signs, flips)
        values = np.stack([self.violations(metric, flips) for flips in found])
        # Of equals, up to rounding, the first: which one it is must not depend on the last digit.
        best = (values >= values.max(axis=0) - _EQUAL).argmax(axis=0)
        return np.stack(found)[best, np.arange(len(best))]


class MarginMetric(NamedTuple):
    """What was found: Q, the objective there, a number that no objective is below, cuts, and whether it got there."""

    metric: Floats
    objective: float
    lower_bound: float
    n_cuts: int
    converged: bool


def flip_labels(metric: Floats, residuals: Floats, signs: Floats, flips: Floats) -> None:
    """Do what the kernel of this name does, a step of all rows at once."""
    first, second = np.tril_indices(len(metric), -1)
    rows = np.arange(len(flips))
    while len(rows):
        ways, s = 1.0 - 2.0 * flips[rows], signs[rows]
        alone = ways * (1.0 + 2.0 * s * ((residuals[rows] - s * flips[rows]) @ metric)) - np.diag(metric)
        best = alone.argmax(axis=1)
        rising = alone.max(axis=1) > _GAIN
        _flip(flips, rows[rising], best[rising])
        stuck = ~rising
        moves = (ways * s)[stuck]
        crossed = moves[:, first] * moves[:, second] * metric[first, second]
        joint = alone[stuck][:, first] + alone[stuck][:, second] - 2.0 * crossed
        helped = joint.max(axis=1, initial=0.0) > _GAIN
        pair = joint.argmax(axis=1) if len(first) else np.zeros(len(joint), dtype=np.int64)
        for ends in (first, second):
            _flip(flips, rows[stuck][helped], ends[pair[helped]])
        rows = np.concatenate([rows[rising], rows[stuck][helped]])


def _flip(flips: Floats, rows: Ints, labels: Ints) -> None:
    flips[rows, labels] = 1.0 - flips[rows, labels]


def learned_metric(violations: MarginViolations, C: float, tol: float, max_cuts: int) -> MarginMetric:
    """Return Q with the least trace(Q) / 2 + C times the mean violation among positive semidefinite matrices.

    Cutting planes, one cut for all rows together, with a centre that keeps steps short (a proximal bundle method): the
    bounds found so far promise a fall of the objective; it ends when they promise less than `tol` times the objective.

    Parameters
    ----------
    violations : MarginViolations
        The rows, and what competes with their labels.
    C : float
        Weight of the violations against the trace.
    tol : float
        The relative fall that is not worth another cut.
    max_cuts : int
        Most cuts.
    """
    with one_blas_thread():
        return _cut_minimum(violations, C, tol, max_cuts)


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


def _cut_minimum(violations: MarginViolations, C: float, tol: float, max_cuts: int) -> MarginMetric:
    n_labels = violations.residuals.shape[1]
    half, centre, reach = 0.5 * np.eye(n_labels), np.eye(n_labels), _FIRST_REACH / C
    first = violations.cut(centre)
    value = 0.5 * n_labels + C * first.value
    # That no vector but the true one competes is a bound as well: no violation is below 0.
    slopes, offsets = np.stack([half, half + C * first.slope]), np.array([0.0, C * first.offset])
    weights, lower = np.array([0.5, 0.5]), 0.0
    promised = value
    for n_cuts in range(1, max_cuts + 1):
        precision = max(0.1 * tol * value, 0.01 * promised)
        step = bundle_minimum(slopes, offsets, centre, reach, weights, precision)
        lower = max(lower, _bound_below(step.weights, slopes, offsets))
        # A later cut may show a violation at the centre that was missed there.
        value = max(value, float((np.tensordot(slopes, centre, axes=2) + offsets).max()))
        promised = value - step.bound
        if promised <= tol * value:
            # A short reach promises little anywhere: only a long one shows that there is nothing left.
            if reach >= _FIRST_REACH / C:
                return MarginMetric(centre, value, lower, n_cuts, True)
            reach, weights = 10.0 * reach, step.weights
            continue
        cut = violations.cut(step.metric)
        found = max(step.bound, 0.5 * float(np.trace(step.metric)) + C * cut.value)
        reach = _next_reach(reach, value - found, promised, _LEAST_REACH / C)
        if value - found >= _GOOD * promised:
            centre, value = step.metric, found
        kept = step.weights > _UNUSED
        kept[0] = True
        slopes = np.concatenate([slopes[kept], [half + C * cut.slope]])
        offsets = np.append(offsets[kept], C * cut.offset)
        weights = np.append(step.weights[kept], 0.0) / step.weights[kept].sum()
    return MarginMetric(centre, value, lower, max_cuts, False)


def _next_reach(reach: float, fall: float, promised: float, least: float) -> float:
    """Return how far the next step may go: farther after a very good one, less far after one that went up."""
    if fall >= _VERY_GOOD * promised:
        return reach * _STRETCH
    return max(reach / _STRETCH, least) if fall < 0 else reach


def _bound_below(weights: Floats, slopes: Floats, offsets: Floats) -> float:
    """Return a number that no objective is below.

    For weights of bounds that leave the mean slope semidefinite, the mean offset is such a number. Slopes are I / 2
    plus those of cuts; where these pull below zero, a share of them is used that does not.
    """
    mean = np.tensordot(weights, slopes, axes=1) - slopes[0]
    least = float(np.linalg.eigvalsh(mean)[0])
    share = 1.0 if least >= -0.5 else -0.5 / least
    return share * float(weights @ offsets)
