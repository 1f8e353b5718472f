"""Log-losses of rows held out, and how far they can be wrong when a fit was not solved to the end.

A fit that minimises F(w) = losses + w' P w / 2 and stopped where F is at most `gap` above its least value is at most
sqrt(2 gap) away from the solution in the norm of P, as F is strongly convex. The losses L of other rows are convex, so
those of the solution are at least L(w) - ||grad L(w)|| sqrt(2 gap), in the norm of the inverse of P.
"""

import numpy as np
from scipy.special import expit

from plait.core.arrays import Array, Floats, Ints
from plait.core.logspace import clip_probability
from plait.learners.pairs.pair_designs import PairDesign

__all__ = ["HeldOutLosses"]


class HeldOutLosses:
    """Judges fits of labels by rows held out.

    Parameters
    ----------
    design : PairDesign
        The rows as the fits see them, without a column for the intercept.
    labels : ndarray of 0 and 1, shape (n_labels, n_samples)
        Their labels.
    weights : ndarray of shape (n_labels or 1, n_samples)
        Their weights.
    means : ndarray of shape (size,)
        Means of the columns of the training rows: the intercept goes along with them.
    """

    def __init__(self, design: PairDesign, labels: Array, weights: Floats, means: Floats) -> None:
        self._design, self._labels, self._weights, self._means = design, labels, weights, means

    def judge(self, coef: Floats, intercept: Floats, labels: Ints, inverse: Array) -> tuple[Floats, Floats]:
        """Return the losses of fits, summed over rows, and the norms of their gradients.

        Row r of `coef` and `intercept` belongs to label `labels[r]`; `inverse` (1 or n_rows, size) is the inverse of
        P, zero where a fit may not use a column.
        """
        y = self._labels[labels]
        weights = self._weights if len(self._weights) == 1 else self._weights[labels]
        p = expit(self._design.scores(coef) + intercept[:, None])
        right = clip_probability(np.where(y == 1, p, 1.0 - p))
        residual = weights * (p - y)
        gradient = self._design.gradients(residual) - residual.sum(axis=1)[:, None] * self._means
        return -(weights * np.log(right)).sum(axis=1), np.sqrt((gradient**2 * inverse).sum(axis=1))
