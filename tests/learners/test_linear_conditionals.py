"""`LinearConditionals` against sums written out, and against the general tables of its base."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.core.sentences import ParameterError
from plait.learners import Conditionals, LinearConditionals, LogisticLearner
from plait.structure import LabelGraph

FORMS = {"dense": np.asarray, "csr": sparse.csr_matrix, "array": sparse.csr_array}


def model_of(graph, n_features, seed=0):
    rng = np.random.default_rng(seed)
    q = graph.n_labels
    parent_coef = np.zeros((q, q))
    for child, group in enumerate(graph.parents):
        parent_coef[child, list(group)] = rng.normal(size=len(group))
    return LinearConditionals(graph, rng.normal(size=(q, n_features)), parent_coef, rng.normal(size=q))


@st.composite
def cases(draw):
    n_labels = draw(st.integers(1, 5))
    parents = [draw(st.permutations(range(k)))[: draw(st.integers(0, k))] for k in range(n_labels)]
    seed, n_samples = draw(st.integers(0, 99)), draw(st.integers(0, 6))
    model = model_of(LabelGraph(parents), draw(st.integers(1, 4)), seed)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, model.n_features)) * (rng.random((n_samples, model.n_features)) < 0.6)
    return model, X, FORMS[draw(st.sampled_from(sorted(FORMS)))], rng


@given(cases())
def test_scores_tables_and_pairs(case):
    model, X, make, rng = case
    for k, parents in enumerate(model.graph.parents):
        table = model.score_table(k, make(X))
        np.testing.assert_allclose(table, Conditionals.score_table(model, k, make(X)), rtol=1e-12, atol=1e-12)
        for column in range(2 ** len(parents)):
            values = np.array([[column >> t & 1 for t in range(len(parents))]] * len(X), dtype=np.uint8)
            values = values.reshape(len(X), len(parents))
            expected = [
                sum(x[f] * model.coef_[k, f] for f in range(len(x)))
                + model.intercept_[k]
                + sum(model.parent_coef_[k, j] for t, j in enumerate(parents) if column >> t & 1)
                for x in X
            ]
            np.testing.assert_allclose(model.scores(k, make(X), values), expected, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(table[:, column], expected, rtol=1e-10, atol=1e-12)
        if len(X):
            rows = rng.integers(0, len(X), size=9)
            values = rng.integers(0, 2, size=(9, len(parents)), dtype=np.uint8)
            pairs = model.scores_of_pairs(k, make(X), rows, values)
            columns = values.astype(int) @ (1 << np.arange(len(parents)))
            np.testing.assert_allclose(pairs, table[rows, columns], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_base_scores_have_no_parent_at_one(form):
    model = model_of(LabelGraph([[], [0], [0, 1]]), 4)
    X = np.random.default_rng(1).normal(size=(6, 4))
    base = model.base_scores(FORMS[form](X))
    assert isinstance(base, np.ndarray)
    for k, parents in enumerate(model.graph.parents):
        zeros = np.zeros((6, len(parents)), dtype=np.uint8)
        np.testing.assert_allclose(base[:, k], model.scores(k, X, zeros), rtol=1e-12)


def test_no_pairs():
    model = model_of(LabelGraph([[], [0]]), 2)
    assert model.scores_of_pairs(1, np.ones((3, 2)), [], np.zeros((0, 1), dtype=np.uint8)).shape == (0,)


def test_a_table_of_too_many_parents_is_refused():
    model = model_of(LabelGraph([[] for _ in range(21)] + [list(range(21))]), 2)
    with pytest.raises(ParameterError, match=r"^LinearConditionals.score_table needs a label with at most 20 parents"):
        model.score_table(21, np.ones((1, 2)))


def test_sizes_origin_and_pickling():
    model = model_of(LabelGraph([[], [0]]), 3)
    assert (model.n_labels, model.n_features, model.probabilistic) == (2, 3, True)
    assert model.origin == "LinearConditionals"
    copy = pickle.loads(pickle.dumps(model))
    assert copy.graph == model.graph
    np.testing.assert_array_equal(copy.coef_, model.coef_)


def test_margins_are_no_probabilities():
    graph = LabelGraph([[]])
    model = LinearConditionals(graph, np.ones((1, 2)), np.zeros((1, 1)), np.zeros(1), False, made_by="LinearSVMLearner")
    with pytest.raises(ParameterError, match=r"^log_prob needs .* but LinearSVMLearner gives decisions only"):
        model.log_prob(0, np.ones((1, 2)), np.zeros((1, 0), dtype=np.uint8))


def test_coefficients_are_transposed_once_and_not_kept_in_files():
    model = model_of(LabelGraph([[], [0]]), 3)
    X = sparse.csr_matrix(np.eye(3))
    before = model.base_scores(X)
    assert model._weights is model._weights
    again = pickle.loads(pickle.dumps(model))
    assert "_weights" not in vars(again)
    np.testing.assert_array_equal(again.base_scores(X), before)
    by_columns = LinearConditionals(model.graph, np.asfortranarray(model.coef_), model.parent_coef_, model.intercept_)
    assert np.shares_memory(by_columns._weights, by_columns.coef_)
    np.testing.assert_array_equal(by_columns.base_scores(X), before)


@pytest.mark.parametrize("kernels", ["always", "never"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_small_coefficients_dropped(kernels, form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12)) * (rng.random((80, 12)) < 0.4)
    Y = (X[:, :4] + rng.normal(size=(80, 4)) > 0).astype(np.uint8)
    graph = LabelGraph([[], [0], [0, 1], []])
    with using_kernels(kernels):
        whole, thin = (LogisticLearner(sparsify=least).fit(X, Y, graph) for least in (0.0, 0.1))
        cut = np.where(np.abs(whole.coef_) > 0.1, whole.coef_, 0.0)
        np.testing.assert_array_equal(thin.dense_coef, cut)
        assert 0 < thin.coef_.nnz < whole.coef_.size
        expected = X @ cut.T + thin.intercept_
        np.testing.assert_allclose(thin.base_scores(form(X)), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(thin.recorded_scores(form(X), Y), expected + Y @ thin.parent_coef_.T, atol=1e-12)
        for label in range(4):
            own = thin.scores(label, form(X), Y[:, list(graph.parents[label])])
            np.testing.assert_allclose(own, thin.recorded_scores(form(X), Y)[:, label], rtol=1e-12, atol=1e-12)
    scales = np.arange(1.0, 13.0)
    np.testing.assert_allclose(thin.divided_by(scales).dense_coef, thin.dense_coef / scales, rtol=1e-12)
    again = LogisticLearner().fit(X, Y, graph, start=thin)
    np.testing.assert_allclose(again.coef_, whole.coef_, rtol=0, atol=1e-4)
    assert whole.sparsified(0.0) is whole
