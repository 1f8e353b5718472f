"""Logistic regressions of many labels on a few columns each, by Newton's method, a batch of labels at a time."""

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.parallel import one_blas_thread
from plait.learners.training.problem import constant_labels, constant_scores

__all__ = ["few_column_fits"]

# Bytes of the designs of one batch of labels.
_BATCH = 1 << 26
_MOST_STEPS, _GAP = 50, 1e-8


def few_column_fits(
    own: Floats, others: Floats, places: Ints, Y: Labels, C: float, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Return coefficients (n_labels, m + k) and intercepts of `C * sum_i weight_i log-loss_i + 1/2 ||w||^2`.

    Labels with one value only have no coefficients and the log-odds of their Laplace estimate.

    Parameters
    ----------
    own : ndarray of shape (m, n_samples, n_labels)
        Columns that each label has to itself.
    others : ndarray of shape (n_samples, n_columns)
        Columns of which each label takes some.
    places : ndarray of int, shape (n_labels, k)
        Which of them; -1 for none.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    C : float
        Inverse strength of the penalty, which leaves the intercept alone.
    weights : ndarray of shape (n_samples,), optional
        Weights of rows.
    """
    n_rows, n_labels = Y.shape
    weights = np.ones(n_rows) if weights is None else weights
    mass = np.column_stack([weights @ (1.0 - Y), weights @ Y])
    width = own.shape[0] + places.shape[1]
    coef, intercept = np.zeros((n_labels, width)), constant_scores(mass)
    fitted = np.flatnonzero(~constant_labels(mass))
    padded = np.column_stack([others, np.zeros(n_rows)])  # place -1 is a column of zeros, whose coefficient is 0
    size = max(1, _BATCH // (8 * n_rows * (width + 1)))
    with one_blas_thread():
        for begin in range(0, len(fitted), size):
            some = fitted[begin : begin + size]
            design = np.ones((len(some), n_rows, width + 1))
            design[:, :, : own.shape[0]] = own[:, :, some].transpose(2, 1, 0)
            design[:, :, own.shape[0] : -1] = padded[:, places[some]].transpose(1, 0, 2)
            found = _newton(design, Y[:, some].T.astype(np.float64), C * weights)
            coef[some], intercept[some] = found[:, :-1], found[:, -1]
    return coef, intercept


def _newton(design: Floats, labels: Floats, weights: Floats) -> Floats:
    """Return the minima of a batch, each step halved until it lowers the objective enough."""
    n_labels, _, width = design.shape
    penalty = np.append(np.ones(width - 1), 1e-8)
    found, scores = np.zeros((n_labels, width)), np.zeros(labels.shape)
    value = _objective(scores, found, labels, weights, penalty)
    active = np.arange(n_labels)
    for _ in range(_MOST_STEPS):
        part, chance = design[active], 1.0 / (1.0 + np.exp(-scores[active]))
        gradient = np.matmul(((chance - labels[active]) * weights)[:, None, :], part)[:, 0] + penalty * found[active]
        curvature = (chance * (1.0 - chance) * weights)[:, :, None] * part
        hessian = np.matmul(part.transpose(0, 2, 1), curvature) + np.diag(penalty)
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        slope = (gradient * step).sum(axis=1)
        moved, length = np.matmul(part, step[:, :, None])[:, :, 0], np.ones(len(active))
        for _halving in range(30):
            trial = found[active] + length[:, None] * step, scores[active] + length[:, None] * moved
            after = _objective(trial[1], trial[0], labels[active], weights, penalty)
            short = after > value[active] + 1e-4 * length * slope + 1e-12 * np.abs(value[active])
            if not short.any():
                break
            length[short] /= 2.0
        found[active], scores[active], value[active] = trial[0], trial[1], after
        active = active[-slope > _GAP * (1.0 + np.abs(after))]
        if not len(active):
            break
    return found


def _objective(scores: Floats, found: Floats, labels: Floats, weights: Floats, penalty: Floats) -> Floats:
    losses = np.logaddexp(0.0, scores) - labels * scores
    return np.asarray(losses @ weights + 0.5 * (found**2) @ penalty)
