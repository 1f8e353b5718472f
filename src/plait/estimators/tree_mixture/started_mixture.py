"""`StartedMixture`: a mixture whose trees come together, from random starts, not one after another."""

from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.randomness import generator
from plait.estimators.tree_mixture.em import Mixture
from plait.estimators.tree_mixture.growth import PATIENCE, GrowingMixture, Growth, grown_again, tree_on
from plait.estimators.tree_mixture.tree_starts import TreeStart, start_trees
from plait.joint import GraphJoint
from plait.learners import Learner
from plait.structure import LabelGraph

__all__ = ["StartedMixture"]

# The first fits take this much of a start's shares, the rest is the same for all components: EM from trees that know
# all rows and differ a little ends better than from trees that know their own rows only.
_TRUST = 0.2
# The first number of trees that is tried, where there may be more.
_FEWEST = 4


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
