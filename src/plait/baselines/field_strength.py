"""The strength of the penalty of a pairwise field, by the held-out likelihood, or pseudo-likelihood for many labels."""

from typing import Any

import numpy as np

from plait.baselines.field_training import trained_field
from plait.baselines.pairwise_distribution import PairwiseDistribution
from plait.baselines.pseudo_likelihood import FieldWeights
from plait.core.arrays import Labels
from plait.learners.strengths.strength_search import STRENGTHS
from plait.learners.strengths.strength_splitting import strength_splits

__all__ = ["held_out_loss", "searched_strength"]


# Good enough to tell strengths apart.
_TOL = 1e-4
# After so many strengths in a row that are worse than the best, weaker penalties are not tried.
_PATIENCE = 2


def searched_strength(
    X: Any,
    Y: Labels,
    sample_weight: Any,
    pair_C: float | None,
    kind: str,
    standardize: bool | str,
    max_iter: int,
    exact: bool,
) -> float:
    """Return the C with the least held-out loss, the smallest of equals; one for all labels.

    C are those of `LogisticLearner(C="cv")` [PCC, section 5.1]. Rows are held out as `strength_splits` says. Penalties
    are tried from the strongest on, and no longer once they only get worse. With a single row nothing can be held out,
    and C is 1.

    Parameters
    ----------
    X, Y, sample_weight, kind, standardize, max_iter
        As for `trained_field`.
    pair_C : float or None
        Strength of the penalty on pairs; None for the same as that of labels.
    exact : bool
        Whether the loss is that of whole label sets, see `held_out_loss`.
    """
    if len(Y) < 2:
        return 1.0
    splits, losses = strength_splits(len(Y)), []
    for C in STRENGTHS.tolist():
        total = 0.0
        for rows, held in splits:
            weights = None if sample_weight is None else sample_weight[rows]
            pairs = C if pair_C is None else pair_C
            field = trained_field(X[rows], Y[rows], weights, C, pairs, kind, standardize, _TOL, max_iter)[0]
            weights = None if sample_weight is None else sample_weight[held]
            total += held_out_loss(field, X[held], Y[held], weights, exact)
        losses.append(total)
        if len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE:
            break
    return float(STRENGTHS[int(np.argmin(losses))])


def held_out_loss(field: FieldWeights, X: Any, Y: Labels, sample_weight: Any, exact: bool) -> float:
    """Return the sum of -log P(y | x) over the rows (exact), or of all -log P(y_j | x, other labels).

    The second one is what training minimises, but where labels nearly follow from each other it is low for fields that
    are far off: P(y | x) is the better judge, if it can be had.

    Examples
    --------
    >>> field = FieldWeights(np.zeros((2, 1)), np.zeros(2), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> X, Y = np.zeros((1, 1)), np.array([[1, 0]], dtype=np.uint8)
    >>> bool(np.isclose(held_out_loss(field, X, Y, None, exact=True), np.log(3 + np.e)))
    True
    >>> bool(np.isclose(held_out_loss(field, X, Y, None, exact=False), np.log(2) + np.log(1 + np.e)))
    True
    """
    scores, pairs = field.scores(X), field.pairs(X)
    if exact:
        losses = -PairwiseDistribution(scores, pairs).log_prob(Y)
    else:
        labels = Y.astype(np.float64)
        scores = scores + (labels @ pairs if pairs.ndim == 2 else np.einsum("ijk,ik->ij", pairs, labels))
        losses = np.logaddexp(0.0, np.where(Y == 1, -scores, scores)).sum(axis=1)
    return float(losses.sum() if sample_weight is None else sample_weight @ losses)
