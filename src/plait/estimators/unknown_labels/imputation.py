"""Unknown labels drawn once from P(unknown | known, x), for what can only count or train on whole rows."""

from typing import Any

import numpy as np

from plait.core.arrays import Labels
from plait.core.randomness import generator
from plait.core.unknown_labels import has_unknown
from plait.estimators.unknown_labels.completions import completed
from plait.estimators.unknown_labels.em import fitted_on_known
from plait.joint import LinearDistribution
from plait.joint.row_streams import row_seeds
from plait.learners import LinearConditionals, LogisticLearner
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph, LabelTree
from plait.structure.structure_input import StructureInput

__all__ = ["imputed_labels"]

# A chain of more labels costs more than what it adds to a tree.
_LONGEST_CHAIN = 200


def imputed_labels(X: Any, Y: Any, sample_weight: Any, seed: int) -> Labels:
    """Return labels of which unknown ones are drawn from a chain of logistic regressions that EM has trained.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features, finite.
    Y : ndarray of int8, shape (n_samples, n_labels)
        Labels, -1 where unknown; those that are all known come back as they are.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows.
    seed : int
        Of the draws.

    Returns
    -------
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Counts over such rows are, on average, those of rows whose labels are all known, where labels are missing at
        random. With more than 200 labels a tree takes the place of the chain.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 1))
    >>> Y = np.column_stack([X[:, 0] > 0] * 2).astype(np.int8)
    >>> Y[::2, 1] = -1
    >>> bool((imputed_labels(X, Y, None, 0)[:, 1] == (X[:, 0] > 0)).mean() > 0.9)
    True
    """
    if not has_unknown(Y):
        return np.asarray(Y)
    n_labels, learner = Y.shape[1], LogisticLearner(C="cv", standardize="balanced")
    if n_labels <= _LONGEST_CHAIN:
        graph = LabelGraph([list(range(label)) for label in range(n_labels)])
    else:
        graph = LabelTree().build_checked(StructureInput("LabelTree", X, Y, generator(seed)))
    fitted = fitted_on_known(learner, Problem(X, Y, graph, None, sample_weight), seed)
    assert isinstance(fitted, LinearConditionals)
    model = LinearDistribution(graph, fitted.base_scores(X), fitted.parent_coef_, np.asarray(Y))
    found = completed(model, np.zeros(n_labels), row_seeds(seed, len(Y)), most=1, everything=True)
    # A label of one known value is never given the other.
    zero, one = (Y == 0).any(axis=0), (Y == 1).any(axis=0)
    return np.asarray((found.values | (one & ~zero)) & ~(zero & ~one)).astype(np.uint8)
