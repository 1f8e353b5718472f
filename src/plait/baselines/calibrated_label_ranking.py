"""`CalibratedLabelRanking`: pairwise preferences between labels, and a virtual label where to cut [Fuernkranz2008]."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.baselines.binary_learners import LEARNER_RULE, binary_learner, checked_weights, label_scores
from plait.baselines.label_pairs import LinearPairs, fitted_label_pairs
from plait.baselines.meta_classifier import JOBS_RULE, MetaClassifier, seeded_members
from plait.baselines.scaling import divided_columns, in_units_of_columns, unscaled_learner
from plait.core.arrays import Floats
from plait.core.checks import RandomState, check_parameters
from plait.core.randomness import generators

__all__ = ["CalibratedLabelRanking"]


# Pairs whose scores are held at the same time.
_PAIRS_AT_ONCE = 512


class CalibratedLabelRanking(MetaClassifier):
    """Labels ranked by votes of pairwise models; those above a virtual label are predicted (CLR) [Fuernkranz2008].

    For every two labels a model learns which of them a row has, from the rows that have exactly one; for every label
    another one learns from all rows whether it is preferred to the virtual label, which is binary relevance. Each model
    gives its vote to one label, and the labels with more votes than the virtual one are predicted.

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
        "n_jobs": JOBS_RULE,
    }

    def __init__(self, estimator: Any = None, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "CalibratedLabelRanking":
        """Train the models of all pairs, and of all labels against the virtual one.

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
        X, Y, weights = self._weighing_data(X, y, sample_weight)
        learner = binary_learner(self.estimator)
        checked_weights(type(self).__name__, learner, weights)
        learner, scales = unscaled_learner(learner, X, weights)
        X = divided_columns(X, scales)
        single_draws, pair_draws = generators(self.random_state, 2)
        single = seeded_members(learner, 1, single_draws)[0]
        if "n_jobs" in single.get_params(deep=False):
            single.set_params(n_jobs=self.n_jobs)
        self.conditionals_ = in_units_of_columns(single.fit(X, Y, sample_weight=weights), scales)
        pairs = fitted_label_pairs(learner, X, Y, weights, pair_draws, self.n_jobs)
        self.pairs_ = replace(pairs, coef_=pairs.coef_ / scales) if isinstance(pairs, LinearPairs) else pairs
        return self

    def votes(self, X: Any) -> Floats:
        """Return the votes of every label and, in the last column, of the virtual one: (n_samples, n_labels + 1).

        Every row has q (q + 1) / 2 votes, and no label can get more than q of them.
        """
        X = self._rows(X)
        votes = np.zeros((X.shape[0], self.n_labels_ + 1))
        preferred = _preferred(label_scores(self.conditionals_, X))
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

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels with more votes than the virtual label.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        votes = self.votes(X)
        return self._labels_out((votes[:, :-1] > votes[:, -1:]).astype(np.uint8))

    def predict_proba(self, X: Any) -> Floats:
        """Return (v_k + 1) / (v_k + v_0 + 2), the share of label k in the votes v of it and the virtual label 0.

        Scores rather than probabilities: within a row they rank labels as votes do, and a label is predicted where its
        share exceeds one half. One vote more on either side keeps shares between 0 and 1. Fitted on a single column in
        one dimension, one column for each class, as scikit-learn does.
        """
        votes = self.votes(X)
        shares = (votes[:, :-1] + 1.0) / (votes[:, :-1] + votes[:, -1:] + 2.0)
        return self._probabilities_out(shares)


def _preferred(scores: Floats) -> Floats:
    """Return 1 where the first label is preferred, 0 where the second is, one half where nothing decides."""
    return 0.5 * (1.0 + np.sign(scores))
