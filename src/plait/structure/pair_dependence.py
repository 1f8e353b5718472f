"""`PairDependence`: how well each label is predicted from the features alone and with each other label."""

from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Floats

__all__ = ["PairDependence"]


@dataclass(frozen=True, eq=False)
class PairDependence:
    """What a learner found about every ordered pair of labels; conditional trees and polytrees are built from it.

    Entry [j, i] of a matrix speaks of label i predicted with the help of label j. On the diagonal stands what is
    known of label i without any other label.

    Parameters
    ----------
    log_likelihood : ndarray of float64, shape (n_labels, n_labels)
        [j, i] is the weighted sum of log P(y_i | x, y_j) over the scored rows, W[j -> i] of [MC 11]; natural logs.
    log_likelihood_alone : ndarray of float64, shape (n_labels,)
        The weighted sum of log P(y_i | x), W[phi -> i] of [MC 11].
    directed_information : ndarray of float64, shape (n_labels, n_labels)
        [j, i] estimates I(Y_i; Y_j | X) in nats from P(y_i | x), P(y_j | x) and P(y_i | x, y_j) [PACC 13], the
        mean over the scored rows. The three models are trained apart, so it can be slightly negative and
        differs from [i, j].
    n_held_out : int
        Number of rows that were scored by models which had not seen them; 0 if the training rows were scored.
    coef : ndarray of float64, shape (n_labels, n_labels, n_features), or None
        [j, i] are the coefficients of the features in P(y_i | x, y_j), trained on all rows; only if asked for.
    parent_coef : ndarray of float64, shape (n_labels, n_labels), or None
        [j, i] is the coefficient of y_j in P(y_i | x, y_j); 0 on the diagonal.
    intercept : ndarray of float64, shape (n_labels, n_labels), or None
        Intercepts.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> likelihood, directed = np.array([[-3.0, -1.0], [-2.0, -4.0]]), np.array([[0.0, 0.3], [-0.1, 0.0]])
    >>> found = PairDependence(likelihood, np.diagonal(likelihood), directed, n_held_out=5)
    >>> found.conditional_information
    array([[0. , 0.1],
           [0.1, 0. ]])
    """

    log_likelihood: Floats
    log_likelihood_alone: Floats
    directed_information: Floats
    n_held_out: int
    coef: Floats | None = None
    parent_coef: Floats | None = None
    intercept: Floats | None = None

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.log_likelihood_alone.shape[0])

    @property
    def conditional_information(self) -> Floats:
        """I(Y_i; Y_j | X) in nats (n_labels, n_labels): the mean of both directions, at least 0; 0 on the diagonal."""
        both = (self.directed_information + self.directed_information.T) / 2.0
        return np.maximum(both, 0.0)

    def __repr__(self) -> str:
        scored = f"{self.n_held_out} rows held out" if self.n_held_out else "training rows scored"
        return f"PairDependence({self.n_labels} labels, {scored})"
