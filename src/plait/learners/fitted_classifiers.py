"""`FittedClassifiers`: conditionals that ask one scikit-learn classifier for each label."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Labels
from plait.core.logspace import clip_probability
from plait.core.sentences import ParameterError
from plait.learners.conditionals import Conditionals, checked_n_settings, pair_scores, table_of_scores
from plait.learners.training.wrapped_estimators import called_failure
from plait.structure import LabelGraph

__all__ = ["FittedClassifiers", "RESPONSES", "own_features", "read_only", "with_parents"]


# How a classifier may answer, the best first; only the first gives probabilities.
RESPONSES = ("predict_proba", "decision_function", "predict")


@dataclass(frozen=True, eq=False, repr=False)
class FittedClassifiers(Conditionals):
    """One fitted classifier for each label, on the label's features and the values of its parents.

    Parameters
    ----------
    graph : LabelGraph
        Which labels each label depends on.
    n_features : int
        Number of columns of X.
    estimators_ : tuple of classifier or None
        The fitted classifier of each label; None for a label with one value only, and for one that has neither
        features nor parents.
    constant_scores_ : ndarray of float64, shape (n_labels,)
        The log-odds of labels without a classifier: those of the Laplace estimate.
    columns_ : tuple of ndarray of int, or None
        The features that each label uses; None for all.
    response : {"predict_proba", "decision_function", "predict"}
        How the classifiers are asked: for probabilities, whose log-odds are the scores (clipped to
        [1e-6, 1 - 1e-6]); for margins; or for decisions, which give the scores 1 and -1.
    made_by : str
        Name of the estimator, for errors.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from plait.learners import SklearnLearner
    >>> from plait.structure import LabelGraph
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 1], [1, 1], [1, 0]]
    >>> fitted = SklearnLearner(GaussianNB()).fit(X, Y, LabelGraph([[], [0]]))
    >>> [type(each).__name__ for each in fitted.estimators_]
    ['GaussianNB', 'GaussianNB']
    """

    graph: LabelGraph
    n_features: int
    estimators_: tuple[Any, ...]
    constant_scores_: Floats
    columns_: tuple[npt.NDArray[np.int64], ...] | None = None
    response: str = "predict_proba"
    made_by: str = "FittedClassifiers"

    @property
    def probabilistic(self) -> bool:  # type: ignore[override]
        """Whether scores are log-odds."""
        return self.response == "predict_proba"

    @property
    def origin(self) -> str:
        """The estimator's name."""
        return self.made_by

    def __repr__(self) -> str:
        return (
            f"FittedClassifiers({self.n_labels} labels, {self.n_features} features, {self.response} of {self.made_by})"
        )

    def scores(self, label: int, X: Any, parent_values: Labels) -> Floats:
        """Return the score of one label for every row, by one call of its classifier."""
        return self._scores(label, self._own(label, X), parent_values)

    def score_table(self, label: int, X: Any) -> Floats:
        """Return the scores of one label for every row and every setting of its parents."""
        n_parents = len(self.graph.parents[label])
        n_settings = checked_n_settings(type(self).__name__, label, n_parents)
        if self.estimators_[label] is None:
            return np.full((X.shape[0], n_settings), self.constant_scores_[label])
        return table_of_scores(partial(self._scores, label), self._own(label, X), n_parents)

    def scores_of_pairs(self, label: int, X: Any, rows: npt.ArrayLike, parent_values: Labels) -> Floats:
        """Return the scores of one label for pairs of a row and a setting of its parents; each pair is asked once."""
        if np.size(rows) < X.shape[0]:
            # Few pairs: their rows first, then the label's columns of these.
            return super().scores_of_pairs(label, X, rows, parent_values)
        return pair_scores(partial(self._scores, label), self._own(label, X), rows, parent_values)

    def _own(self, label: int, X: Any) -> Any:
        if X.shape[1] != self.n_features:
            raise ParameterError(
                f"{type(self).__name__} needs X to have {self.n_features} columns, but it has {X.shape[1]}. "
                "Pass the features of the training."
            )
        return read_only(X) if self.columns_ is None else own_features(X, self.columns_[label])

    def _scores(self, label: int, features: Any, parent_values: Labels) -> Floats:
        estimator = self.estimators_[label]
        if estimator is None or features.shape[0] == 0:
            return np.full(features.shape[0], self.constant_scores_[label])
        try:
            answer = np.asarray(getattr(estimator, self.response)(with_parents(features, parent_values)))
        except Exception as error:
            raise called_failure(self.made_by, label, error) from error
        scores = _READERS[self.response](answer, np.asarray(getattr(estimator, "classes_", (0, 1))))
        if not np.isfinite(scores).all():
            raise ParameterError(
                f"{type(self).__name__} needs finite answers, but {self.response} of {self.made_by} gave "
                f"{scores[~np.isfinite(scores)][0]} for label {label}. Look at X for missing or extreme values."
            )
        return scores


def _log_odds(probabilities: Any, classes: Any) -> Floats:
    # A classifier that has not met class 1 has no column for it: the sum over no column is 0.
    chance = clip_probability(probabilities[:, classes == 1].sum(axis=1))
    return np.asarray(np.log(chance) - np.log1p(-chance))


def _margins(margins: Any, classes: Any) -> Floats:
    if margins.ndim == 2 and margins.shape[1] == 2:
        margins = margins[:, classes == 1] - margins[:, classes == 0]
    return np.asarray(margins, dtype=np.float64).ravel()


def _decisions(predicted: Any, _classes: Any) -> Floats:
    return np.where(predicted.ravel() == 1, 1.0, -1.0)


_READERS = {"predict_proba": _log_odds, "decision_function": _margins, "predict": _decisions}


def read_only(X: Any) -> Any:
    """Return X over the same memory, protected: an estimator that works in place must not change it for the next.

    Examples
    --------
    >>> X = np.zeros((2, 2))
    >>> read_only(X).flags.writeable, np.shares_memory(read_only(X), X)
    (False, True)
    """
    values = (X.data if sparse.issparse(X) else X).view()
    values.flags.writeable = False
    return type(X)((values, X.indices, X.indptr), shape=X.shape, copy=False) if sparse.issparse(X) else values


def own_features(X: Any, columns: npt.NDArray[np.int64] | None) -> Any:
    """Return some columns of X, dense or CSR as it is; None is all of them, X itself and no copy."""
    return X if columns is None else X[:, columns]


def with_parents(features: Any, parent_values: npt.NDArray[np.uint8]) -> Any:
    """Return features and values of parents side by side, of the features' form and type; no parents is no copy.

    Examples
    --------
    >>> with_parents(np.array([[0.5, 2.0]]), np.array([[1]], dtype=np.uint8))
    array([[0.5, 2. , 1. ]])
    """
    if parent_values.shape[1] == 0:
        return features
    values = parent_values.astype(features.dtype)
    if not sparse.issparse(features):
        return np.hstack([features, values])
    form = sparse.csr_array if isinstance(features, sparse.sparray) else sparse.csr_matrix
    return sparse.hstack([features, form(values)], format="csr")
