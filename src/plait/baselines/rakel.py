"""`RAkEL`: random k-labelsets, an ensemble of label powersets of a few labels each [Tsoumakas2011]."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.parallel import Parallel, delayed

from plait.baselines.label_set_classifier import label_set_estimator
from plait.baselines.label_set_model import LabelSetModel, constant_marginals, fitted_label_sets
from plait.baselines.label_subsets import disjoint_subsets, overlapping_subsets
from plait.baselines.meta_classifier import (
    ESTIMATOR_RULE,
    JOBS_RULE,
    MetaClassifier,
    seeded_members,
    weight_keywords,
)
from plait.core.arrays import Floats, Labels
from plait.core.checks import Boolean, Interval, OneOf, RandomState, check_parameters
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
        Any scikit-learn classifier of several classes, cloned for each labelset. None is multinomial logistic
        regression on scaled columns.
    labelset_size : int, default=3
        Labels in each labelset (k); with fewer labels, all of them.
    n_models : int or "2q", default="2q"
        How many distinct labelsets overlap (m); "2q" is twice the number of labels. Never more than there are. Where
        labelsets are disjoint, there are as many as it takes.
    overlapping : bool, default=True
        Whether labelsets overlap (RAkELo), or part the labels among them (RAkELd).
    threshold : float, default=0.5
        A label is predicted if its score is above this.
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
        "n_jobs": JOBS_RULE,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RAkEL":
        """Draw labelsets and train a label powerset on each.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, where the estimator takes them.

        Returns
        -------
        self
        """
        check_parameters(self)
        if self.voting == "soft" and not self._probabilistic():
            raise ParameterError(
                f"RAkEL needs an estimator with predict_proba for voting='soft', but {estimator_name(self.estimator)} "
                "has none. Use voting='hard', or another estimator."
            )
        X, Y, weights = self._weighing_data(X, y, sample_weight)
        subset_draws, seed_draws = generators(self.random_state, 2)
        self.labelsets_ = self._subsets(Y.shape[1], subset_draws)
        self.models_ = self._fitted(X, Y, weights, seed_draws)
        total = len(Y) if weights is None else weights.sum()
        ones = Y.sum(axis=0) if weights is None else weights @ Y
        self._shares = (ones + 1.0) / (total + 2.0)
        self._n_votes = np.bincount(np.concatenate(self.labelsets_), minlength=Y.shape[1])
        return self

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

    def _probabilistic(self) -> bool:
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
        """Return for each label the share of its models that predict it, (n_samples, n_labels)."""
        X = self._rows(X)
        return self._means(X, LabelSetModel.predict)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels whose score is above the threshold.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        X = self._rows(X)
        scores = self._means(X, LabelSetModel.predict if self.voting == "hard" else LabelSetModel.marginals)
        thresholds = np.where(self._n_votes > 0, self.threshold, 0.5)
        return self._labels_out((scores > thresholds).astype(np.uint8))

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean of the probabilities that a label's models give it, with either kind of voting.

        Where the estimator gives no probabilities, the share of models that predict the label. Fitted on a single
        column in one dimension, one column for each class, as scikit-learn does.
        """
        X = self._rows(X)
        answer = LabelSetModel.marginals if self._probabilistic() else LabelSetModel.predict
        return self._probabilities_out(self._means(X, answer))
