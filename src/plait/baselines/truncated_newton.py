"""Newton's method with conjugate gradients for a smooth convex problem, to the last digits."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from plait.core.arrays import Floats

__all__ = ["ConvexProblem", "Minimum", "minimize_convex"]


_MOST_PRODUCTS = 500
_HALVINGS = 40
_SLOPE = 1e-4
# Objectives that differ by less than this share are equal up to rounding.
_ROUNDING = 1e-13


class ConvexProblem(Protocol):
    """What is minimised: the objective with gradient and curvature, and second derivatives in a direction."""

    def objective(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Return the objective, its gradient, and what `along` needs."""

    def along(self, curvature: Floats, direction: Floats) -> Floats:
        """Return the second derivatives times a direction."""

    def diagonal(self, curvature: Floats) -> Floats:
        """Return the diagonal of the second derivatives."""


class Minimum(NamedTuple):
    """Where the search ended: the point, the objective, the gradient's length, the steps, and whether it got there."""

    theta: Floats
    value: float
    gradient_norm: float
    n_iter: int
    converged: bool


def minimize_convex(problem: ConvexProblem, start: Floats, tol: float, max_iter: int) -> Minimum:
    """Return the minimum: the gradient is at most `tol` times as long as at zero, or rounding stops the search.

    Parameters
    ----------
    problem : ConvexProblem
        Convex, twice differentiable.
    start : ndarray of float64
        Where to start.
    tol : float
        How much shorter than at zero the gradient must get.
    max_iter : int
        Most Newton steps.
    """
    first = float(np.linalg.norm(problem.objective(np.zeros_like(start))[1]))
    goal = tol * first
    theta, (value, gradient, curvature) = start, problem.objective(start)
    for n_iter in range(max_iter):
        norm = float(np.linalg.norm(gradient))
        if norm <= goal:
            return Minimum(theta, value, norm, n_iter, True)
        # The closer the end, the more exact the step; the last one goes a little below the goal.
        enough = max(norm * min(0.1, np.sqrt(norm / first)), 0.1 * goal) if first > 0.0 else 0.1 * norm
        step = _newton_step(problem, curvature, gradient, enough)
        found = _moved(problem, theta, value, gradient, step)
        if found is None:
            # No step lowers the objective or the gradient any more: this is as far as rounding lets us go.
            return Minimum(theta, value, norm, n_iter, norm <= 1e3 * goal)
        theta, (value, gradient, curvature) = found
    norm = float(np.linalg.norm(gradient))
    return Minimum(theta, value, norm, max_iter, norm <= goal)


def _newton_step(problem: ConvexProblem, curvature: Floats, gradient: Floats, enough: float) -> Floats:
    """Return about minus the inverse second derivatives times the gradient, by preconditioned conjugate gradients."""
    scale = 1.0 / np.maximum(problem.diagonal(curvature), 1e-300)
    step, residual = np.zeros_like(gradient), -gradient
    scaled = scale * residual
    direction, product = scaled, float(residual @ scaled)
    for _ in range(_MOST_PRODUCTS):
        if np.linalg.norm(residual) <= enough:
            break
        image = problem.along(curvature, direction)
        size = product / float(direction @ image)
        step = step + size * direction
        residual = residual - size * image
        scaled = scale * residual
        product, before = float(residual @ scaled), product
        direction = scaled + (product / before) * direction
    return step


def _moved(problem: ConvexProblem, theta: Floats, value: float, gradient: Floats, step: Floats) -> Any:
    """Return the new point and what is known there, or None where no step along the direction helps."""
    slope, norm, share = float(gradient @ step), float(np.linalg.norm(gradient)), 1.0
    for _ in range(_HALVINGS):
        point = theta + share * step
        found = problem.objective(point)
        lower = found[0] <= value + _SLOPE * share * slope
        equal = abs(found[0] - value) <= _ROUNDING * abs(value)
        if (lower and not equal) or (equal and np.linalg.norm(found[1]) < 0.5 * norm):
            return point, found
        if equal:
            return None
        share *= 0.5
    return None
