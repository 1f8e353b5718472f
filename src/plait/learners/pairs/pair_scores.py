"""`PairScores`: log-likelihoods and conditional information of all pairs, summed over rows and splits."""

import math

import numpy as np

from plait.core.arrays import Floats
from plait.core.logspace import EPSILON
from plait.learners.pairs._pair_kernels import logistic_logs, score_pairs
from plait.learners.pairs.pair_fits import PairFits, TargetPairs
from plait.learners.training.problem import Problem

__all__ = ["PairScores"]


# Probabilities are kept within [EPSILON, 1 - EPSILON] by keeping scores within these bounds.
MOST_SCORE = math.log1p(-EPSILON) - math.log(EPSILON)


class PairScores:
    """Sums over scored rows; entry [j, i] belongs to label i with the help of label j.

    Parameters
    ----------
    n_labels : int
        Number of labels.
    consistent : bool
        Whether the information of a pair compares P(y_i | x, y_j) with its own mean over y_j, which makes it a true
        mutual information, or with P(y_i | x), which is trained apart [PACC 13].
    """

    def __init__(self, n_labels: int, consistent: bool) -> None:
        self.consistent = consistent
        self.log_likelihood = np.zeros((n_labels, n_labels))
        self.log_likelihood_alone = np.zeros(n_labels)
        self._information = np.zeros((n_labels, n_labels))
        self._mass = np.zeros(n_labels)

    @property
    def directed_information(self) -> Floats:
        """The weighted mean over rows; 0 where no row weighs anything."""
        return np.divide(self._information, self._mass, out=np.zeros_like(self._information), where=self._mass > 0)

    def scorer(self, fits: PairFits, scored: Problem) -> "Scorer":
        """Add what the fits of single labels say of the scored rows, and return what takes the pairs."""
        return Scorer(self, fits, scored)


class Scorer:
    """Scores the pairs of one split.

    A pair that has no fit, as one of its labels is constant in training, counts as the fit without the parent.
    """

    def __init__(self, scores: PairScores, fits: PairFits, scored: Problem) -> None:
        self.scores, self.fits, self.scored = scores, fits, scored
        self.labels = np.ascontiguousarray(scored.Y.T, dtype=np.float64)
        weights = 1.0 if scored.weights is None else _columns(scored.weights)
        self.weights = np.ascontiguousarray(np.broadcast_to(weights, scored.Y.shape).T)
        self.alone = np.empty((scored.n_labels, 3, scored.Y.shape[0]))
        for found, row in zip(self.alone, fits.alone.base_scores(scored.X).T, strict=True):
            logistic_logs(np.ascontiguousarray(row), 0.0, MOST_SCORE, found)
        right = np.where(self.labels > 0, self.alone[:, 1], self.alone[:, 2])
        self.log_likelihood_alone = (self.weights * right).sum(axis=1)
        scores.log_likelihood_alone += self.log_likelihood_alone
        scores.log_likelihood += self.log_likelihood_alone
        scores._mass += self.weights.sum(axis=1)

    def add(self, pairs: TargetPairs) -> None:
        """Add the pairs of one target."""
        design = self.fits.design(self.scored.X, pairs.group, pairs.coefficients.dtype)
        found, i = np.zeros((pairs.parents.size, 2)), pairs.target
        score_pairs(
            design.scores(pairs.coefficients[:, :-1]),
            pairs.coefficients[:, -1].astype(np.float64),
            pairs.parents,
            self.labels,
            i,
            self.weights[i],
            self.alone,
            MOST_SCORE,
            self.scores.consistent,
            found,
        )
        self.scores.log_likelihood[pairs.parents, i] += found[:, 0] - self.log_likelihood_alone[i]
        self.scores._information[pairs.parents, i] += found[:, 1]


def _columns(weights: Floats) -> Floats:
    return weights if weights.ndim == 2 else weights[:, None]
