"""`Rank`: pairs of a relevant and an irrelevant label that stand in the wrong order."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Array, Bools, Floats
from plait.core.checks import Boolean, Constraint, check_parameters
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.inference import LabelSupport
from plait.losses.loss import Loss, checked_pair, set_sizes, sole_vectors
from plait.losses.overlap import row_sums

__all__ = ["Rank", "wrong_pairs"]

_kernels = lazy_module("plait.losses._kernels")

# Pairs of scores from which kernels count them: plainly compared, so many take 50 ms. Both ways count exactly.
_COMPARISONS = 1 << 24
# Comparisons that are held at the same time (1 MiB each).
_ENTRIES = 1 << 20


class Rank(Loss):
    """Pairs (i relevant, j irrelevant) with `score i < score j`, equal scores counting one half.

    The decision is a matrix of scores, not of labels: sorting by the marginals has the least expected number of pairs,
    and sorting by `E[w(y) y_i]`, `w = 1 / (s (n_labels - s))`, the least expected share of pairs.

    Parameters
    ----------
    normalized : bool, default=True
        Whether the number of wrong pairs is divided by the number of pairs of the row, `s(y) (n_labels - s(y))`. A row
        without pairs has loss 0.

    Examples
    --------
    >>> Rank().value([[1, 0, 0, 0]], [[0.5, 0.9, 0.5, 0.1]])
    array([0.5])
    >>> Rank(normalized=False).value([[1, 0, 0, 0]], [[0.5, 0.9, 0.5, 0.1]])
    array([1.5])
    """

    answer: ClassVar[str] = "scores"
    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"normalized": (Boolean(),)}

    def __init__(self, normalized: bool = True) -> None:
        self.normalized = normalized

    @property
    def wanted(self) -> str:  # type: ignore[override]
        """Marginals suffice for the number of pairs; their share needs the distribution."""
        return "distribution" if self.normalized else "marginals"

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row; `Y_pred` holds scores."""
        check_parameters(self)
        true, scores = checked_pair("Rank", Y, Y_pred)
        wrong, pairs = wrong_pairs(true == 1, scores)
        return np.divide(wrong, pairs, out=np.zeros_like(wrong), where=pairs > 0) if self.normalized else wrong

    def decide(self, support: LabelSupport) -> Floats:
        """Return scores with the least expected loss of every row, the larger the more relevant: float64."""
        check_parameters(self)
        sole = sole_vectors(support)
        if sole is not None:
            return sole.astype(np.float64)
        # A search that knows the marginals tells more by them than by the few vectors it found.
        if not self.normalized or (support.kind == "modes" and support.marginals is not None):
            return support.marginal_estimate().copy()
        return support.weighted_sum(support.weights() * self._pair_weights(support))

    def _pair_weights(self, support: LabelSupport) -> Floats:
        """Return w(y) of every vector, 0 where all or no labels are relevant; (n_rows or 1, n_vectors)."""
        shared = support.shared_vectors()
        sizes = set_sizes(support.vectors if shared is None else shared[None])
        pairs = sizes * (support.n_labels - sizes)
        return np.asarray(np.divide(1.0, pairs, out=np.zeros_like(pairs), where=pairs > 0))


def wrong_pairs(relevant: Array, scores: Array, tie: float = 0.5) -> tuple[Floats, Floats]:
    """Return for every row how many pairs (relevant, irrelevant) stand in the wrong order, and how many there are.

    Parameters
    ----------
    relevant : ndarray of bool or 0/1, shape (n_rows, n_labels)
        Which labels are relevant.
    scores : ndarray of shape (n_rows, n_labels)
        The larger the more relevant; infinite ones are legal.
    tie : float, default=0.5
        What a pair of equal scores counts.

    Examples
    --------
    >>> wrong_pairs(np.array([[True, False, False]]), np.array([[0.5, 0.9, 0.5]]), tie=1.0)
    (array([2.]), array([2.]))
    """
    n_relevant = row_sums(relevant)
    pairs = n_relevant * (relevant.shape[1] - n_relevant)
    table = scores if scores.dtype in (np.float32, np.float64) else scores.astype(np.float64)
    if kernels_pay(float(n_relevant.sum()) * relevant.shape[1], _COMPARISONS):
        wrong, right = np.empty((2, len(scores)))
        _kernels.ordered_pairs(np.ascontiguousarray(relevant, dtype=np.bool_), table, wrong, right)
    else:
        wrong, right = _ordered_pairs(relevant.astype(np.bool_), table)
    return wrong + tie * (pairs - wrong - right), pairs


def _ordered_pairs(relevant: Bools, scores: Array) -> tuple[Floats, Floats]:
    """Return for every row how many pairs have the relevant label below the irrelevant one, and how many above it."""
    rows, labels = np.nonzero(relevant)
    found = np.zeros((2, len(scores)))
    step = max(1, _ENTRIES // max(1, scores.shape[1]))
    for start in range(0, len(rows), step):
        here = rows[start : start + step]
        own, others, irrelevant = scores[here, labels[start : start + step], None], scores[here], ~relevant[here]
        for place, ordered in enumerate((own < others, own > others)):
            found[place] += np.bincount(here, weights=row_sums(ordered & irrelevant), minlength=len(scores))
    return found[0], found[1]
