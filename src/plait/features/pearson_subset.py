"""Correlation-based feature subset for all labels together, by Pearson correlations [Jungjit2013]."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from plait.core.arrays import Bools, Floats
from plait.core.checks import Nothing
from plait.core.ties import TIE_TOLERANCE, first_best
from plait.core.unknown_labels import has_unknown
from plait.features.engine.columns import as_numbers, column_bounds
from plait.features.engine.merit_search import subset_merit
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import Selector
from plait.structure import LabelGraph

__all__ = ["PearsonSubset"]


class PearsonSubset(Selector):
    """Multi-label CFS of Jungjit et al.: few features that go with the labels and not with each other.

    Hill climbing from the empty set on the CFS merit, with the mean |Pearson correlation| over features and labels,
    and over pairs of features. Use it for numeric features with linear effects when one small set shall serve all
    labels; it needs no discretisation. SCLS compares it under the name MLCFS.

    Parameters
    ----------
    n_features : int, float, "sqrt" or None, default=None
        None: climb until no feature raises the merit. Otherwise climb to this size, whether the merit rises or not.

    Attributes
    ----------
    scores_ : ndarray
        The merit of the set after each addition.

    References
    ----------
    [Jungjit2013] Jungjit, Michaelis, Freitas and Cinatl: Two extensions to multi-label correlation-based feature
    selection: a case study in bioinformatics, 2013.

    Examples
    --------
    >>> X = np.array([[0.0, 0.1, 5.0], [1.0, 1.2, 5.0], [0.0, 0.0, 5.0], [1.0, 0.9, 4.0]])
    >>> Y = np.array([[0, 0], [1, 1], [0, 0], [1, 1]])
    >>> PearsonSubset().fit(X, Y).ranking_
    array([0])
    """

    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {"n_features": (*SIZE_RULES, Nothing())}

    def __init__(self, n_features: Any = None) -> None:
        self.n_features = n_features

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        correlations = Correlations.of(as_numbers(type(self).__name__, X))
        wanted = None if self.n_features is None else n_wanted(self.n_features, *X.shape)
        self._warn_if_fewer(int(correlations.varies.sum()), wanted or 1)
        ranking, merits = _climb(correlations, correlations.mean_with_labels(Y), wanted)
        return FeatureMask.shared(ranking, merits, Y.shape[1], X.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def _climb(correlations: "Correlations", relevance: Floats, wanted: int | None) -> tuple[list[int], list[float]]:
    """Add the best feature again and again: until `wanted` are there, or until the merit rises no more."""
    left = correlations.varies.copy()
    among_left = np.zeros(left.size)  # sum of correlations of each feature with those chosen
    to_target = among = 0.0
    ranking: list[int] = []
    merits: list[float] = []
    while left.any() and (wanted is None or len(ranking) < wanted):
        scores = subset_merit(to_target + relevance, among + among_left, len(ranking) + 1)
        best = first_best(np.where(left, scores, -np.inf))
        if wanted is None and ranking and scores[best] <= merits[-1] + TIE_TOLERANCE:
            break
        to_target, among = to_target + relevance[best], among + among_left[best]
        among_left += correlations.with_feature(best)
        left[best] = False
        ranking.append(best)
        merits.append(float(scores[best]))
    return ranking, merits


# Cells of centred labels held at one time (32 MiB).
_MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Correlations:
    """What correlations with the columns of a matrix are made from.

    Parameters
    ----------
    values : ndarray or CSR matrix
        The columns, scaled by powers of two so that squares stay finite; centred where they hold no zeros.
    means : ndarray
        Mean of each column of `values`, still to be taken off.
    norms : ndarray
        Length of each centred column, infinite for a column that does not vary, whose correlations are 0.
    """

    values: Any
    means: Floats
    norms: Floats

    @classmethod
    def of(cls, X: Any) -> "Correlations":
        """Prepare a matrix of numbers, dense or CSR."""
        low, high = column_bounds(X)
        scales = np.ldexp(1.0, -np.frexp(np.maximum(np.abs(low), np.abs(high)))[1])
        if sparse.issparse(X):
            values = X.copy()
            values.data *= scales[values.indices]
            means = _shifted_means(values)
            norms = _sparse_norms(values, means)
        else:
            values = X * scales
            values -= values.mean(axis=0)
            means = np.zeros(X.shape[1])
            norms = np.linalg.norm(values, axis=0)
        return cls(values, means, np.where(high > low, norms, np.inf))

    @property
    def varies(self) -> Bools:
        """Which columns hold more than one value."""
        return np.isfinite(self.norms)

    def with_feature(self, column: int) -> Floats:
        """Return |r| of every column with one of them."""
        picked = self.values[:, [column]]
        centred = (picked.toarray() if sparse.issparse(picked) else picked).ravel() - self.means[column]
        return np.abs(self.values.T @ (centred / self.norms[column])) / self.norms

    def mean_with_labels(self, Y: Any) -> Floats:
        """Return the mean |r| of every column with the labels; a label that does not vary counts as 0."""
        n_rows, n_labels = Y.shape
        step = max(_MOST_CELLS // max(n_rows, 1), 1)
        if has_unknown(Y):
            parts = (self._with_known(Y[:, first : first + step]) for first in range(0, n_labels, step))
            return np.asarray(sum(parts, np.zeros(self.norms.size)) / max(n_labels, 1))
        total = np.zeros(self.norms.size)
        for first in range(0, n_labels, step):
            block = Y[:, first : first + step]
            labels = (block.toarray() if sparse.issparse(block) else block).astype(np.float64)
            varies = labels.max(axis=0) > labels.min(axis=0)
            labels -= labels.mean(axis=0)
            labels /= np.where(varies, np.linalg.norm(labels, axis=0), np.inf)
            total += np.abs(self.values.T @ labels).sum(axis=1)
        return total / (self.norms * max(n_labels, 1))

    def _with_known(self, Y: Any) -> Floats:
        """Return the sum of |r| of every column with each label, in the rows that know it."""
        known, ones = (Y >= 0).astype(np.float64), (Y == 1).astype(np.float64)
        squares = self.values.power(2) if sparse.issparse(self.values) else np.square(self.values)
        n, n_ones = np.maximum(known.sum(axis=0), 1.0), ones.sum(axis=0)
        sums = self.values.T @ known
        together = self.values.T @ ones - sums * (n_ones / n)
        spread = np.maximum(squares.T @ known - np.square(sums) / n, 0.0) * (n_ones - np.square(n_ones) / n)
        # What is left of a column that is constant in these rows is rounding.
        varies = np.isfinite(self.norms)[:, None] & (spread > 1e-12 * (squares.T @ known) * n_ones)
        return np.asarray((np.abs(together) / np.sqrt(np.where(varies, spread, np.inf))).sum(axis=1))


def _shifted_means(values: Any) -> Floats:
    """Centre the columns that hold no zero, in place, and return the means that are left to the others.

    A column without zeros may lie far from 0, where products lose digits; one with zeros varies as much as it is far.
    """
    n_rows, n_columns = values.shape
    means = np.asarray(values.mean(axis=0)).ravel()
    filled = np.bincount(values.indices, minlength=n_columns) == n_rows
    values.data -= np.where(filled, means, 0.0)[values.indices]
    return np.where(filled, 0.0, means)


def _sparse_norms(values: Any, means: Floats) -> Floats:
    """Return the lengths of the centred columns: stored entries one by one, zeros by their number."""
    n_rows, n_columns = values.shape
    squares = np.square(values.data - means[values.indices])
    stored = np.bincount(values.indices, weights=squares, minlength=n_columns)
    n_zeros = n_rows - np.bincount(values.indices, minlength=n_columns)
    return np.sqrt(stored + n_zeros * np.square(means))
