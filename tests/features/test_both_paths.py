"""Plain NumPy and compiled kernels choose the same features with the same scores, to the last bit, ties included."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse

import plait.features
from plait.core.kernel_policy import using_kernels
from plait.features import (
    MDMR,
    MIM,
    MLFS,
    MLIG,
    MRMR,
    SCLS,
    CorrelationSubset,
    GainRatio,
    LabelDependentFeatures,
    SelectionWarning,
    Selector,
)
from plait.structure import LabelGraph

KINDS = [getattr(plait.features, name) for name in plait.features.__all__]
SELECTORS = [kind for kind in KINDS if issubclass(kind, Selector) and not inspect.isabstract(kind)]
GRAPH = LabelGraph([[], [0], [0, 1], [2], []])


def made(form):
    """Return columns of numbers, of few symbols and of two, some of them copies, and labels that depend on them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 16)).round(1)
    X[:, 4:8] = rng.integers(-1, 3, size=(150, 4))
    X[:, 8:12] = rng.random((150, 4)) < 0.3
    X[:, [5, 9, 13]] = X[:, [4, 8, 12]]
    X[:, 15] = 7.0
    Y = (X[:, [0, 4, 8, 12, 1]] + rng.normal(size=(150, 5)) > 0.5).astype(np.uint8)
    if form == "sparse":
        X[rng.random(X.shape) < 0.5] = 0.0
        return sparse.csr_matrix(X), sparse.csr_matrix(Y)
    return X, Y


def both(selector, X, Y):
    masks = []
    for policy in ("never", "always"):
        with using_kernels(policy), warnings.catch_warnings():
            warnings.simplefilter("ignore", SelectionWarning)
            masks.append(selector.select(X, Y, GRAPH))
    return masks


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("kind", SELECTORS, ids=lambda kind: kind.__name__)
def test_every_selector(kind, form):
    plain, compiled = both(kind(), *made(form))
    assert plain == compiled


@pytest.mark.parametrize("scope", ["global", "label"])
@pytest.mark.parametrize(
    "options",
    [
        {"redundancy": "marginal"},
        {"beta": 0.3, "gamma": 0.7},
        {"beta": 0.0},
        {"gamma": 0.0},
        {"first": "relevance"},
        {"max_candidates": 6},
        {"max_candidates": 3},
    ],
    ids=str,
)
def test_every_weighting_of_the_general_criterion(options, scope):
    plain, compiled = both(MLFS(5, scope, **options), *made("dense"))
    assert plain == compiled


def test_more_labels_than_blocks():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, size=(80, 9)), (rng.random((80, 40)) < 0.3).astype(np.uint8)
    for scope in ("global", "label"):
        masks = []
        for policy in ("never", "always"):
            with using_kernels(policy):
                masks.append(MLFS(6, scope, discretizer="passthrough").select(X, Y, LabelGraph([[]] + [[0]] * 39)))
        assert masks[0] == masks[1]


@pytest.mark.parametrize("kind", [CorrelationSubset, GainRatio, LabelDependentFeatures, MDMR, MIM, MLIG, MRMR, SCLS])
@pytest.mark.parametrize("exponent", [1000, -1000])
def test_the_unit_of_features_changes_nothing(kind, exponent):
    X, Y = made("dense")
    plain, other = (kind().fit(given, Y, graph=GRAPH) for given in (X, np.ldexp(X, exponent)))
    np.testing.assert_array_equal(other.mask_.support, plain.mask_.support)
    assert str(other.ranking_) == str(plain.ranking_)
