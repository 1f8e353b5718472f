"""`LabelSetModel`: one classifier whose classes are the label sets of its training rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.inference.label_vectors import distinct_vectors
from plait.learners.fitted_classifiers import read_only
from plait.learners.training.problem import constant_labels, constant_scores

__all__ = ["LabelSetModel", "constant_marginals", "fitted_label_sets"]


@dataclass(frozen=True, eq=False)
class LabelSetModel:
    """P(label set | x) over the label sets of the training.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_sets, n_labels)
        The label sets, the smallest vector first; class c of the classifier is row c.
    classifier : classifier or None
        Fitted on the numbers of the label sets; None where there is one set only.
    fixed : ndarray of float64, shape (n_labels,)
        Marginals of labels with one value only in training (their Laplace estimate), NaN for all others.
    """

    vectors: Labels
    classifier: Any
    fixed: Floats

    def predict(self, X: Any) -> Labels:
        """Return the label set that the classifier decides on, (n_samples, n_labels)."""
        if self.classifier is None:
            return np.repeat(self.vectors, X.shape[0], axis=0)
        return self.vectors[np.asarray(self.classifier.predict(X)).astype(np.int64).ravel()]

    def probabilities(self, X: Any) -> Floats:
        """Return the probability of each label set, (n_samples, n_sets)."""
        if self.classifier is None:
            return np.ones((X.shape[0], 1))
        found = np.zeros((X.shape[0], len(self.vectors)))
        found[:, np.asarray(self.classifier.classes_).astype(np.int64)] = self.classifier.predict_proba(X)
        return found

    def marginals(self, X: Any) -> Floats:
        """Return P(y_k = 1 | x), summed over the label sets, (n_samples, n_labels)."""
        sums = np.clip(self.probabilities(X) @ self.vectors.astype(np.float64), 0.0, 1.0)
        return np.where(np.isnan(self.fixed), sums, self.fixed)


def fitted_label_sets(estimator: Any, X: Any, Y: Labels, metadata: dict[str, Any], fixed: Floats) -> LabelSetModel:
    """Fit an estimator (itself, no clone) on the label sets of the rows as classes."""
    vectors, codes = distinct_vectors(Y)
    if len(vectors) == 1:
        return LabelSetModel(vectors, None, fixed)
    return LabelSetModel(vectors, estimator.fit(read_only(X), codes.astype(np.int64), **metadata), fixed)


def constant_marginals(Y: Labels, sample_weight: Any = None) -> Floats:
    """Return (n_1 + 1) / (N + 2) for labels with one value only, NaN for all others; rows count by their weight.

    Examples
    --------
    >>> constant_marginals(np.array([[0, 1], [0, 0]], dtype=np.uint8))
    array([0.25,  nan])
    """
    weights = np.ones(len(Y)) if sample_weight is None else sample_weight
    ones = weights @ Y.astype(np.float64)
    mass = np.column_stack([weights @ (1.0 - Y), ones])
    laplace = 1.0 / (1.0 + np.exp(-constant_scores(mass)))
    return np.where(constant_labels(mass), laplace, np.nan)
