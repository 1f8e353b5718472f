"""Rows that weigh nothing for any label, left out before anything else looks at them."""

from dataclasses import replace

import numpy as np

from plait.learners.problem import Problem

__all__ = ["weighing_rows"]


def weighing_rows(problem: Problem) -> Problem:
    """Return the problem without the rows whose weight is 0 for every label; one row is left where all weigh 0."""
    if problem.weights is None:
        return problem
    some = problem.weights > 0 if problem.weights.ndim == 1 else (problem.weights > 0).any(axis=1)
    if some.all():
        return problem
    rows = np.flatnonzero(some) if some.any() else np.arange(1)
    return replace(problem, X=problem.X[rows], Y=problem.Y[rows], weights=problem.weights[rows])
