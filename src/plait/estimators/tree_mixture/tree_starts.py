"""`StartedMixture`, and where EM starts: trees and rows' shares in them, by tree-EM on fixed scores from random trees.

Scores of independent labels stand for all that the features say. Given them, a mixture of trees has no more parameters
than one number for each label and value of its parent, and its EM (MixTree, with offsets) [Meila2000] is so cheap
that hundreds of starts can be tried: growth tree by tree, random shares and clusters of rows all end in local optima,
while of two planted trees random ones with random signs of their edges find nearly every edge.

Notation
--------
bins      : the scores of each label in bins; all rows of a bin count with its mean score
cells     : (label, bin, value) of every row and label, as columns of a sparse matrix of ones
parts     : components of all starts that run side by side, (n_starts * n_components)
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import log_normalize, log_sigmoid, log_sum_exp
from plait.core.randomness import generator
from plait.estimators.tree_mixture.em import Mixture
from plait.estimators.tree_mixture.growth import PATIENCE, GrowingMixture, Growth, grown_again, tree_on
from plait.joint import GraphJoint
from plait.learners import Learner
from plait.structure import LabelGraph
from plait.structure.branching import maximum_branching

__all__ = ["StartedMixture", "TreeStart", "start_trees"]

_BINS = 16
# Steps from every start, how many of the best go on, and how far.
_SHORT, _KEPT, _LONG, _TOL = 4, 8, 80, 1e-6
# Numbers of a table of all pairs that are held at once (32 MiB), and Newton steps for them in a step of EM.
_ENTRIES, _NEWTON, _LARGEST_MOVE = 1 << 22, 2, 2.0
# A start is better if its rows are likelier by this share: what is nearer is the same optimum, found with other digits.
_MARGIN = 1e-6
_FLOOR = 1e-9
# The first fits take this much of a start's shares, the rest is the same for all components: EM from trees that know
# all rows and differ a little ends better than from trees that know their own rows only.
_TRUST = 0.2
# The first number of trees that is tried, where there may be more.
_FEWEST = 4
# How far weights of components are drawn towards equal ones: likelihood alone lets components of few rows die out.
_EVEN = 0.5


class TreeStart(NamedTuple):
    """Trees, the share of every row in each (n_samples, n_components), and how likely the rows are."""

    graphs: list[LabelGraph]
    shares: Floats
    log_likelihood: float


def start_trees(
    scores: Floats, Y: Labels, rows: Floats, n_components: int, n_starts: int, draws: np.random.Generator
) -> TreeStart:
    """Return the likeliest mixture of trees over fixed scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels)
        Log-odds of every label, whatever the others are.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    rows : ndarray of shape (n_samples,)
        Weights of rows.
    n_components : int
        How many trees.
    n_starts : int
        How many sets of random signed trees are tried.
    draws : Generator
        Draws them.
    """
    model = _TreeEM(scores, Y, rows)
    side_by_side = max(1, _ENTRIES // (n_components * model.n_numbers))
    best: list[tuple[float, Floats]] = []
    for begin in range(0, n_starts, side_by_side):
        n = min(side_by_side, n_starts - begin)
        shares = np.stack([_signed_trees(Y, n_components, draws) for _ in range(n)])
        found, values = model.run(shares, _SHORT, 0.0)
        best += list(zip(values.tolist(), found, strict=True))
        # Python's sort keeps the order of equals, and what differs by digits only is equal.
        best = sorted(best, key=lambda one: -_rounded(one[0]))[:_KEPT]
    ends = [model.run(shares[None], _LONG, _TOL) for _, shares in best]
    shares, value = max(ends, key=lambda end: _rounded(end[1][0]))
    return TreeStart(model.trees(shares[0]), shares[0], float(value[0]))


def _rounded(value: float) -> float:
    """Return a log-likelihood to as many digits as are compared."""
    scale = _MARGIN * 10.0 ** np.floor(np.log10(max(abs(value), 1.0)))
    return float(np.round(value / scale)) * scale


def _signed_trees(Y: Labels, n_components: int, draws: np.random.Generator) -> Floats:
    """Return shares of rows in random trees, by the edges they agree with, each for equal or for unequal values."""
    signs, n_labels = 2.0 * Y - 1.0, Y.shape[1]
    agreement = np.zeros((len(Y), n_components))
    for part in range(n_components):
        order = draws.permutation(n_labels)
        for place in range(1, n_labels):
            one, other = order[draws.integers(place)], order[place]
            agreement[:, part] += draws.choice([-1.0, 1.0]) * signs[:, one] * signs[:, other]
    return np.asarray(np.exp(log_normalize(agreement, axis=1)))


class _TreeEM:
    """EM of mixtures of trees over fixed scores, several mixtures side by side."""

    def __init__(self, scores: Floats, Y: Labels, rows: Floats) -> None:
        n_samples, self.n_labels = Y.shape
        self.Y, self.rows = Y.astype(np.int64), rows
        bins = np.column_stack([_bins(column) for column in scores.T])
        columns = (np.arange(self.n_labels) * _BINS + bins) * 2 + Y
        cells = (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, self.n_labels))
        self.columns = columns
        self._cells = sparse.csr_matrix(cells, shape=(n_samples, self.n_labels * _BINS * 2)).T.tocsr()
        places = (np.arange(self.n_labels) * _BINS + bins).ravel()
        sizes = np.bincount(places, minlength=self.n_labels * _BINS)
        sums = np.bincount(places, scores.ravel(), minlength=self.n_labels * _BINS)
        self.bin_scores = (sums / np.maximum(sizes, 1)).reshape(self.n_labels, _BINS)

    @property
    def n_numbers(self) -> int:
        """Numbers of the tables of one part: all pairs, bins, values of both."""
        return 4 * _BINS * self.n_labels**2

    def run(self, shares: Floats, n_steps: int, tol: float) -> tuple[Floats, Floats]:
        """Return shares (n_starts, n_samples, n_components) after some steps, and the log-likelihoods."""
        n_starts, n_samples, n_components = shares.shape
        offsets = np.zeros((n_starts * n_components, self.n_labels, self.n_labels + 1, 2))
        values = np.full(n_starts, -np.inf)
        for _ in range(n_steps):
            parts = np.moveaxis(shares, 1, 2).reshape(-1, n_samples)
            logs = self._log_probs(self._fitted(parts, offsets), offsets)
            mass = (parts @ self.rows).reshape(n_starts, n_components, 1)
            weights = _EVEN / n_components + (1.0 - _EVEN) * mass / self.rows.sum()
            weighted = logs.reshape(n_starts, n_components, n_samples) + np.log(weights)
            before, values = values, log_sum_exp(weighted, axis=1) @ self.rows
            shares = np.moveaxis(np.exp(log_normalize(weighted, axis=1)), 1, 2)
            if (values - before <= tol * np.abs(values)).all():
                break
        return shares, values

    def trees(self, shares: Floats) -> list[LabelGraph]:
        """Return the best tree of every component, with directions."""
        offsets = np.zeros((shares.shape[1], self.n_labels, self.n_labels + 1, 2))
        for _ in range(_SHORT):
            gains = self._fitted(shares.T, offsets)
        found = [maximum_branching(part.T, np.zeros(self.n_labels)) for part in gains]
        return [LabelGraph([[] if parent < 0 else [parent] for parent in parents]) for parents in found]

    def _fitted(self, parts: Floats, offsets: Floats) -> Floats:
        """Improve the offsets (part, label, parent or none, value) in place; return what parents gain, by label."""
        ones = self._counts(parts + _FLOOR)
        scores = self.bin_scores[None, :, :, None, None]
        for _ in range(_NEWTON):
            at = offsets[:, :, None]
            p = expit(scores + at)
            slope = (ones[:, :, :, 1] * (1.0 - p) - ones[:, :, :, 0] * p).sum(axis=2) - offsets
            bend = ((ones[:, :, :, 0] + ones[:, :, :, 1]) * p * (1.0 - p)).sum(axis=2) + 1.0
            offsets += np.clip(slope / bend, -_LARGEST_MOVE, _LARGEST_MOVE)
        at = scores + offsets[:, :, None]
        logs = (ones[:, :, :, 1] * log_sigmoid(at) + ones[:, :, :, 0] * log_sigmoid(-at)).sum(axis=(2, 4))
        gains = logs[:, :, :-1] - logs[:, :, -1:]
        gains[:, np.arange(self.n_labels), np.arange(self.n_labels)] = -np.inf
        return np.asarray(gains)

    def _counts(self, parts: Floats) -> Floats:
        """Return weighted counts (part, label, bin, value, parent or none, parent's value); none has value 0 only."""
        weights = parts * self.rows
        given = np.concatenate([weights[:, None] * self.Y.T[None], weights[:, None]], axis=1)
        sums = self._cells @ given.reshape(-1, given.shape[2]).T
        sums = np.moveaxis(sums.reshape(self.n_labels, _BINS, 2, len(parts), self.n_labels + 1), 3, 0)
        zeros = sums[..., -1:] - sums
        zeros[..., -1] = sums[..., -1]
        with_one = sums.copy()
        with_one[..., -1] = 0.0
        return np.stack([zeros, with_one], axis=-1)

    def _log_probs(self, gains: Floats, offsets: Floats) -> Floats:
        """Return log P(y) of every row under the best tree of every part, (n_parts, n_samples)."""
        parents = _spanning_trees(gains + np.swapaxes(gains, 1, 2))
        logs = np.empty((len(gains), len(self.Y)))
        labels = np.arange(self.n_labels)
        for part, own in enumerate(parents):
            at = self.bin_scores[:, :, None] + offsets[part, labels, own][:, None]
            table = np.stack([log_sigmoid(-at), log_sigmoid(at)], axis=2)
            values = np.where(own == self.n_labels, 0, self.Y[:, np.minimum(own, self.n_labels - 1)])
            logs[part] = table.reshape(-1)[self.columns * 2 + values].sum(axis=1)
        return logs


def _bins(scores: Floats) -> Ints:
    """Return the bin of every row: about equally many rows each, cut where scores next to each other differ most.

    So no row changes its bin because its score has other last digits.
    """
    sorted_scores = np.sort(scores)
    gaps = np.diff(sorted_scores)
    near = max(1, len(scores) // (4 * _BINS))
    cuts = []
    for place in range(1, _BINS):
        middle = place * len(scores) // _BINS
        first = max(0, middle - near)
        some = gaps[first : middle + near]
        widest = some.max(initial=0.0)
        if widest > _MARGIN * (sorted_scores[-1] - sorted_scores[0]):
            # The first of those that differ by digits only.
            at = first + int((some >= (1.0 - _MARGIN) * widest).argmax())
            cuts.append((sorted_scores[at] + sorted_scores[at + 1]) / 2)
    return np.searchsorted(cuts, scores)


def _spanning_trees(gains: Floats) -> Ints:
    """Return the parents in maximum spanning trees of symmetric gains (n_parts, n, n), from node 0 on; n for none."""
    n_parts, n = gains.shape[:2]
    parents, every = np.full((n_parts, n), n), np.arange(n_parts)
    reached = np.zeros((n_parts, n), dtype=np.bool_)
    reached[:, 0] = True
    best, source = gains[:, 0].copy(), np.zeros((n_parts, n), dtype=np.int64)
    for _ in range(1, n):
        node = np.where(reached, -np.inf, best).argmax(axis=1)
        reached[every, node] = True
        parents[every, node] = source[every, node]
        new = gains[every, node]
        source = np.where(new > best, node[:, None], source)
        best = np.maximum(best, new)
    return parents


class StartedMixture(GrowingMixture):
    """Mixtures of 4, 8, ... trees from `start_trees` on an internal training part; rows held out choose one.

    The first single tree is that of growth. A larger mixture is taken unless rows held out are less likely than they
    were at best by more than `slack` standard errors, which ends the search; and EM takes as many steps as made them
    likelier.
    """

    def __init__(self, growth: Growth, X: Any, Y: Labels, sample_weight: Floats | None, random_state: Any) -> None:
        super().__init__(growth, X, Y, sample_weight, random_state)
        sizes = {min(_FEWEST * 2**k, growth.max_components) for k in range(growth.max_components.bit_length())}
        self._sizes = sorted(size for size in sizes if size >= max(2, growth.min_components))
        self.seeds = self.seeds[: 1 + len(self._sizes)]
        self._n_steps, self._size = 0, 1
        self._scores: Floats | None = None

    def _extend(self, mixture: Mixture, seed: int) -> None:
        if self._scores is None:
            self._scores = _independent_scores(self.learner, self.X, self.Y, self.rows)[0]
        size = self._sizes.pop(0)
        start = start_trees(self._scores, self.Y, self.rows, size, self.growth.n_starts, generator(seed))
        found = _begun(self.growth, self.learner, start, self.X, self.Y, self.rows, seed)
        best, n_steps, value = found, 0, self._held_out(found).sum()
        for step, moved in enumerate(self._steps.path(found, self.growth.tol, self.growth.max_iter), start=1):
            here = self._held_out(moved).sum()
            if here > value or not self.growth.early_stopping:
                best, n_steps, value = moved, step, here
            elif step - n_steps >= PATIENCE:
                break
        if self._accepts(best, size):
            self._n_steps, self._size = n_steps, size
        else:
            self.done = True
        self.done |= not self._sizes

    def on_all_rows(self, X: Any, Y: Labels, sample_weight: Floats | None) -> Mixture:
        """Return a mixture of as many trees, started once more on all rows, after as many steps of EM."""
        assert self.mixture is not None
        growth, rows = self.growth, np.ones(Y.shape[0]) if sample_weight is None else sample_weight
        if len(self.mixture.weights) == 1:
            return grown_again(growth, [self.mixture.conditionals[0].graph], X, Y, sample_weight, 0)
        scores, learner = _independent_scores(growth.learner, X, Y, rows)
        seed = self.seeds[0]
        start = start_trees(scores, Y, rows, self._size, growth.n_starts, generator(seed))
        found = _begun(growth, learner, start, X, Y, rows, seed)
        return growth.steps(learner, X, Y, rows).converged(found, growth.tol, max(1, self._n_steps))


def _independent_scores(learner: Learner, X: Any, Y: Labels, rows: Floats) -> tuple[Floats, Learner]:
    """Return the log-odds of labels without parents, and a learner that keeps the strengths found for them."""
    fitted = tree_on(LabelGraph([[]] * Y.shape[1]), learner, X, Y, rows)
    joint, every, none = GraphJoint(fitted).condition(X), np.arange(Y.shape[0]), np.empty((Y.shape[0], 0), np.uint8)
    scores = np.column_stack([joint.scores(label, every, none) for label in range(Y.shape[1])])
    return scores, learner.settled(fitted)


def _begun(growth: Growth, learner: Learner, start: TreeStart, X: Any, Y: Labels, rows: Floats, seed: int) -> Mixture:
    """Return the mixture before EM: components fitted to the shares of a start."""
    n = len(start.graphs)
    weights = rows[:, None] * (_TRUST * start.shares + (1.0 - _TRUST) / n)
    graphs = start.graphs
    if not growth.trees:
        graphs = [growth.build(learner, X, Y, rows * share, seed) for share in start.shares.T]
    parts = [tree_on(graph, learner, X, Y, weights[:, k]).relaxed(growth.ease(n)) for k, graph in enumerate(graphs)]
    mass = rows @ start.shares
    return Mixture(mass / mass.sum(), tuple(parts))
