"""Platt scaling: the log-odds that best explain labels by margins, `slope * margin + shift` with slope >= 0."""

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from plait.core.arrays import Floats

__all__ = ["N_FOLDS", "fit_platt", "label_folds", "platt_targets"]


# Margins are calibrated on rows held out in so many folds.
N_FOLDS = 3
MOST_STEPS = 100
# Ends when the predicted decrease is below this share of the total weight.
TOLERANCE = 1e-14


def label_folds(y: npt.NDArray[np.uint8], weights: Floats) -> npt.NDArray[np.int64]:
    """Return the fold of every row: rows of each class are dealt out in turn, those without weight to no fold (-1).

    Examples
    --------
    >>> label_folds(np.array([0, 0, 1, 0, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0]))
    array([ 0,  1,  0, -1,  1,  2])
    """
    folds = np.full(y.size, -1, dtype=np.int64)
    for value in (0, 1):
        rows = np.flatnonzero((y == value) & (weights > 0))
        folds[rows] = np.arange(rows.size) % N_FOLDS
    return folds


def platt_targets(y: npt.NDArray[np.uint8], weights: Floats) -> Floats:
    """Return (n_1 + 1) / (n_1 + 2) for rows that have the label and 1 / (n_0 + 2) for others [Platt1999].

    Targets short of 1 and 0 keep the slope finite where the margins separate the classes.

    Examples
    --------
    >>> platt_targets(np.array([1, 0, 0]), np.ones(3)).round(4)
    array([0.6667, 0.25  , 0.25  ])
    """
    mass_1 = float(weights @ y)
    mass_0 = float(weights.sum()) - mass_1
    return np.where(y == 1, (mass_1 + 1.0) / (mass_1 + 2.0), 1.0 / (mass_0 + 2.0))


def fit_platt(margins: Floats, y: npt.NDArray[np.uint8], weights: Floats) -> tuple[float, float]:
    """Return slope and shift of the log-odds of one label, of least weighted log-loss to Platt's targets.

    The slope is kept at 0 or above. Margins that rank unseen rows worse than chance would ask for a negative one, which
    turns every decision round on the strength of noise; the best slope allowed is then 0, and the probability of every
    row is that of the targets' mean.

    Parameters
    ----------
    margins : ndarray of float64, shape (n_samples,)
        Margins of rows that took no part in their fit.
    y : ndarray of uint8, shape (n_samples,)
        The label.
    weights : ndarray of float64, shape (n_samples,)
        Weights of rows.
    """
    targets = platt_targets(y, weights)
    center, spread = _moments(margins, weights)
    level = float(weights @ targets / weights.sum())
    flat = float(np.log(level) - np.log1p(-level))
    standard = (margins - center) / spread
    # The loss is convex, so the sign of its slope at the best constant tells on which side of 0 the best slope lies.
    if not np.isfinite(spread) or weights @ (standard * (level - targets)) >= 0:
        return 0.0, flat
    slope, shift = _newton(standard, targets, weights, flat)
    return slope / spread, shift - slope * center / spread


def _moments(margins: Floats, weights: Floats) -> tuple[float, float]:
    """Return mean and standard deviation; infinity as the latter where all margins are the same."""
    center = float(weights @ margins / weights.sum())
    spread = float(np.sqrt(weights @ (margins - center) ** 2 / weights.sum()))
    return center, spread if spread > 1e-12 * max(1.0, abs(center)) else np.inf


def _loss(odds: Floats, targets: Floats, weights: Floats) -> float:
    return float(weights @ (np.logaddexp(0.0, odds) - targets * odds))


def _newton(margins: Floats, targets: Floats, weights: Floats, flat: float) -> tuple[float, float]:
    """Return the minimiser by Newton steps, halved until the loss falls enough [Lin2007, algorithm 1]."""
    design = np.column_stack([margins, np.ones_like(margins)])
    found = np.array([0.0, flat])
    loss = _loss(design @ found, targets, weights)
    for _ in range(MOST_STEPS):
        chance = expit(design @ found)
        gradient = design.T @ (weights * (chance - targets))
        curvature = (design.T * (weights * chance * (1.0 - chance))) @ design + 1e-12 * weights.sum() * np.eye(2)
        direction = -np.linalg.solve(curvature, gradient)
        promised = -float(gradient @ direction)
        if promised <= TOLERANCE * weights.sum():
            break
        step = 1.0
        while (new := _loss(design @ (found + step * direction), targets, weights)) > loss - 1e-4 * step * promised:
            step *= 0.5
            if step < 1e-10:
                return float(found[0]), float(found[1])
        found, loss = found + step * direction, new
    return float(found[0]), float(found[1])
