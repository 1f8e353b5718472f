"""`LinearDistribution`: a product over a graph whose scores are linear in the parents: small matrices, no X."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait.core.arrays import Bits, Floats, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.logspace import log_sigmoid
from plait.joint.counted_draws import KERNELS_FROM, LARGEST_SPREAD, CountedDraws, Sizes, draw_linear
from plait.joint.distribution import Evidence
from plait.joint.graph_distribution import SCORE_LIMIT, GraphDistribution
from plait.learners.linear_conditionals import weights_of_parents
from plait.structure import LabelGraph

__all__ = ["LinearDistribution", "ParentEffects", "ParentLists", "effects_along"]

_kernels = lazy_module("plait.joint._draw_kernels")
_flip_kernels = lazy_module("plait.joint._flip_kernels")


class ParentLists(NamedTuple):
    """The parents of the label at each place, `parents[starts[t] : starts[t + 1]]`, ascending places.

    Parameters
    ----------
    starts, parents : ndarray of int64
        Where the parents of each place begin, and their places.
    weights, factors : ndarray of float64
        What each parent adds to the score when it is 1, and its exponential.
    """

    starts: Ints
    parents: Ints
    weights: Floats
    factors: Floats


@dataclass(frozen=True, eq=False)
class ParentEffects:
    """What each label adds to the scores of later labels when it is 1; places are places in the graph's order.

    Parameters
    ----------
    order : ndarray of int64, shape (n_labels,), or None
        The label at each place; None where that is the labels' own order.
    matrix : ndarray of float64 or CSR array, shape (n_labels, n_labels)
        `matrix[a, b]` is what the label at place a adds to the score of the label at place b; zero unless a < b.
    reach : ndarray of int64, shape (n_labels,)
        The label at place a touches places below `reach[a]` only; `a + 1` where it touches none.
    """

    order: Ints | None
    matrix: Any
    reach: Ints

    @property
    def few(self) -> bool:
        """Whether the matrix is sparse: walks then read `by_child`."""
        return bool(sparse.issparse(self.matrix))

    @property
    def dense_matrix(self) -> Floats:
        """`matrix` as an array."""
        return np.asarray(self.matrix.toarray() if self.few else self.matrix)

    @cached_property
    def factors(self) -> Floats:
        """What each label multiplies the odds of later labels by: the exponentials of `matrix`."""
        return np.asarray(np.exp(self.matrix))

    @cached_property
    def inverses(self) -> Floats:
        """What `factors` are taken back by."""
        return np.asarray(np.exp(-self.matrix))

    @cached_property
    def by_child(self) -> ParentLists:
        """The parents of each place and what they add, where the matrix is sparse."""
        columns = self.matrix.tocsc()
        columns.sort_indices()
        starts, parents = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
        return ParentLists(starts, parents, columns.data, np.exp(columns.data))

    @cached_property
    def spreads(self) -> Floats:
        """The most that its parents can move the score of each label, along the order."""
        return np.asarray(abs(self.matrix).sum(axis=0)).ravel()

    @property
    def of_walks(self) -> tuple[Floats, bool]:
        """What walks take of a dense matrix: its factors, or itself where those are too large; and whether to add."""
        return (self.matrix, True) if self.spread > LARGEST_SPREAD else (self.factors, False)

    @property
    def spread(self) -> float:
        """The most that the parents of one label can move its score."""
        return float(self.spreads.max(initial=0.0))

    def bounded(self, base: Floats) -> Floats:
        """Return scores along the order, those beyond the limit whatever the parents add moved to where that begins."""
        bounds = SCORE_LIMIT + self.spreads
        return np.clip(base, -bounds, bounds)


def effects_along(graph: LabelGraph, parent_coef: Any) -> ParentEffects:
    """Return the effects for `parent_coef` (n_labels, n_labels), whose row k holds what each parent adds to label k.

    Examples
    --------
    >>> effects_along(LabelGraph([[1], []]), np.array([[0.0, 2.0], [0.0, 0.0]]))
    ParentEffects(order=array([1, 0]), matrix=array([[0., 2.],
           [0., 0.]]), reach=array([2, 2]))
    """
    order = np.array(graph.order, dtype=np.int64)
    own = np.array_equal(order, np.arange(order.size))
    if sparse.issparse(parent_coef):
        matrix = parent_coef.T.tocsr()
        matrix = sparse.csr_array(sparse.triu(matrix if own else matrix[order][:, order], 1))
        matrix.sort_indices()
        reach = np.arange(1, order.size + 1)
        held = np.diff(matrix.indptr) > 0
        reach[held] = matrix.indices[matrix.indptr[1:][held] - 1] + 1
        return ParentEffects(None if own else order, matrix, reach)
    matrix = np.asarray(parent_coef, dtype=np.float64).T
    matrix = np.ascontiguousarray(np.triu(matrix if own else matrix[np.ix_(order, order)], 1))
    last = order.size - 1 - (matrix[:, ::-1] != 0.0).argmax(axis=1)
    reach = 1 + np.where(matrix.any(axis=1), last, np.arange(order.size))
    return ParentEffects(None if own else order, matrix, reach)


# Label vectors are turned into scores in blocks of rows with about this many entries (32 MiB for each of a few copies).
_ENTRIES = 1 << 22
# From so many labels on, few of which a row has, what its labels add is summed up instead of multiplied by a matrix.
_MANY_LABELS = 128


@dataclass(frozen=True, eq=False)
class LinearDistribution(GraphDistribution):
    """The score of label k in row i is `base[i, k] + sum over parents j of parent_coef[k, j] * y_j`, clipped.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    base : ndarray of float64, shape (n_rows, n_labels)
        Scores where no parent is 1 (`X @ W + b`).
    parent_coef : ndarray of float64 or CSR array, shape (n_labels, n_labels)
        Row k holds what each parent adds to label k; zero off the graph.
    evidence : ndarray of int8, shape (n_rows, n_labels), optional
        Labels that are known; -1 where unknown.
    probabilistic : bool, default=True
        Whether scores are log-odds.
    effects : ParentEffects, optional
        `parent_coef` laid out along the order; worked out when first needed, and shared with other blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.structure import LabelGraph
    >>> weights = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> two = LinearDistribution(LabelGraph([[], [0]]), base=np.zeros((1, 2)), parent_coef=weights)
    >>> np.exp(two.log_prob(np.array([[1, 1]]))).round(3)
    array([0.44])
    """

    graph: LabelGraph
    base: Floats
    parent_coef: Any
    evidence: Evidence | None = None
    probabilistic: bool = True
    effects: ParentEffects | None = None

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return int(self.base.shape[0])

    def scores(self, label: int, rows: Ints, parent_values: Labels) -> Floats:
        """Return the scores of one label for some (row, parent values) pairs."""
        # A sum parent by parent, not a matrix product: that one's last bits depend on how many rows there are.
        shift = np.zeros(rows.size)
        for t, weight in enumerate(weights_of_parents(self.parent_coef, label, self.graph.parents[label])):
            shift += parent_values[:, t] * weight
        score = self.base[rows, label] + shift
        return np.clip(score, -SCORE_LIMIT, SCORE_LIMIT) if self.probabilistic else np.asarray(score)

    def table(self, label: int) -> Floats:
        """Return the scores of one label for all rows and all settings of its parents."""
        weights = weights_of_parents(self.parent_coef, label, self.graph.parents[label])
        shifts = np.zeros(1 << weights.size)
        for bit, weight in enumerate(weights):
            shifts[1 << bit : 2 << bit] = shifts[: 1 << bit] + weight
        score = self.base[:, label, None] + shifts
        return np.clip(score, -SCORE_LIMIT, SCORE_LIMIT, out=score) if self.probabilistic else score

    def log_prob(self, Y: Labels) -> Floats:
        """Return log P(y | x), with one product for all labels; rows in blocks of about 4 million labels."""
        vectors = Y if Y.ndim == 3 else Y[:, None, :]
        total = np.empty(vectors.shape[:2])
        step = max(1, _ENTRIES // max(1, vectors[:1].size))
        for start in range(0, self.n_rows, step):
            rows = slice(start, start + step)
            total[rows] = self._log_prob_of(vectors[rows], rows)
        return total if Y.ndim == 3 else total[:, 0]

    def _log_prob_of(self, vectors: Labels, rows: slice) -> Floats:
        score = np.clip(self.base[rows, None, :] + self._shifts(vectors), -SCORE_LIMIT, SCORE_LIMIT)
        total = log_sigmoid(np.where(vectors == 1, score, -score)).sum(axis=2)
        if self.evidence is not None:
            known = self.evidence[rows, None, :]
            total[((known >= 0) & (known != vectors)).any(axis=2)] = -np.inf
        return np.asarray(total)

    def scores_at(self, Y: Labels) -> Floats:
        """Return the scores of all labels (n_rows, n_labels), their parents as in Y.

        Parameters
        ----------
        Y : ndarray of uint8, shape (n_rows, n_labels)
            Values of all labels, taken where they are parents.
        """
        return np.clip(self.base + self._shifts(Y[:, None, :])[:, 0], -SCORE_LIMIT, SCORE_LIMIT)

    def _shifts(self, vectors: Labels) -> Floats:
        """Return what label vectors (n_rows, n_vectors, n_labels) add to the scores; bits do not depend on others."""
        few = sparse.issparse(self.parent_coef)
        if self.n_labels < _MANY_LABELS and not few:
            return np.asarray(vectors.astype(np.float64) @ self.parent_coef.T)
        flat = sparse.csr_array(vectors.reshape(-1, self.n_labels), dtype=np.float64)
        if few:
            return np.asarray((flat @ self.parent_coef.T).toarray().reshape(vectors.shape))
        return np.asarray(flat @ np.ascontiguousarray(self.parent_coef.T)).reshape(vectors.shape)

    def flip_log_ratios(self, Y: Labels) -> Floats:
        """Return what flipping each label does to log P(y | x); flipping a parent moves all its children at once."""
        effects = self.along_the_order()
        if not effects.few and effects.spread <= LARGEST_SPREAD and kernels_pay(self.n_labels, _MANY_LABELS):
            order = slice(None) if effects.order is None else effects.order
            scores = np.ascontiguousarray(
                effects.bounded(self.base[:, order]) + self._shifts(Y[:, None, :])[:, 0, order]
            )
            vectors, found = np.ascontiguousarray(Y[:, order], dtype=np.uint8), np.empty(scores.shape)
            numbers = (effects.factors, effects.inverses, effects.reach, np.exp(SCORE_LIMIT))
            _flip_kernels.flips(scores, vectors, *numbers, found)
            ratios = np.empty(scores.shape)
            ratios[:, order] = found
            return ratios
        if len(Y) == 1:  # NumPy adds up a single column in another order: a row is to have the same bits among others
            return self.take([0, 0]).flip_log_ratios(np.repeat(Y, 2, axis=0))[:1]
        # One line a label, so that the children of a label are taken line by line.
        signs, by_parent = np.ascontiguousarray(2.0 * Y.T - 1.0), self._by_parent()
        raw = np.ascontiguousarray((self.base + self._shifts(Y[:, None, :])[:, 0]).T)
        # Scores are bounded, so nothing overflows: a fifth of the time of `log_sigmoid`, which takes any.
        ratios = -signs * np.clip(raw, -SCORE_LIMIT, SCORE_LIMIT)
        costs = np.log1p(np.exp(ratios))
        for parent in range(self.n_labels):
            children, weights = by_parent(parent)
            after = raw[children]
            after -= weights[:, None] * signs[parent]
            np.clip(after, -SCORE_LIMIT, SCORE_LIMIT, out=after)
            after *= -signs[children]
            np.log1p(np.exp(after, out=after), out=after)
            ratios[parent] += (costs[children] - after).sum(axis=0)
        return np.ascontiguousarray(ratios.T)

    def _by_parent(self) -> Callable[[int], tuple[Ints, Floats]]:
        """Return the function that gives the children of a label and what it adds to their scores."""
        if sparse.issparse(self.parent_coef):
            columns = self.parent_coef.tocsc()
            ends = columns.indptr
            return lambda k: (columns.indices[ends[k] : ends[k + 1]], columns.data[ends[k] : ends[k + 1]])

        def found(parent: int) -> tuple[Ints, Floats]:
            children = np.flatnonzero(self.parent_coef[:, parent])
            return children, self.parent_coef[children, parent]

        return found

    def along_the_order(self) -> ParentEffects:
        """Return the matrix of the parents laid out along the order."""
        if self.effects is None:
            # A frozen object may remember what follows from its other fields.
            object.__setattr__(self, "effects", effects_along(self.graph, self.parent_coef))
        assert self.effects is not None
        return self.effects

    def counted_draws(self, n_samples: Sizes, seeds: Bits) -> CountedDraws:
        """Draw label sets as vectors that differ, and how often each came; `seeds` as `row_seeds` makes them."""
        effects = self.along_the_order()
        if effects.few or not kernels_pay(self.n_labels, KERNELS_FROM):
            return super().counted_draws(n_samples, seeds)
        base = effects.bounded(self.base if effects.order is None else self.base[:, effects.order])
        numbers = (np.ascontiguousarray(base), effects.order, *effects.of_walks, effects.reach, self.evidence)
        return draw_linear(*numbers, SCORE_LIMIT, n_samples, seeds)

    @property
    def few_parents(self) -> bool:  # type: ignore[override]
        """Whether the coefficients of parents are sparse."""
        return bool(sparse.issparse(self.parent_coef))

    def mean_conditionals(self, n_samples: int, seeds: Bits) -> tuple[Floats, Ints]:
        """Return estimates of the marginals; with few parents, a draw goes from one label that is 1 to the next."""
        effects = self.along_the_order()
        if not effects.few or effects.spread > LARGEST_SPREAD or not kernels_pay(self.n_labels, KERNELS_FROM):
            return super().mean_conditionals(n_samples, seeds)
        base = effects.bounded(self.base if effects.order is None else self.base[:, effects.order])
        means, n_evaluated = np.empty(base.shape), np.zeros(self.n_rows, dtype=np.int64)
        starts, parents, _, factors = effects.by_child
        lists = (starts, parents, factors, effects.matrix.indptr, effects.matrix.indices)
        _kernels.mean_conditionals(
            np.ascontiguousarray(base), *lists, np.exp(SCORE_LIMIT), n_samples, seeds, means, n_evaluated
        )
        if effects.order is not None:
            means[:, effects.order] = means.copy()
        return means, n_evaluated

    def take(self, rows: Any) -> "LinearDistribution":
        """Return the distribution of some rows."""
        evidence = None if self.evidence is None else self.evidence[rows]
        return replace(self, base=self.base[rows], evidence=evidence)

    def tempered(self, factor: float) -> "LinearDistribution":
        """Return the distribution with all log-odds multiplied by a factor."""
        return replace(self, base=factor * self.base, parent_coef=factor * self.parent_coef, effects=None)

    def _with_evidence(self, evidence: Evidence) -> "LinearDistribution":
        return replace(self, evidence=evidence)
