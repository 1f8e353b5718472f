"""C, the inverse strength of the L2 penalty, of every label by cross-validation: folds x grid, with warm starts.

Held-out losses of a rare label say next to nothing about its C, so labels share what they say. The sum over labels
finds one C for all; each label then chooses within a decade of it, by its own losses plus those of all labels, these
weighed as if they came from a few rows: the fewer positives a label has, the less its own losses count.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.model_selection import KFold, ShuffleSplit

from plait.core.arrays import Floats, Ints
from plait.core.logspace import clip_probability
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.logistic.logistic_batch import Solution
from plait.learners.logistic.prepared_problem import PreparedProblem, Settings
from plait.learners.training.problem import Problem

__all__ = ["C_GRID", "HALF_DECADES", "choose_penalties", "penalty_splits"]


# The decades of lambda in `sum log P - lambda ||w||^2` [PCC, section 5.1]: C = 1 / (2 lambda), strong penalties first.
C_GRID = np.array([1.0 / (2.0 * penalty) for penalty in (1000.0, 100.0, 10.0, 1.0, 0.1, 0.01, 0.001)])
HALF_DECADES = np.sort(np.append(C_GRID, [(low * high) ** 0.5 for low, high in pairwise(C_GRID.tolist())]))

# Three parts held out in turn, or a third held out once where that is enough [PCC, section 5.1].
N_FOLDS = 3
MANY_ROWS = 10_000
TRAINING_SHARE = 0.66

# Rows of the rarer class for which the losses of all labels count. On benchmark data any number from 10 to 40 predicts
# alike and better than none (every label for itself) and than infinitely many (one C for all labels).
POOLED = 20.0
# Weaker penalties are not tried once the loss over all labels is by this share above its least.
RISE = 1e-3
# Of losses that are equal up to this share the strongest penalty is taken: rounding shall not choose.
EQUAL = 1e-6

# Relative tolerances of the fits, for large designs and for those that are solved to the last digits anyway.
TOL = 1e-4
TOL_SMALL = 1e-8


def penalty_splits(n_samples: int) -> list[tuple[Ints, Ints]]:
    """Return (training rows, held-out rows) of every split; the same for all labels and on every call.

    They are those of scikit-learn's `KFold(3, shuffle=True, random_state=0)`, or with 10,000 rows and more of
    `ShuffleSplit(1, train_size=0.66, random_state=0)`.
    """
    rows = np.zeros((n_samples, 1))
    if n_samples >= MANY_ROWS:
        return list(ShuffleSplit(1, train_size=TRAINING_SHARE, random_state=0).split(rows))
    return list(KFold(min(N_FOLDS, n_samples), shuffle=True, random_state=0).split(rows))


def choose_penalties(settings: Settings, problem: Problem, labels: Ints) -> tuple[Floats, LinearConditionals | None]:
    """Return C of some labels, and fits with it from which that on all rows is near.

    Decades are tried first, then the half decades beside the one that is best for all labels together. C is 1, and
    there are no fits, where no row can be held out.
    """
    if not len(labels) or problem.Y.shape[0] < 2:
        return np.ones(len(labels)), None
    path, totals = PenaltyPath(settings, problem), dict[int, float]()
    for place in range(0, len(HALF_DECADES), 2):
        totals[place] = float(path.losses(place)[labels].sum())
        middle = min(totals, key=lambda each: totals[each])
        path.forget(middle - 2)
        if totals[place] > (1.0 + RISE) * totals[middle]:
            break
    window = [place for place in range(middle - 2, middle + 3) if 0 <= place < len(HALF_DECADES)]
    losses = np.array([path.losses(place)[labels] for place in window])
    losses += _pooled_weight(problem, labels) * losses.sum(axis=1, keepdims=True)
    chosen = np.array(window)[(losses <= (1.0 + EQUAL) * losses.min(axis=0)).argmax(axis=0)]
    places = np.full(problem.n_labels, middle)
    places[labels] = chosen
    return HALF_DECADES[chosen], path.mean_fit(places)


def _pooled_weight(problem: Problem, labels: Ints) -> float:
    """Return what the losses of all labels are multiplied by, so that they count for `POOLED` rows of mean weight."""
    mass = problem.class_mass()[labels]
    return POOLED * float(mass.sum(axis=1).mean()) / problem.Y.shape[0] / float(mass.min(axis=1).sum())


class PenaltyPath:
    """Fits on the training rows of every split, at places of `HALF_DECADES`, each made once."""

    def __init__(self, settings: Settings, problem: Problem) -> None:
        splits = penalty_splits(problem.Y.shape[0])
        self._folds = [(PreparedProblem(settings, problem.part(a)), problem.part(b)) for a, b in splits]
        self._found: dict[int, list[Solution]] = {}
        self._losses: dict[int, Floats] = {}

    def losses(self, place: int) -> Floats:
        """Return the log-losses of all labels on the rows held out."""
        if place not in self._losses:
            total, found = np.zeros(self._folds[0][1].n_labels), []
            for (training, held_out), start in zip(self._folds, self._starts(place), strict=True):
                C, tol = self._each(training, place), TOL_SMALL if training.design.is_small else TOL
                solution = training.solve(C, start, tol)
                total += _log_losses(training.conditionals(C, solution, ""), held_out)
                found.append(Solution.start(solution.coef.astype(np.float32), solution.intercept))
            self._losses[place], self._found[place] = total, found
        return self._losses[place]

    @staticmethod
    def _each(training: PreparedProblem, place: int) -> Floats:
        return np.full(len(training.fitted), HALF_DECADES[place])

    def _starts(self, place: int) -> Sequence[Solution | None]:
        """Return where, in every fold, the line through the two fits nearest to a place leads."""
        near = sorted(self._found, key=lambda each: abs(each - place))[:2]
        if len(near) < 2:
            return self._found[near[0]] if near else [None] * len(self._folds)
        share, pairs = (place - near[0]) / (near[1] - near[0]), zip(*map(self._found.__getitem__, near), strict=True)
        return [
            Solution.start(a.coef + share * (b.coef - a.coef), a.intercept + share * (b.intercept - a.intercept))
            for a, b in pairs
        ]

    def forget(self, before: int) -> None:
        """Give up the fits with stronger penalties than at a place; their losses stay known."""
        self._found = {place: found for place, found in self._found.items() if place >= before}

    def mean_fit(self, places: Ints) -> LinearConditionals:
        """Return the means over splits of the fits that each label has at its place."""
        whole = self._folds[0][0].rows
        n_labels, n_features = whole.n_labels, whole.X.shape[1]
        coef, intercept, parent_coef = np.zeros((n_labels, n_features)), np.zeros(n_labels), 0.0
        for place in np.unique(places).tolist():
            here = places == place
            for (training, _), solution in zip(self._folds, self._found[place], strict=True):
                fit = training.conditionals(self._each(training, place), solution, "")
                coef[here] += fit.coef_[here] / len(self._folds)
                parent_coef = parent_coef + sparse.diags_array(here / len(self._folds)) @ fit.parent_coef_
                intercept[here] += fit.intercept_[here] / len(self._folds)
        return LinearConditionals(whole.graph, coef, parent_coef, intercept)


def _log_losses(fit: LinearConditionals, held_out: Problem) -> Floats:
    """Return the log-losses of all labels, weights counted."""
    Y = held_out.Y.toarray() if sparse.issparse(held_out.Y) else held_out.Y
    scores = fit.recorded_scores(held_out.X, Y if held_out.parents is None else held_out.parents)
    loss = -np.log(clip_probability(expit(np.where(Y == 1, scores, -scores))))
    weights = np.ones(1) if held_out.weights is None else held_out.weights
    return np.asarray((loss * (weights if weights.ndim == 2 else weights[:, None])).sum(axis=0))
