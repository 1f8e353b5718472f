"""`Rank`: pairs of a relevant and an irrelevant label that stand in the wrong order."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from plait.core.arrays import Floats
from plait.core.checks import Boolean, Constraint, check_parameters
from plait.inference import LabelSupport
from plait.losses.loss import Loss, checked_pair, set_sizes, sole_vectors

__all__ = ["Rank"]


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
        relevant = set_sizes(true == 1)
        # Ranks ascend, so the sum of those of relevant labels counts the pairs in the right order (Mann and Whitney).
        ranks = rankdata(scores, axis=1) if scores.size else np.zeros(scores.shape)
        right = np.where(true == 1, ranks, 0.0).sum(axis=1) - relevant * (relevant + 1) / 2
        pairs = relevant * (true.shape[1] - relevant)
        wrong = pairs - right
        if not self.normalized:
            return np.asarray(wrong)
        return np.asarray(np.divide(wrong, pairs, out=np.zeros_like(wrong), where=pairs > 0))

    def decide(self, support: LabelSupport) -> npt.NDArray[np.float64]:
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
