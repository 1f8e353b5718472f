"""Wrapper: the features without which a given classifier gets worse, for each label [KohaviJohn1997]."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from plait.core.arrays import Array, Ints, Labels
from plait.core.checks import HasMethods, Interval, Nothing, RandomState
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.progress_bar import progress
from plait.core.randomness import generators
from plait.counts import MeanStdDiscretizer
from plait.features.engine.columns import as_numbers, varying
from plait.features.engine.known_labels import coded_labels
from plait.features.engine.label_triples import label_relevance
from plait.features.engine.ranking import ranked_by_label
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.structure import LabelGraph

__all__ = ["Wrapper"]


class Wrapper(InformationSelector):
    """Wrapper: backward elimination on the cross-validated accuracy of a classifier, for each label.

    A filter keeps the features with the most information on the label; then the feature without which most held-out
    rows are right is dropped, as long as accuracy does not fall. Use it when the classifier is fixed, features are few
    and time does not matter: it fits some n_candidates^2 / 2 * cv classifiers for every label. Of labels that are not
    all known, rows that know a label train its classifiers, and are counted.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is L2 logistic regression by LIBLINEAR on scaled features.
    n_candidates : int, float or "sqrt", default=0.5
        How many features the filter leaves to each label; PACC has half of them for emotions, a tenth for medical.
    n_features : int, float, "sqrt" or None, default=None
        None: stop when every removal costs accuracy. Otherwise drop features until so many are left.
    cv : int, default=5
        Number of folds, each with its share of the label.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols for the filter; None is `MeanStdDiscretizer()`. The classifier sees the numbers.
    random_state : int, RandomState, Generator or None, default=None
        None deals rows to folds in their order. Otherwise they are shuffled, and a classifier whose `random_state` is
        None gets one.
    n_jobs : int, optional
        Processes; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : list of ndarray
        For each label its features, and how much accuracy falls without each of them, the largest fall first.
    accuracies_ : ndarray of shape (n_labels,)
        Cross-validated accuracy with these features.

    References
    ----------
    Kohavi, John: Wrappers for feature subset selection [KohaviJohn1997]; compared in section 7.4 of PACC.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> Y = (X[:, [2]] > 0).astype(int)
    >>> Wrapper(cv=3).fit(X, Y).ranking_
    [array([2])]
    """

    label_specific = True
    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {
        "estimator": (HasMethods(("fit", "predict")), Nothing()),
        "n_candidates": SIZE_RULES,
        "n_features": (*SIZE_RULES, Nothing()),
        "cv": (Interval(int, 2, None),),
        "discretizer": DISCRETIZER_RULES,
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_candidates: Any = 0.5,
        n_features: Any = None,
        cv: int = 5,
        discretizer: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_candidates = n_candidates
        self.n_features = n_features
        self.cv = cv
        self.discretizer = discretizer
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _default_discretizer(self) -> Any:
        return MeanStdDiscretizer()

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        numbers = as_numbers(type(self).__name__, X)
        filtered = self._filtered(X, Y)
        wanted = None if self.n_features is None else n_wanted(self.n_features, *numbers.shape)
        fewest = min((ranking.size for ranking in filtered.rankings), default=0)
        self._warn_if_fewer(fewest, wanted or 0, "that vary among the candidates")
        labels = self._labels(Y, filtered)
        eliminated(numbers, labels, wanted, self.n_jobs)
        n_known = np.array([max(int((each.folds >= 0).sum()), 1) for each in labels])
        self.accuracies_ = np.array([each.correct for each in labels]) / n_known
        orders = [np.argsort(-np.array(each.losses, dtype=np.int64), kind="stable") for each in labels]
        triples = list(zip(labels, orders, n_known, strict=True))
        rankings = [np.array(each.kept, dtype=np.int64)[order] for each, order, _ in triples]
        losses = [np.array(each.losses)[order] / size for each, order, size in triples]
        return FeatureMask.by_label(rankings, losses, numbers.shape[1])

    def _filtered(self, X: Any, Y: Any) -> FeatureMask:
        codes = self._codes(X, Y)
        n_columns = codes.vocabulary.n_columns
        size = n_wanted(self.n_candidates, codes.n_rows, n_columns)
        codes, columns = varying(codes)
        gains = label_relevance(codes, coded_labels(Y))
        return ranked_by_label(gains, columns, [size] * Y.shape[1], n_columns)

    def _labels(self, Y: Any, filtered: FeatureMask) -> "list[Elimination]":
        n_samples, n_labels = Y.shape
        if self.random_state is None:
            orders = [np.arange(n_samples)] * n_labels
            estimators = [self._classifier(None)] * n_labels
        else:
            streams = generators(self.random_state, n_labels)
            orders = [stream.permutation(n_samples) for stream in streams]
            estimators = [self._classifier(int(stream.integers(2**31))) for stream in streams]
        made = []
        for label, (order, estimator) in enumerate(zip(orders, estimators, strict=True)):
            y = _column(Y, label)
            folds = stratified_folds(y, self.cv, order)
            made.append(Elimination(estimator, y, folds, filtered.rankings[label].tolist(), 0, []))
        return made

    def _classifier(self, seed: int | None) -> Any:
        if self.estimator is None:
            return make_pipeline(StandardScaler(with_mean=False), LogisticRegression(solver="liblinear", max_iter=1000))
        classifier = clone(self.estimator)
        if seed is not None and classifier.get_params().get("random_state", seed) is None:
            classifier.set_params(random_state=seed)
        return classifier

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is not None and get_tags(self.estimator).input_tags.allow_nan
        return tags


def _column(Y: Any, label: int) -> Labels:
    column = Y[:, [label]]
    return np.asarray(column if isinstance(column, np.ndarray) else column.toarray()).ravel()


@dataclass
class Elimination:
    """One label on the way: what it needs for a round, and where it stands.

    Parameters
    ----------
    estimator : classifier
    y : ndarray of shape (n_samples,)
        The label; -1 where it is unknown.
    folds : ndarray of int, shape (n_samples,)
        Fold of each row; -1 of rows that do not know the label.
    kept : list of int
        Features still in, the most relevant first.
    correct : int
        Rows that are right with all of them, over all held-out folds.
    losses : list of int
        For each feature kept, how many fewer rows are right without it; known when `done`.
    done : bool
    """

    estimator: Any
    y: Labels
    folds: Ints
    kept: list[int]
    correct: int
    losses: list[int]
    done: bool = False

    def trials(self) -> list[list[int]]:
        """Return the sets of this round: each feature left out once."""
        return [self.kept[:k] + self.kept[k + 1 :] for k in range(len(self.kept))]

    def settle(self, correct: Sequence[int], wanted: int | None) -> None:
        """Drop the feature without which most rows are right, the least relevant of several; or stop.

        Without a wanted size a feature is dropped as long as no more rows become wrong; one always stays.
        """
        best = max(correct, default=-1)
        enough = len(self.kept) <= (wanted or 1)
        if enough or (wanted is None and best < self.correct):
            self.losses = [self.correct - each for each in correct]
            self.done = True
            return
        place = len(correct) - 1 - list(reversed(correct)).index(best)
        del self.kept[place]
        self.correct = best


def stratified_folds(y: Array, n_folds: int, order: Ints) -> Ints:
    """Return the fold of each row: the rows of each class are dealt out in the given order; -1 where y is -1.

    Examples
    --------
    >>> stratified_folds(np.array([0, 1, 0, 1, 0]), 2, np.arange(5))
    array([0, 1, 1, 0, 0])
    """
    dealt = order[np.argsort(y[order], kind="stable")]
    dealt = dealt[(y == -1).sum() :]
    folds = np.full(y.size, -1, dtype=np.int64)
    folds[dealt] = np.arange(dealt.size) % n_folds
    return folds


def n_correct(estimator: Any, X: Any, y: Labels, folds: Ints, columns: Sequence[int]) -> int:
    """Return how many rows are right when each fold, from 0 on, is predicted by a classifier fitted on the others.

    Where the others hold one class only, or there are no columns, their most frequent class is predicted.
    """
    rows = np.flatnonzero(folds >= 0)
    if rows.size < folds.size:
        X, y, folds = X[rows], y[rows], folds[rows]
    chosen = X[:, list(columns)]
    total = 0
    for fold in np.unique(folds):
        test = folds == fold
        known = y[~test]
        if len(columns) == 0 or known.size == 0 or known.min() == known.max():
            predicted: Any = int(2 * known.sum(dtype=np.int64) > known.size)
        else:
            predicted = clone(estimator).fit(chosen[~test], known).predict(chosen[test])
        total += int(np.sum(predicted == y[test]))
    return total


def eliminated(X: Any, labels: list[Elimination], wanted: int | None, n_jobs: int | None) -> None:
    """Work through all labels, one round of all those that are not done at a time, until all are done."""
    with Parallel(n_jobs=n_jobs) as workers:
        counts = workers(delayed(n_correct)(each.estimator, X, each.y, each.folds, each.kept) for each in labels)
        for each, count in zip(labels, counts, strict=True):
            each.correct = count
        for active in progress(_rounds(labels), "Wrapper, rounds"):
            trials = [(each, columns) for each in active for columns in each.trials()]
            found = iter(
                workers(delayed(n_correct)(each.estimator, X, each.y, each.folds, columns) for each, columns in trials)
            )
            for each in active:
                each.settle([next(found) for _ in each.kept], wanted)


def _rounds(labels: list[Elimination]) -> Iterator[list[Elimination]]:
    while active := [each for each in labels if not each.done]:
        yield active
