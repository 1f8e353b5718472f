"""`RAkEL`: random k-labelsets, an ensemble of label powersets of a few labels each [Tsoumakas2011]."""

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.baselines.foundations.label_sets import (
    LabelSetModel,
    constant_marginals,
    fitted_label_sets,
    label_set_estimator,
)
from plait.baselines.foundations.meta_classifier import (
    ESTIMATOR_RULE,
    MetaClassifier,
    seeded_members,
    weight_keywords,
)
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import Boolean, Interval, OneOf, RandomState
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.progress_bar import progress
from plait.core.randomness import generators
from plait.core.sentences import ParameterError
from plait.learners.training.wrapped_estimators import estimator_name

__all__ = ["RAkEL"]


class RAkEL(MetaClassifier):
    """Label powersets of random sets of `labelset_size` labels, whose predictions are averaged [Tsoumakas2011].

    Assumes that labels depend on each other in small groups, and that with enough random groups every dependence is
    met in some. A good choice where `LabelPowerset` would meet too many label sets: each model has at most
    `2 ** labelset_size` classes, and sets that were never seen can be predicted.

    Parameters
    ----------
    estimator : classifier, optional
        Any scikit-learn classifier of several classes, cloned for each labelset. None is one `LogisticLearner` for all
        label sets of a labelset, see `LabelPowerset`.
    labelset_size : int, default=3
        Labels in each labelset (k); with fewer labels, all of them.
    n_models : int or "2q", default="2q"
        How many distinct labelsets overlap (m); "2q" is twice the number of labels. Never more than there are. Where
        labelsets are disjoint, there are as many as it takes.
    overlapping : bool, default=True
        Whether labelsets overlap (RAkELo), or part the labels among them (RAkELd).
    threshold : float, default=0.5
        A label is predicted if its score is at least this.
    voting : {"hard", "soft"}, default="hard"
        What `predict` compares with the threshold: "hard" is the share of a label's models that predict it, as in the
        paper; "soft" the mean of their probabilities.
    cover : bool, default=True
        Whether labels in none of the drawn labelsets get further ones. If not, such a label is predicted as most
        training rows have it.
    random_state : int, RandomState, Generator or None
        Seed of the labelsets, and of estimators whose own `random_state` is None.
    n_jobs : int, optional
        How many models are trained at once, by `joblib`. The result is the same, bit for bit, for any number.

    Attributes
    ----------
    labelsets_ : list of ndarray of int
        The labels of each model.
    models_ : list of LabelSetModel
        The fitted label powersets: `vectors`, `classifier`.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    Notes
    -----
    With either kind of voting `predict_proba` gives the mean of the probabilities that a label's models give it; where
    the estimator gives none, the share of models that predict the label.

    References
    ----------
    Tsoumakas, Katakis and Vlahavas: Random k-labelsets for multilabel classification [Tsoumakas2011].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0, X.sum(axis=1) > 0]).astype(int)
    >>> model = RAkEL(random_state=0).fit(X, Y)
    >>> [subset.tolist() for subset in model.labelsets_]
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    >>> model.predict([[2.0, 2.0], [-2.0, -2.0]])
    array([[1, 0, 1, 1],
           [0, 1, 0, 0]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": ESTIMATOR_RULE,
        "labelset_size": (Interval(int, 1, None),),
        "n_models": (Interval(int, 1, None), OneOf(("2q",))),
        "overlapping": (Boolean(),),
        "threshold": (Interval(float, 0, 1),),
        "voting": (OneOf(("hard", "soft")),),
        "cover": (Boolean(),),
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        estimator: Any = None,
        labelset_size: int = 3,
        n_models: int | str = "2q",
        overlapping: bool = True,
        threshold: float = 0.5,
        voting: str = "hard",
        cover: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.labelset_size = labelset_size
        self.n_models = n_models
        self.overlapping = overlapping
        self.threshold = threshold
        self.voting = voting
        self.cover = cover
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        if self.voting == "soft" and not self._has_probabilities():
            raise ParameterError(
                f"RAkEL needs an estimator with predict_proba for voting='soft', but {estimator_name(self.estimator)} "
                "has none. Use voting='hard', or another estimator."
            )
        subset_draws, seed_draws = generators(self.random_state, 2)
        self.labelsets_ = self._subsets(Y.shape[1], subset_draws)
        self.models_ = self._fitted(X, Y, weights, seed_draws)
        total = len(Y) if weights is None else weights.sum()
        ones = Y.sum(axis=0) if weights is None else weights @ Y
        self._shares = (ones + 1.0) / (total + 2.0)
        self._n_votes = np.bincount(np.concatenate(self.labelsets_), minlength=Y.shape[1])

    def _subsets(self, n_labels: int, draws: np.random.Generator) -> list[npt.NDArray[np.int64]]:
        if not self.overlapping:
            return disjoint_subsets(n_labels, self.labelset_size, draws)
        n_models = 2 * n_labels if isinstance(self.n_models, str) else self.n_models
        return overlapping_subsets(n_labels, self.labelset_size, n_models, self.cover, draws)

    def _fitted(self, X: Any, Y: Labels, weights: Any, draws: np.random.Generator) -> list[LabelSetModel]:
        estimator = label_set_estimator(self.estimator)
        keywords = weight_keywords(type(self).__name__, estimator, weights)
        members = seeded_members(estimator, len(self.labelsets_), draws)
        fixed = constant_marginals(Y, weights)
        tasks = progress(list(zip(members, self.labelsets_, strict=True)), "RAkEL, labelsets")
        return list(
            Parallel(n_jobs=self.n_jobs)(
                delayed(fitted_label_sets)(member, X, Y[:, subset], keywords, fixed[subset]) for member, subset in tasks
            )
        )

    def _has_probabilities(self) -> bool:
        return self.estimator is None or hasattr(self.estimator, "predict_proba")

    def _means(self, X: Any, answer: Callable[[LabelSetModel, Any], npt.NDArray[Any]]) -> Floats:
        """Return the mean answer of each label's models; for a label without a model its share of training rows."""
        found = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(answer)(model, X) for model in self.models_
        )
        total = np.zeros((X.shape[0], self.n_labels_))
        for subset, votes in zip(self.labelsets_, found, strict=True):
            total[:, subset] += votes
        return np.where(self._n_votes > 0, total / np.maximum(self._n_votes, 1), self._shares)

    def votes(self, X: Any) -> Floats:
        """Return for each label the share of its models that predict it, (n_samples, n_labels).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        X = self._rows(X)
        return self._means(X, LabelSetModel.predict)

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        scores = self._means(X, LabelSetModel.predict if self.voting == "hard" else LabelSetModel.marginals)
        thresholds = np.where(self._n_votes > 0, self.threshold, 0.5)
        return np.asarray(scores >= thresholds)

    def _marginals(self, X: Any) -> Floats:
        return self._means(X, LabelSetModel.marginals if self._has_probabilities() else LabelSetModel.predict)


def overlapping_subsets(
    n_labels: int, size: int, n_subsets: int, cover: bool, draws: np.random.Generator
) -> list[Ints]:
    """Draw distinct subsets of `size` labels, all equally likely; as many as there are, at most.

    Parameters
    ----------
    n_labels, size, n_subsets : int
        How many labels there are, how many a subset holds, and how many subsets to draw.
    cover : bool
        Whether labels in none of them get further subsets, filled up with other labels.
    draws : Generator
        Source of randomness.

    Examples
    --------
    >>> found = overlapping_subsets(5, 2, 3, True, np.random.default_rng(0))
    >>> sorted(set(np.concatenate(found).tolist()))
    [0, 1, 2, 3, 4]
    """
    size = min(size, n_labels)
    wanted = min(n_subsets, comb(n_labels, size))
    if comb(n_labels, size) <= 2 * wanted:
        everything = list(combinations(range(n_labels), size))
        chosen = {everything[place] for place in draws.choice(len(everything), wanted, replace=False)}
    else:
        chosen = set()
        while len(chosen) < wanted:
            chosen.add(_drawn(n_labels, size, draws))
    subsets = [np.array(subset, dtype=np.int64) for subset in sorted(chosen)]
    return subsets + (_covering(subsets, n_labels, size, draws) if cover else [])


def _drawn(n_labels: int, size: int, draws: np.random.Generator) -> tuple[int, ...]:
    return tuple(sorted(draws.choice(n_labels, size, replace=False).tolist()))


def _covering(subsets: list[Ints], n_labels: int, size: int, draws: np.random.Generator) -> list[Ints]:
    """Return subsets that hold all labels which the given ones leave out: new ones, since each holds such a label."""
    missing = draws.permutation(np.setdiff1d(np.arange(n_labels), np.concatenate(subsets)))
    parts = [missing[start : start + size] for start in range(0, len(missing), size)]
    return [np.sort(_filled(part, n_labels, size, draws)) for part in parts]


def _filled(part: Ints, n_labels: int, size: int, draws: np.random.Generator) -> Ints:
    others = np.setdiff1d(np.arange(n_labels), part)
    return np.concatenate([part, draws.choice(others, size - len(part), replace=False)])


def disjoint_subsets(n_labels: int, size: int, draws: np.random.Generator) -> list[Ints]:
    """Return a random partition of the labels into subsets of `size`, the last one smaller where it does not work out.

    Examples
    --------
    >>> [len(subset) for subset in disjoint_subsets(7, 3, np.random.default_rng(0))]
    [3, 3, 1]
    """
    order = draws.permutation(n_labels)
    return [np.sort(order[start : start + size]) for start in range(0, n_labels, size)]
