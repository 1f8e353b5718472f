"""`CalibratedLabelRanking`: pairwise preferences between labels, and a virtual label where to cut [Fuernkranz2008]."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.baselines.foundations.binary_learners import LEARNER_RULE, binary_learner, checked_weights
from plait.baselines.foundations.column_scaling import divided_columns, unscaled_learner
from plait.baselines.foundations.meta_classifier import MetaClassifier, seeded_members
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import RandomState
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.progress_bar import progress
from plait.core.randomness import generators
from plait.learners import Conditionals, Learner

__all__ = ["CalibratedLabelRanking"]

# Labels on each side of a tile of pairs.
_SIDE = 8
# Pairs whose scores are held at the same time.
_PAIRS_AT_ONCE = 512


class CalibratedLabelRanking(MetaClassifier):
    """Labels ranked by votes of pairwise models; those above a virtual label are predicted (CLR) [Fuernkranz2008].

    For every two labels a model learns which of them a row has, from the rows that have exactly one; for every label
    another one learns from all rows whether it is preferred to the virtual label, which is binary relevance. Each model
    gives its vote to one label, and the labels with at least as many votes as the virtual one are predicted.

    Assumes that labels are easier to tell from each other than from everything else. A good choice for good rankings
    and moderately many labels: there are q (q - 1) / 2 pairs, and coefficients for all of them are kept. A row without
    labels, or with all of them, trains no pair.

    Parameters
    ----------
    estimator : classifier or Learner, optional
        Trains the models: any scikit-learn classifier (one clone for each), or a learner of plait. None is
        `LogisticLearner()`, L2 logistic regression; this and `LinearSVMLearner` train many pairs in one batch.
    random_state : int, RandomState, Generator or None
        Seed of estimators whose own `random_state` is None.
    n_jobs : int, optional
        How many pairs (or batches of them) are trained at once, by `joblib`. The result is the same, bit for bit, for
        any number.

    Attributes
    ----------
    pairs_ : LinearPairs or CalledPairs
        The pairs: `first` and `second` labels, and their models.
    conditionals_ : Conditionals
        The models of labels against the virtual label.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    Notes
    -----
    Where no training row has exactly one label of a pair, both get half a vote. Columns are scaled once for all pairs,
    over all rows.

    `predict_proba` gives (v_k + 1) / (v_k + v_0 + 2), the share of label k in the votes v of it and the virtual label
    0: scores rather than probabilities. Within a row they rank labels as votes do, and a label is predicted where its
    share is at least one half, as in Mulan: ties are frequent among so few votes. One vote more on either side keeps
    shares between 0 and 1.

    References
    ----------
    Fuernkranz, Huellermeier, Loza Mencia and Brinker: Multilabel classification via calibrated label ranking
    [Fuernkranz2008].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0]).astype(int)
    >>> model = CalibratedLabelRanking().fit(X, Y)
    >>> model.predict([[2.0, -2.0], [-1.0, 2.0]])
    array([[1, 0, 0],
           [0, 1, 1]])
    >>> model.votes([[2.0, -2.0]])  # the last column is the virtual label
    array([[3., 1., 0., 2.]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": LEARNER_RULE,
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(self, estimator: Any = None, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        learner = binary_learner(self.estimator)
        checked_weights(type(self).__name__, learner, weights)
        learner, scales = unscaled_learner(learner, X, weights)
        X = divided_columns(X, scales)
        single_draws, pair_draws = generators(self.random_state, 2)
        single = seeded_members(learner, 1, single_draws)[0]
        if "n_jobs" in single.get_params(deep=False):
            single.set_params(n_jobs=self.n_jobs)
        self.conditionals_ = single.fit(X, Y, sample_weight=weights).divided_by(scales)
        pairs = fitted_label_pairs(learner, X, Y, weights, pair_draws, self.n_jobs)
        self.pairs_ = replace(pairs, coef_=pairs.coef_ / scales) if isinstance(pairs, LinearPairs) else pairs

    def votes(self, X: Any) -> Floats:
        """Return the votes of every label and, in the last column, of the virtual one: (n_samples, n_labels + 1).

        Every row has q (q + 1) / 2 votes, and no label can get more than q of them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        return self._votes(self._rows(X))

    def _votes(self, X: Any) -> Floats:
        votes = np.zeros((X.shape[0], self.n_labels_ + 1))
        preferred = _preferred(self.conditionals_.base_scores(X))
        votes[:, :-1] = preferred
        votes[:, -1] = (1.0 - preferred).sum(axis=1)
        for start in range(0, len(self.pairs_.first), _PAIRS_AT_ONCE):
            pairs = slice(start, start + _PAIRS_AT_ONCE)
            preferred = _preferred(self.pairs_.scores(X, pairs))
            # Votes are whole and half numbers: their sums are exact in any order.
            votes += preferred @ self._places(self.pairs_.first[pairs])
            votes += (1.0 - preferred) @ self._places(self.pairs_.second[pairs])
        return votes

    def _places(self, labels: npt.NDArray[np.int64]) -> Any:
        """Return a matrix that carries the votes of pairs to their labels, (n_pairs, n_labels + 1)."""
        ones = np.ones(len(labels))
        return sparse.csr_array((ones, (np.arange(len(labels)), labels)), shape=(len(labels), self.n_labels_ + 1))

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        votes = self._votes(X)
        return votes[:, :-1] >= votes[:, -1:]

    def _marginals(self, X: Any) -> Floats:
        votes = self._votes(X)
        return np.asarray((votes[:, :-1] + 1.0) / (votes[:, :-1] + votes[:, -1:] + 2.0))


@dataclass(frozen=True, eq=False)
class LinearPairs:
    """Pairs of labels with linear models.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_pairs,)
        The labels of each pair.
    coef_ : ndarray of shape (n_pairs, n_features)
        Coefficients.
    intercept_ : ndarray of shape (n_pairs,)
        Intercepts.
    """

    first: Ints
    second: Ints
    coef_: Floats
    intercept_: Floats

    def scores(self, X: Any, pairs: slice) -> Floats:
        """Return the scores of some pairs: above 0 where the first label is preferred, 0 where nothing is known."""
        return np.asarray(X @ self.coef_[pairs].T) + self.intercept_[pairs]


@dataclass(frozen=True, eq=False)
class CalledPairs:
    """Pairs of labels with models of any kind; None where no training row has exactly one of the two labels."""

    first: Ints
    second: Ints
    conditionals_: list[Conditionals | None]

    def scores(self, X: Any, pairs: slice) -> Floats:
        """Return the scores of some pairs: above 0 where the first label is preferred, 0 where nothing is known."""
        models = self.conditionals_[pairs]
        unknown = np.zeros((X.shape[0], 1))
        return np.hstack([unknown if model is None else model.base_scores(X) for model in models])


def fitted_label_pairs(
    learner: Learner, X: Any, Y: Labels, sample_weight: Any, random_state: Any, n_jobs: int | None
) -> LinearPairs | CalledPairs:
    """Train the models of all pairs.

    The linear learners of plait train many pairs in one batch, each with weights of rows that are 0 where it is not
    decided between its labels; any other learner trains a pair at a time on the rows of the pair.

    Parameters
    ----------
    learner : Learner
        Trains the models; one that scales columns is told not to (X comes divided).
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows.
    random_state : object
        Seed of estimators whose own `random_state` is None.
    n_jobs : int or None
        How many batches or pairs are trained at once.
    """
    if learner.weighs_labels:
        return _in_tiles(learner, X, Y, sample_weight, n_jobs)
    first, second = np.triu_indices(Y.shape[1], 1)
    members = seeded_members(learner, len(first), random_state)
    tasks = progress(list(zip(members, first, second, strict=True)), "Pairs of labels")
    models = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_pair)(member, X, Y[:, i], Y[:, j], sample_weight) for member, i, j in tasks
    )
    return CalledPairs(first, second, list(models))


def _fitted_pair(learner: Learner, X: Any, one: Labels, other: Labels, sample_weight: Any) -> Conditionals | None:
    rows = np.flatnonzero(one != other)
    if len(rows) == 0:
        return None
    weights = None if sample_weight is None else sample_weight[rows]
    return learner.fit(X[rows], one[rows].reshape(-1, 1), sample_weight=weights)


def _in_tiles(learner: Learner, X: Any, Y: Labels, sample_weight: Any, n_jobs: int | None) -> LinearPairs:
    tiles = list(pair_tiles(Y))
    if not tiles:
        nobody = np.zeros(0, dtype=np.int64)
        return LinearPairs(nobody, nobody, np.zeros((0, X.shape[1])), np.zeros(0))
    found = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_tile)(learner, X, Y[:, first], Y[:, second], sample_weight)
        for first, second in progress(tiles, "Pairs of labels, tiles")
    )
    return LinearPairs(
        np.concatenate([first for first, _ in tiles]),
        np.concatenate([second for _, second in tiles]),
        np.concatenate([coef for coef, _ in found]),
        np.concatenate([intercept for _, intercept in found]),
    )


def pair_tiles(Y: Labels) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs of labels in batches that share their rows: first labels, second labels.

    A batch joins a few labels with a few others, frequent ones with frequent ones, so that few rows have any of them.

    Examples
    --------
    >>> Y = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=np.uint8)
    >>> [(first.tolist(), second.tolist()) for first, second in pair_tiles(Y)]
    [([0, 0, 1], [1, 2, 2])]
    """
    order = np.argsort(-Y.sum(axis=0, dtype=np.int64), kind="stable")
    groups = [order[start : start + _SIDE] for start in range(0, len(order), _SIDE)]
    for number, group in enumerate(groups):
        first, second = np.triu_indices(len(group), 1)
        if len(first):
            yield group[first], group[second]
        for other in groups[number + 1 :]:
            yield np.repeat(group, len(other)), np.tile(other, len(group))


def _fitted_tile(learner: Learner, X: Any, ones: Labels, others: Labels, sample_weight: Any) -> tuple[Floats, Floats]:
    """Return coefficients and intercepts of a batch of pairs, each of which counts the rows with one label of it."""
    decided = ones != others
    rows = np.flatnonzero(decided.any(axis=1))
    if len(rows) == 0:
        return np.zeros((ones.shape[1], X.shape[1])), np.zeros(ones.shape[1])
    weights = decided[rows].astype(np.float64)
    if sample_weight is not None:
        weights *= sample_weight[rows, None]
    fitted: Any = learner.fit(X[rows], ones[rows], sample_weight=weights)
    return fitted.coef_, fitted.intercept_


def _preferred(scores: Floats) -> Floats:
    """Return 1 where the first label is preferred, 0 where the second is, one half where nothing decides."""
    return 0.5 * (1.0 + np.sign(scores))
