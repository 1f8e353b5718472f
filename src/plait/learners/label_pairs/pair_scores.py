"""`PairScores`: log-likelihoods and conditional information of all pairs, summed over rows and splits."""

import math

import numpy as np
from scipy.special import expit

from plait.core.arrays import Array, Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import EPSILON, log_sigmoid
from plait.learners.label_pairs.pair_fits import PairFits, TargetPairs
from plait.learners.training.problem import Problem

__all__ = ["PairScores", "plain_logs", "plain_pair_scores"]

_kernels = lazy_module("plait.learners.label_pairs._score_kernels")

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
        logs = _kernels.logistic_logs if fits.compiled else plain_logs
        for found, row in zip(self.alone, fits.alone.base_scores(scored.X).T, strict=True):
            logs(np.ascontiguousarray(row), 0.0, MOST_SCORE, found)
        right = np.where(self.labels > 0, self.alone[:, 1], self.alone[:, 2])
        self.log_likelihood_alone = (self.weights * right).sum(axis=1)
        scores.log_likelihood_alone += self.log_likelihood_alone
        scores.log_likelihood += self.log_likelihood_alone
        scores._mass += self.weights.sum(axis=1)

    def add(self, pairs: TargetPairs) -> None:
        """Add the pairs of one target."""
        matrix = self.fits.matrix(self.scored.X, pairs.group, pairs.coefficients.dtype)
        found, i = np.zeros((pairs.parents.size, 2)), pairs.target
        score = _kernels.score_pairs if self.fits.compiled else plain_pair_scores
        score(
            matrix.scores(pairs.coefficients[:, :-1]),
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


def plain_logs(scores: Array, shift: Array | float, most: float, out: Floats) -> None:
    """Fill out[0], out[1], out[2] with p, log p and log(1 - p) of scores + shift, kept between -most and most."""
    z = np.clip(np.asarray(scores, dtype=np.float64) + shift, -most, most)
    out[0], out[1], out[2] = expit(z), log_sigmoid(z), log_sigmoid(-z)


def plain_pair_scores(
    without: Array,
    coefficient: Floats,
    parent: Ints,
    labels: Floats,
    target: int,
    weight: Floats,
    alone: Floats,
    most: float,
    consistent: bool,
    found: Floats,
) -> None:
    """Add to found[j] the weighted sums over rows of log P(y_i | x, y_j) and of the information of the pair [PACC 13].

    `without[j]` are the scores of label i where its parent is 0; `alone[k]` are p, log p and log(1 - p) of label k
    without parents.
    """
    off, on = np.empty((3, *without.shape)), np.empty((3, *without.shape))
    plain_logs(without, 0.0, most, off)
    plain_logs(without, coefficient[:, None], most, on)
    share, given, y = alone[parent, 0], labels[parent], labels[target]
    base = alone[target][:, None]
    if consistent:
        mean = share * on[0] + (1.0 - share) * off[0]
        base = np.stack([mean, np.log(mean), np.log1p(-mean)])
    is_one, is_zero = np.where(given > 0, on[1], off[1]), np.where(given > 0, on[2], off[2])
    up = on[0] * (on[1] - base[1]) + (1.0 - on[0]) * (on[2] - base[2])
    down = off[0] * (off[1] - base[1]) + (1.0 - off[0]) * (off[2] - base[2])
    found[:, 0] += np.where(y > 0, is_one, is_zero) @ weight
    found[:, 1] += (share * up + (1.0 - share) * down) @ weight


def _columns(weights: Floats) -> Floats:
    return weights if weights.ndim == 2 else weights[:, None]
