"""Several graphs in one batch: the same fits as one graph after the other."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners import LogisticLearner
from plait.learners.logistic.prepared_problem import GraphBatch
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("either_path")

GRAPHS = (LabelGraph([[], [0], [1], []]), LabelGraph([[1], [], [0, 1], []]), LabelGraph([[]] * 4))


def problem(n=90, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 4, size=d)
    Y = (X[:, :4] + rng.normal(size=(n, 4)) > 0).astype(np.uint8)
    Y[:, 3] = 0  # never there
    return X, Y, rng.random((n, 3)) + 0.01


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "learner", [LogisticLearner(0.3, tol=1e-10), LogisticLearner(5.0, standardize="balanced", tol=1e-10)]
)
def test_every_graph_is_fitted_as_if_alone(learner, stored):
    X, Y, weights = problem()
    starts = [learner.fit(stored(X), Y, graph) for graph in GRAPHS]
    found = GraphBatch(learner, stored(X), Y).fit(starts, weights, tol=1e-10)
    for graph, part, column in zip(GRAPHS, found, weights.T, strict=True):
        known = learner.fit(stored(X), Y, graph, sample_weight=np.repeat(column[:, None], 4, axis=1))
        assert part.graph is graph
        np.testing.assert_allclose(part.coef_, known.coef_, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(part.parent_coef_, known.parent_coef_, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(part.intercept_[:3], known.intercept_[:3], rtol=1e-4, atol=1e-6)
        assert part.intercept_[3] == starts[0].intercept_[3]  # a label with one value stays as it was
        assert part.converged_.all()


def test_every_graph_has_its_own_strengths_and_keeps_them():
    X, Y, weights = problem()
    starts = [LogisticLearner(C).fit(X, Y, graph) for C, graph in zip([0.01, 1.0, 100.0], GRAPHS, strict=True)]
    found = GraphBatch(LogisticLearner(), X, Y).fit(starts, weights, tol=1e-9)
    sizes = [np.abs(part.coef_[:3]).sum() for part in found]
    assert sizes[0] < sizes[1] < sizes[2]
    for C, part, column in zip([0.01, 1.0, 100.0], found, weights.T, strict=True):
        np.testing.assert_array_equal(part.C_[:3], C)
        known = LogisticLearner(C).fit(X, Y, part.graph, sample_weight=np.repeat(column[:, None], 4, axis=1))
        np.testing.assert_allclose(part.coef_, known.coef_, rtol=1e-3, atol=1e-6)
