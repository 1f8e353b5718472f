"""Which trees a mixture has: one after another, each on the rows that the mixture explains worst [MC 5.3]."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.logspace import log_sum_exp
from plait.core.randomness import generator, seeds
from plait.estimators.tree_mixture.em import Mixture, Steps, component_log_probs, weighted_problem
from plait.learners import Conditionals, Learner
from plait.structure import LabelGraph

__all__ = ["PATIENCE", "GrowingMixture", "Growth", "grown_again", "tree_on"]


_LEAST_DOUBT = 1e-12
_TIE = 1e-9
# EM ends after so many steps that did not make the rows held out likelier.
PATIENCE = 3


def doubts(mixture: Mixture, X: Any, Y: Labels, rows: Floats) -> Floats | None:
    """Return the weights 1 - P(y | x, mixture) of the rows, with the sum of `rows`; None where nothing is left."""
    logs = component_log_probs(mixture, X, Y)
    doubt: Floats = rows * -np.expm1(log_sum_exp(logs, axis=1))
    return None if doubt.sum() < _LEAST_DOUBT else doubt * (rows.sum() / doubt.sum())


def tree_on(graph: LabelGraph, learner: Learner, X: Any, Y: Labels, weights: Floats) -> Conditionals:
    """Return the conditionals over the graph, trained on weighted rows; weights never touch the scaling of columns."""
    return learner.fit_checked(weighted_problem(X, Y, graph, weights))


def joined(mixture: Mixture, tree: Conditionals, growth: "Growth") -> Mixture:
    """Return the mixture with one more tree, all with equal weights [MC algorithm 1]; EM keeps their strengths."""
    n = len(mixture.weights) + 1
    ease, before = growth.ease(n), growth.ease(n - 1)
    known = [part.relaxed(ease / before) for part in mixture.conditionals]
    return Mixture(np.full(n, 1.0 / n), (*known, tree.relaxed(ease)))


@dataclass(frozen=True, eq=False)
class Growth:
    """How a mixture grows.

    Parameters
    ----------
    learner : Learner
        Trains the conditionals.
    build : callable
        (learner, X, Y, weights, seed) -> LabelGraph: one structure from weighted rows.
    max_components : int
        Most components.
    holdout : float
        Share of the rows that decide when to stop.
    tol : float
        Relative gain of the penalised log-likelihood below which EM stops.
    max_iter : int
        Most steps of EM.
    n_jobs : int or None
        Threads over components.
    min_components : int, default=1
        Fewest components, whatever the rows held out say.
    patience : int, default=5
        How many trees in a row that are left out end the growth.
    slack : float, default=1.0
        By how many standard errors rows held out must be less likely for a tree to be left out.
    relaxation : float or None, default=2.0
        In a mixture of n components the penalty of each is that of the single tree divided by this number times
        sqrt(n); None leaves it. Divided by n, it weighs as much against a component's rows as it did in the single
        tree, and EM learns the rows by heart after few steps; undivided, it holds back mixtures of many trees. Of 0.5,
        1, 2 and 4, rows held out within training parts of emotions and image liked 2 or 4 best; rows of some of their
        test folds had been looked at as well.
    steps_between : int or None, default=4
        Most steps of EM after a tree and before the next, which moves all of them again; None lets EM converge.
    early_stopping : bool, default=True
        Whether rows held out say how many steps the last EM takes.
    normalized : bool, default=False
        Whether EM weighs rows as the paper does, see `Steps`.
    n_starts : int, default=200
        How many sets of random trees are tried, where a mixture starts from them.
    trees : bool, default=True
        Whether components are trees, so that those of a start can be kept; else `build` makes them from its shares.
    """

    learner: Learner
    build: Callable[[Learner, Any, Any, Floats, int], LabelGraph]
    max_components: int
    holdout: float
    tol: float
    max_iter: int
    n_jobs: int | None
    min_components: int = 1
    patience: int = 5
    slack: float = 1.0
    relaxation: float | None = 2.0
    steps_between: int | None = 4
    early_stopping: bool = True
    normalized: bool = False
    n_starts: int = 200
    trees: bool = True

    @property
    def n_between(self) -> int:
        """Return how many steps of EM follow a tree, before the next."""
        return self.max_iter if self.steps_between is None else min(self.steps_between, self.max_iter)

    def ease(self, n: int) -> float:
        """Return by how much the penalty of a component of n is divided."""
        return 1.0 if n == 1 or self.relaxation is None else self.relaxation * float(np.sqrt(n))

    def steps(self, learner: Learner, X: Any, Y: Labels, rows: Floats) -> Steps:
        """Return EM on some rows."""
        return Steps(learner, X, Y, rows, self.n_jobs, self.normalized)


class GrowingMixture:
    """A mixture on an internal training part, to which trees are added until rows held out become less likely.

    Trees get the weights 1 - P(y | x, mixture), and a few steps of EM follow each. The mixture is done after
    `patience` trees in a row with which the rows held out are less likely than they were at best, by more than `slack`
    standard errors of the difference; these are left out again. Smaller losses are noise of the rows held out, a tree
    alone may cost what the next ones bring back, and all rows bear more trees than the part they are counted on. A
    single tree needs no rows held out.

    Parameters
    ----------
    growth : Growth
        How it grows.
    X, Y : features and labels
        All rows.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows.
    random_state : None, int, RandomState or Generator
        Splits the rows and gives every tree its seed.

    Attributes
    ----------
    seeds : list of int
        One for each tree that may come.
    mixture : Mixture
        What has been accepted.
    history : list of float
        Log-likelihoods of the rows held out for every number of trees that was better than all smaller ones.
    """

    def __init__(self, growth: Growth, X: Any, Y: Labels, sample_weight: Floats | None, random_state: Any) -> None:
        draws = generator(random_state)
        order = draws.permutation(Y.shape[0])
        single = growth.max_components == 1 or len(order) == 1
        n_held = 0 if single else min(max(1, round(growth.holdout * len(order))), len(order) - 1)
        rows = np.ones(len(order)) if sample_weight is None else sample_weight
        held, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
        self.growth, self.learner, self.seeds = growth, growth.learner, seeds(draws, growth.max_components)
        self.X, self.Y, self.rows = X[kept], Y[kept], rows[kept]
        self._held = (X[held], Y[held], rows[held])
        self.mixture: Mixture | None = None
        self.history: list[float] = []
        self._in_vain, self.done = 0, False

    def add_tree(self, seed: int) -> None:
        """Add a tree, unless the mixture is done."""
        if self.done:
            return
        if self.mixture is None:
            self._begin(seed)
        else:
            self._extend(self._largest, seed)

    def _begin(self, seed: int) -> None:
        """Train the first tree; the strengths of the penalty that it finds are kept for all others."""
        tree = self._tree(self.rows, seed)
        self.learner = self.learner.settled(tree)
        self.mixture = self._largest = Mixture(np.ones(1), (tree,))
        self._best = self._held_out(self.mixture)
        self.history.append(float(self._best.sum()) if len(self._best) else -np.inf)
        self.done = self.growth.max_components == 1 or not len(self._held[2])
        if not self.done:
            self._steps = self.growth.steps(self.learner, self.X, self.Y, self.rows)

    def _extend(self, mixture: Mixture, seed: int) -> None:
        weights = doubts(mixture, self.X, self.Y, self.rows)
        if weights is None:
            self.done = True
            return
        start = joined(mixture, self._tree(weights, seed), self.growth)
        self._largest = deque(self._steps.path(start, self.growth.tol, self.growth.n_between), maxlen=1)[0]
        if self._accepts(self._largest, len(start.weights)):
            self._in_vain = 0
        else:
            self._in_vain += 1
            self.done = self._in_vain >= self.growth.patience

    def _accepts(self, mixture: Mixture, n_components: int) -> bool:
        """Take a mixture, unless rows held out are clearly less likely and there may be fewer components."""
        found = self._held_out(mixture)
        gain = found - self._best
        forced = n_components <= self.growth.min_components
        # Divided by a power of two, which changes no digit, so that no square is beyond float64.
        exponent = int(np.frexp(np.abs(gain).max(initial=0.0))[1])
        spread = np.ldexp(np.ldexp(gain, -exponent).std(), exponent)
        if not forced and gain.sum() < -_TIE - self.growth.slack * np.sqrt(len(gain)) * spread:
            return False
        self.mixture = mixture
        if forced or gain.sum() >= -_TIE:
            self._best = found
            self.history.append(float(found.sum()))
        return True

    def steps_left(self) -> int:
        """Return how many more steps of EM make the rows held out likelier."""
        assert self.mixture is not None
        if len(self.mixture.weights) == 1:
            return 0
        if not self.growth.early_stopping:
            return self.growth.max_iter
        found, n_steps = self._held_out(self.mixture).sum(), 0
        for step, mixture in enumerate(self._steps.path(self.mixture, self.growth.tol, self.growth.max_iter), start=1):
            here = self._held_out(mixture).sum()
            if here > found:
                found, n_steps = here, step
            elif step - n_steps >= PATIENCE:
                break
        return n_steps

    def on_all_rows(self, X: Any, Y: Labels, sample_weight: Floats | None) -> Mixture:
        """Return the mixture with the graphs that were found, trained on all rows."""
        assert self.mixture is not None
        graphs = [part.graph for part in self.mixture.conditionals]
        return grown_again(self.growth, graphs, X, Y, sample_weight, self.steps_left())

    def _held_out(self, mixture: Mixture) -> Floats:
        """Return log P(y | x) of every row held out, times its weight."""
        X, Y, rows = self._held
        return np.zeros(0) if not len(rows) else rows * log_sum_exp(component_log_probs(mixture, X, Y), axis=1)

    def _tree(self, weights: Floats, seed: int) -> Conditionals:
        graph = self.growth.build(self.learner, self.X, self.Y, weights, seed)
        return tree_on(graph, self.learner, self.X, self.Y, weights)


def grown_again(
    growth: Growth,
    graphs: Sequence[LabelGraph],
    X: Any,
    Y: Labels,
    sample_weight: Floats | None,
    n_more: int,
) -> Mixture:
    """Return the mixture over known graphs, grown tree by tree on all rows; the last EM takes `n_more` more steps.

    Strengths of the penalty are found anew: a part of the rows needs stronger ones than all of them.
    """
    rows = np.ones(Y.shape[0]) if sample_weight is None else sample_weight
    tree = tree_on(graphs[0], growth.learner, X, Y, rows)
    learner, mixture = growth.learner.settled(tree), Mixture(np.ones(1), (tree,))
    steps = growth.steps(learner, X, Y, rows)
    for graph in graphs[1:]:
        if len(mixture.weights) > 1:
            mixture = deque(steps.path(mixture, growth.tol, growth.n_between), maxlen=1)[0]
        weights = doubts(mixture, X, Y, rows)
        if weights is None:
            break
        mixture = joined(mixture, tree_on(graph, learner, X, Y, weights), growth)
    return steps.converged(mixture, growth.tol, min(growth.max_iter, growth.n_between + n_more))
