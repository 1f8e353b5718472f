"""Coefficients of parents kept sparse: the same answers as with all of them; the oracle are all vectors written out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.inference import Beam, BestFirst, Greedy, MaxProduct, MonteCarlo, SumProduct
from plait.inference.search.branch_and_bound import beam_search, search_levels, search_linear
from plait.joint import LinearDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing import enumerated, random_evidence, random_graph, random_linear


@pytest.fixture(params=["never", "always"], scope="module", autouse=True)
def kernels(request):
    with using_kernels(request.param):
        yield request.param


def kept_sparse(model):
    return replace(model, parent_coef=sparse.csr_array(model.parent_coef), effects=None)


@st.composite
def models(draw, most=8, known=True):
    """Draw chains with few parents; most labels are unlikely, some are known."""
    draws = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_labels = draw(st.integers(1, most))
    graph = random_graph(n_labels, draws, draw(st.sampled_from([0.0, 0.3, 0.7])))
    model = random_linear(graph, draw(st.integers(1, 4)), draws, draw(st.sampled_from([0.5, 1.5, 4.0])))
    model = replace(model, base=model.base - draw(st.sampled_from([0.0, 2.0, 6.0])))
    return model.clamp(random_evidence(model.base.shape, draws)) if known and draw(st.booleans()) else model


@settings(deadline=None, max_examples=80)
@given(models())
def test_numbers_of_a_distribution(model):
    few = kept_sparse(model)
    assert few.few_parents
    draws = np.random.default_rng(0)
    Y = draws.integers(0, 2, (model.n_rows, 3, model.n_labels), dtype=np.uint8)
    np.testing.assert_allclose(few.log_prob(Y), model.log_prob(Y), rtol=1e-12)
    np.testing.assert_allclose(few.flip_log_ratios(Y[:, 0]), model.flip_log_ratios(Y[:, 0]), rtol=1e-9, atol=1e-9)
    for label in range(model.n_labels):
        np.testing.assert_array_equal(few.table(label), model.table(label))
    dense, thin = model.along_the_order(), few.along_the_order()
    np.testing.assert_array_equal(thin.dense_matrix, dense.matrix)
    np.testing.assert_array_equal(thin.reach, dense.reach)
    np.testing.assert_allclose(thin.spreads, dense.spreads, rtol=1e-14)


@settings(deadline=None, max_examples=80)
@given(models())
def test_greedy_walks_are_the_same(model):
    few, whole = Greedy().infer(kept_sparse(model)), Greedy().infer(model)
    np.testing.assert_array_equal(few.vectors, whole.vectors)
    np.testing.assert_allclose(few.log_weights, whole.log_weights, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(few.exact, whole.exact)


@settings(deadline=None, max_examples=120)
@given(models(), st.sampled_from([1, 2, 5]))
def test_searches_find_the_best_of_all_vectors(model, n_best):
    _, probabilities = enumerated(model)
    best = np.sort(probabilities, axis=1)[:, ::-1][:, :n_best]
    few = kept_sparse(model)
    for found in (
        BestFirst().infer(few, n_best=n_best),
        search_linear(few, -np.inf, n_best, 10**6, np.full(few.n_rows, -np.inf))[0],
    ):
        weights = np.exp(found.log_weights[:, : best.shape[1]])
        np.testing.assert_allclose(weights, best, rtol=1e-8, atol=1e-300)
        assert found.exact.all()
        named = found.vectors.astype(np.int64) @ (1 << np.arange(model.n_labels)[::-1])
        for row, name in enumerate(named[:, : best.shape[1]]):
            held = weights[row] > 0
            np.testing.assert_allclose(probabilities[row, name[held]], weights[row][held], rtol=1e-8)


@settings(deadline=None, max_examples=80)
@given(models(), st.integers(1, 4), st.integers(1, 3))
def test_what_a_beam_claims_is_true(model, width, n_best):
    _, probabilities = enumerated(model)
    best = np.sort(probabilities, axis=1)[:, ::-1]
    n_best = min(n_best, width, best.shape[1])
    found = beam_search(kept_sparse(model), width, n_best)
    weights = np.exp(found.log_weights)
    np.testing.assert_array_less(weights[:, 0], best[:, 0] * (1 + 1e-9))
    here = found.exact & np.isfinite(found.log_weights).all(axis=1)
    np.testing.assert_allclose(weights[here], best[here, :n_best], rtol=1e-8)
    # A beam that leaves out nothing but unlikely labels is exact for the mode.
    wide = beam_search(kept_sparse(model), 2**model.n_labels, 1)
    np.testing.assert_allclose(np.exp(wide.log_weights[:, 0]), best[:, 0], rtol=1e-8)
    assert Beam(width=1).infer(kept_sparse(model)).vectors.shape == (model.n_rows, 1, model.n_labels)


def test_a_search_with_epsilon_is_that_of_levels():
    draws = np.random.default_rng(3)
    model = random_linear(random_graph(7, draws, 0.4), 5, draws)
    floor = np.log(0.1)
    found, whole = (
        search_linear(kept_sparse(model), floor, 1, 10**6, np.zeros(5))[0],
        search_levels(model, floor, 1, 10**6)[0],
    )
    np.testing.assert_array_equal(found.vectors, whole.vectors)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_messages_read_sparse_coefficients(seed):
    draws = np.random.default_rng(seed)
    model = random_linear(LabelGraph([[], [0], [0], [1, 4], []]), 3, draws)
    few = kept_sparse(model)
    np.testing.assert_allclose(SumProduct().infer(few).marginals, SumProduct().infer(model).marginals, rtol=1e-12)
    np.testing.assert_array_equal(MaxProduct().infer(few).vectors, MaxProduct().infer(model).vectors)


@pytest.mark.parametrize(("shift", "density"), [(0.0, 0.5), (2.5, 0.3), (4.0, 0.9)])
def test_means_of_draws_are_marginals(shift, density):
    """From one label that is 1 to the next: as many draws as bring the estimate within some thousandths."""
    draws = np.random.default_rng(int(10 * shift))
    model = random_linear(random_graph(9, draws, density), 3, draws, 1.2)
    model = kept_sparse(replace(model, base=model.base - shift))
    vectors, probabilities = enumerated(model)
    n_samples = 20_000
    means, n_evaluated = model.mean_conditionals(n_samples, row_seeds(0, 3))
    np.testing.assert_allclose(means, probabilities @ vectors, atol=5 * 0.5 / np.sqrt(n_samples))
    assert (n_evaluated > 0).all()
    support = MonteCarlo(50).infer(model, "marginals", random_state=1)
    alone = MonteCarlo(50).infer(model.take([1]), "marginals", random_state=row_seeds(1, 3)[[1]])
    np.testing.assert_array_equal(alone.marginals[0], support.marginals[1])


def test_many_labels_of_which_few_are_likely():
    """Thousands of labels: the search looks at the likely ones and what they touch, and proves its answer."""
    draws = np.random.default_rng(0)
    n_labels = 2500
    parents = [sorted(draws.choice(k, min(k, 2), replace=False).tolist()) for k in range(n_labels)]
    rows = np.repeat(np.arange(n_labels), [len(group) for group in parents])
    columns = np.array([parent for group in parents for parent in group])
    coef = sparse.csr_array((draws.normal(size=rows.size), (rows, columns)), shape=(n_labels, n_labels))
    base = np.full((4, n_labels), -16.0)
    likely = np.sort(draws.choice(n_labels, 8, replace=False))
    base[:, likely] = draws.normal(size=(4, 8))
    model = LinearDistribution(LabelGraph(parents), base, coef)
    with using_kernels("always"):
        found = BestFirst().infer(model)
    assert found.exact.all()
    assert set(np.flatnonzero(found.vectors.any(axis=(0, 1)))) <= set(likely)
    # The oracle: all vectors of the likely labels.
    vectors = np.zeros((2**8, n_labels), dtype=np.uint8)
    vectors[:, likely] = (np.arange(2**8)[:, None] >> np.arange(8)) & 1
    best = model.log_prob(np.tile(vectors, (4, 1, 1))).max(axis=1)
    np.testing.assert_allclose(found.log_weights[:, 0], best, rtol=1e-9)
