"""Training of a pairwise field: scaling, labels with one value only, a good start, and the joint convex problem."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.baselines.label_regressions import beside
from plait.baselines.pseudo_likelihood import FieldWeights, PseudoLikelihood
from plait.baselines.scaling import divided_columns
from plait.baselines.truncated_newton import minimize_convex
from plait.core.arrays import Floats, Labels
from plait.core.parallel import one_blas_thread
from plait.features import FeatureMask
from plait.learners import LinearConditionals, LogisticLearner
from plait.learners.training.column_scaling import column_scales
from plait.learners.training.problem import constant_labels, constant_scores

__all__ = ["trained_field"]


def trained_field(
    X: Any,
    Y: Labels,
    sample_weight: Any,
    C: float,
    pair_C: float,
    kind: str,
    standardize: bool | str,
    tol: float,
    max_iter: int,
) -> tuple[FieldWeights, int, bool]:
    """Return the weights in units of X, the number of Newton steps, and whether they reached the end.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows, above 0.
    C, pair_C, kind
        Inverse strengths of the penalties and kind of pairs, as for `PseudoLikelihood`.
    standardize : bool or "auto"
        Whether columns are scaled.
    tol, max_iter
        As for `minimize_convex`.
    """
    weights = np.ones(len(Y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    mass = np.column_stack([weights @ (1.0 - Y), weights @ Y.astype(np.float64)])
    fitted = np.flatnonzero(~constant_labels(mass))
    scales = column_scales(X, standardize, sample_weight)
    X = divided_columns(X, scales)
    X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    problem = PseudoLikelihood(X, Y[:, fitted].astype(np.float64), weights, C, pair_C, kind)
    with one_blas_thread():
        found = minimize_convex(problem, _start(problem), tol, max_iter)
    return _whole(problem.field(found.theta), fitted, constant_scores(mass), scales), found.n_iter, found.converged


def _start(problem: PseudoLikelihood) -> Floats:
    """Return where to start: all regressions on [x, other labels] in one batch, their pair weights made symmetric."""
    n_labels, n_features = problem.Y.shape[1], problem.X.shape[1]
    start = np.zeros(sum(problem.sizes))
    if problem.pair_strength != problem.C or n_labels == 0 or problem.kind == "features":
        return start
    columns, mask = problem.X, None
    labels = problem.Y.astype(np.uint8)
    if problem.kind == "constant":
        columns = beside(problem.X, problem.Y)
        others = [np.r_[:n_features, n_features + np.delete(np.arange(n_labels), j)] for j in range(n_labels)]
        mask = FeatureMask.by_label(others, [np.zeros(len(chosen)) for chosen in others], columns.shape[1])
    learner = LogisticLearner(C=problem.C, standardize=False)
    separate = learner.fit(columns, labels, None, mask, sample_weight=problem.weights)
    assert isinstance(separate, LinearConditionals)
    w, b, c, _ = problem.split(start)
    w[:], b[:] = separate.coef_[:, :n_features], separate.intercept_
    if len(c):
        both_ways = separate.coef_[:, n_features:]
        c[:] = 0.5 * (both_ways + both_ways.T)[problem.ends]
    return start


def _whole(field: FieldWeights, fitted: npt.NDArray[np.int64], constant: Floats, scales: Floats) -> FieldWeights:
    """Return the weights of all labels, in units of X: those with one value only have an intercept and nothing else."""
    n_labels, n_features = len(constant), len(scales)
    coef, intercept, pair_intercept = np.zeros((n_labels, n_features)), constant, np.zeros((n_labels, n_labels))
    coef[fitted] = field.coef / scales
    intercept[fitted] = field.intercept
    pair_intercept[np.ix_(fitted, fitted)] = field.pair_intercept
    if field.pair_coef is None:
        return FieldWeights(coef, intercept, pair_intercept)
    pair_coef = np.zeros((n_labels, n_labels, n_features))
    pair_coef[np.ix_(fitted, fitted)] = field.pair_coef / scales
    return FieldWeights(coef, intercept, pair_intercept, pair_coef)
