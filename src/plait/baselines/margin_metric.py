"""The metric of label vectors with the largest margins: the encoding problem of output coding, by cutting planes."""

from typing import NamedTuple

import numpy as np

from plait.baselines.bundle_step import bundle_minimum
from plait.baselines.margin_violations import MarginViolations
from plait.core.arrays import Floats
from plait.core.parallel import one_blas_thread

__all__ = ["MarginMetric", "learned_metric"]


# A step that falls by a tenth of what the bounds promised is taken, and by a half makes the next reach longer.
_GOOD, _VERY_GOOD, _STRETCH = 0.1, 0.5, 1.5
_FIRST_REACH, _LEAST_REACH = 10.0, 1e-3
_UNUSED = 1e-8


class MarginMetric(NamedTuple):
    """What was found: Q, the objective there, a number that no objective is below, cuts, and whether it got there."""

    metric: Floats
    objective: float
    lower_bound: float
    n_cuts: int
    converged: bool


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
