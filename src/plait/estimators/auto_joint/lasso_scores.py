"""`LassoScores`: logistic regressions that use few of many columns."""

import inspect
from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from plait.core.arrays import Floats, Labels
from plait.core.unknown_labels import has_unknown, known_cells
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, held_rows, log_losses

__all__ = ["LassoScores"]

# Inverse strengths of the penalty, and where the search for the best starts.
_STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_FIRST = 4
# How scikit-learn is told of the penalty: by its share since 1.8, by a word before.
_BY_SHARE = inspect.signature(LogisticRegression).parameters["penalty"].default == "deprecated"
_ABSOLUTE: dict[str, Any] = {"l1_ratio": 1.0} if _BY_SHARE else {"penalty": "l1"}
# liblinear has one random generator for all threads, which every fit seeds: one fit at a time, or bits would differ.
_one_at_a_time = Lock()


class LassoScores(BaseScores):
    """Log-odds of logistic regressions with an absolute penalty [Tibshirani1996], by scikit-learn's liblinear.

    Where a few of very many columns tell all about a label, as words of short texts do, this finds them from few rows.
    One strength serves all labels: the one of least log-loss over the held-out rows.

    Attributes
    ----------
    coef_ : CSR matrix of shape (n_features, n_labels)
        Coefficients.
    intercept_ : ndarray of float64, shape (n_labels,)
        Log-odds at zero.
    C_ : float
        Inverse strength of the penalty that was chosen.
    scaler_ : StandardScaler or None
        Of dense columns.

    References
    ----------
    [Tibshirani1996] Tibshirani: Regression shrinkage and selection via the lasso, 1996.

    Examples
    --------
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=["text", LassoScores()])
    AutoJoint(learners=['text', LassoScores()])
    """

    name = "lasso"

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Find the strength by the folds, and fit on all rows with it."""
        self.scaler_ = None if sparse.issparse(X) else StandardScaler().fit(X, sample_weight=sample_weight)
        X = self._placed(X)
        asked = held_rows(folds)
        weights = np.ones(len(Y)) if sample_weight is None else sample_weight
        found: dict[int, Floats] = {}

        def loss(place: int) -> float:
            if place not in found:
                scores = np.empty(Y.shape)
                for training, held in folds:
                    part = _fitted(X[training], Y[training], weights[training], _STRENGTHS[place], seed)
                    scores[held] = _scores(X[held], *part)
                found[place] = scores[asked]
            return float(np.average(log_losses(found[place], Y[asked]), weights=weights[asked]))

        best = _FIRST
        for step in (1, -1):
            while 0 <= best + step < len(_STRENGTHS) and loss(best + step) < loss(best):
                best += step
            if best != _FIRST:
                break
        self.C_ = _STRENGTHS[best]
        self.coef_, self.intercept_ = _fitted(X, Y, weights, self.C_, seed)
        return found[best]

    def log_odds(self, X: Any) -> Floats:
        """Return `X @ W + b`."""
        return _scores(self._placed(X), self.coef_, self.intercept_)

    def _placed(self, X: Any) -> Any:
        return X if self.scaler_ is None else self.scaler_.transform(X)


def _scores(X: Any, coef: Any, intercept: Floats) -> Floats:
    found = X @ coef
    return np.asarray((found.toarray() if sparse.issparse(found) else found) + intercept)


def _fitted(X: Any, Y: Labels, weights: Floats, C: float, seed: int) -> tuple[Any, Floats]:
    """Return coefficients (n_features, n_labels), mostly zeros, and intercepts."""
    known = known_cells(Y).T if has_unknown(Y) else [slice(None)] * Y.shape[1]
    found = [_one_label(X[some], labels[some], weights[some], C, seed) for labels, some in zip(Y.T, known, strict=True)]
    coef = sparse.csr_matrix(np.column_stack([each for each, _ in found]))
    return coef, np.array([intercept for _, intercept in found])


def _one_label(X: Any, labels: Any, weights: Floats, C: float, seed: int) -> tuple[Floats, float]:
    ones, total = float(weights @ labels), float(weights.sum())
    if not 0 < labels.sum() < len(labels):  # the log-odds of Laplace's estimate
        return np.zeros(X.shape[1]), float(np.log(ones + 1.0) - np.log(total - ones + 1.0))
    model = LogisticRegression(C=C, **_ABSOLUTE, solver="liblinear", tol=1e-3, max_iter=200, random_state=seed)
    with _one_at_a_time:
        model.fit(X, labels, sample_weight=weights)
    return model.coef_[0], float(model.intercept_[0])
