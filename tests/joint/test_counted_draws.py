"""Samples of distributions over graphs: how often each vector comes, whatever the path by which it was drawn."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse, stats

from plait.core.kernel_policy import using_kernels
from plait.core.sentences import ParameterError
from plait.joint import counted_draws, row_seeds
from plait.structure import LabelGraph
from plait.testing import enumerated, random_evidence, random_graph, random_linear, random_tables

MAKERS = [random_linear, random_tables]


@pytest.fixture(params=["never", "always"], autouse=True)
def path(request):
    with using_kernels(request.param):
        yield request.param


def model_of(make, n_labels, n_rows, seed, density=0.6, known=False, scale=1.0):
    draws = np.random.default_rng(seed)
    model = make(random_graph(n_labels, draws, density), n_rows, draws, scale=scale)
    return model.clamp(random_evidence((n_rows, n_labels), draws)) if known else model


def proposal(model):
    """Return P of each vector when known labels are set instead of drawn: P(y) over the known labels' factors."""
    vectors, _ = enumerated(model)
    log_p = model.log_prob(np.broadcast_to(vectors, (model.n_rows, *vectors.shape)))
    weights = np.zeros(log_p.shape)
    if model.evidence is not None:
        for label, parents in enumerate(model.graph.parents):
            for row in np.flatnonzero(model.evidence[:, label] >= 0):
                rows = np.full(len(vectors), row)
                score = model.scores(label, rows, vectors[:, list(parents)])
                weights[row] -= np.logaddexp(0.0, -score if model.evidence[row, label] == 1 else score)
    return vectors, np.exp(log_p - weights), weights


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_labels", [1, 4])
def test_counts_fit_the_distribution_over_vectors(make, known, n_labels):
    n_samples, model = 3000, model_of(make, n_labels, 12, 5 + n_labels, known=known)
    draws = model.counted_draws(n_samples, row_seeds(1, 12))
    found, counts, log_prob, log_weights = draws.padded()
    vectors, chances, weights = proposal(model)
    places = (found[:, :, None] == vectors).all(axis=3).argmax(axis=2)
    assert (counts.sum(axis=1) == n_samples).all()
    for row in range(12):
        used = counts[row] > 0
        own = places[row, used]
        assert np.unique(own).size == own.size
        np.testing.assert_allclose(log_weights[row, used], weights[row, own], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(log_prob[row, used], model.log_prob(found)[row, used], rtol=1e-10, atol=1e-12)
        seen = np.zeros(len(vectors))
        seen[own] = counts[row, used]
        expected = chances[row] * n_samples
        assert (seen[expected == 0] == 0).all()
        common = expected > 5
        statistic = ((seen - expected)[common] ** 2 / expected[common]).sum()
        assert stats.chi2.sf(statistic, common.sum()) > 1e-6


@pytest.mark.parametrize("make", MAKERS)
def test_one_sample_and_large_graphs(make):
    model = model_of(make, 9, 40_000, 0, scale=1.5)
    model = replace(model, base=np.tile(model.base[:1], (40_000, 1))) if make is random_linear else model
    vectors, log_weights = model.sample(1, random_state=3)
    assert vectors.shape == (40_000, 1, 9)
    assert (log_weights == 0).all()
    some = model.take(np.arange(50))
    p = enumerated(some)[1] @ enumerated(some)[0]
    # Rows of the linear model are all alike; those of the tables are not, and only their mean is.
    mean = p[0] if make is random_linear else (enumerated(model.take(np.arange(3000)))[1] @ enumerated(some)[0]).mean(0)
    n = 40_000 if make is random_linear else 3000
    error = np.sqrt(np.maximum(mean * (1 - mean), 1e-4) / n)
    assert (np.abs(vectors[:n, 0].mean(axis=0) - mean) < 4.5 * error).all()


@pytest.mark.parametrize("p", [1e-4, 1e-3, 0.01, 0.3, 0.999])
def test_how_many_samples_have_a_label_is_binomial(p):
    n_rows, n_samples = 4000, 1000
    model = random_linear(LabelGraph([[]]), 1, np.random.default_rng(0))
    model = replace(model, base=np.full((n_rows, 1), np.log(p / (1 - p))))
    _, counts, _, _ = (draws := model.counted_draws(n_samples, row_seeds(0, n_rows))).padded()
    ones = np.zeros(n_rows)
    rows = np.repeat(np.arange(n_rows), np.diff(draws.row_starts))
    has_one = np.diff(draws.one_starts) == 1
    ones[rows[has_one]] = draws.counts[has_one]
    assert counts.sum() == n_rows * n_samples
    expected = stats.binom(n_samples, p)
    assert abs(ones.mean() - expected.mean()) < 4 * expected.std() / np.sqrt(n_rows)
    values = np.unique(np.clip(np.arange(int(expected.mean()) - 3, int(expected.mean()) + 4), 0, n_samples))
    for value in values:
        share = expected.pmf(value)
        assert abs((ones == value).mean() - share) < 4.5 * np.sqrt(share * (1 - share) / n_rows) + 1e-12


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
def test_samples_are_the_counted_vectors_in_random_order(make, known):
    n_samples, seeds = 500, row_seeds(7, 6)
    model = model_of(make, 5, 6, 1, known=known)
    vectors, log_weights = model.sample(n_samples, seeds)
    found, counts, _, weights = model.counted_draws(n_samples, seeds).padded()
    for row in range(6):
        for place in np.flatnonzero(counts[row]):
            same = (vectors[row] == found[row, place]).all(axis=1)
            assert same.sum() == counts[row, place]
            np.testing.assert_array_equal(log_weights[row, same], weights[row, place])
    # In random order the first half is a sample too: no vector sits at one end.
    half = vectors[:, : n_samples // 2].mean(axis=1) - vectors[:, n_samples // 2 :].mean(axis=1)
    assert np.abs(half).max() < 4.5 * np.sqrt(0.25 * 4 / n_samples)
    assert (vectors[:, :-1] != vectors[:, 1:]).any(axis=2).mean() > 0.2


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_gives_the_same_bits_and_rows_do_not_see_each_other(make):
    model = model_of(make, 6, 30, 2)
    once, again, other = (model.sample(200, seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(once[0], again[0])
    assert (once[0] != other[0]).any()
    seeds = row_seeds(4, 30)
    for size in (1, 7, 30):
        blocks = [slice(start, start + size) for start in range(0, 30, size)]
        parts = np.concatenate([model.take(block).sample(200, seeds[block])[0] for block in blocks])
        np.testing.assert_array_equal(parts, once[0])


@pytest.mark.parametrize(("n_vectors", "n_ones"), [(250, 700), (250, 10_000), (100_000, 700)])
def test_room_for_few_vectors_or_ones_changes_nothing(monkeypatch, n_vectors, n_ones):
    model = model_of(random_linear, 6, 40, 2)
    seeds = row_seeds(0, 40)
    whole = model.counted_draws(100, seeds)
    monkeypatch.setattr(counted_draws, "_VECTORS", n_vectors)
    monkeypatch.setattr(counted_draws, "_ONES", n_ones)
    parts = model.counted_draws(100, seeds)
    for name in ("row_starts", "counts", "log_prob", "log_weights", "one_starts", "ones", "n_evaluations"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_scores_without_exponentials_are_drawn_by_levels():
    model = replace(model_of(random_linear, 4, 3, 0), base=np.full((3, 4), 1000.0))
    np.testing.assert_array_equal(model.sample(50, 0)[0], 1)


def test_hundreds_of_improbable_known_labels_do_not_vanish():
    n_labels = 400
    graph = LabelGraph([[]] + [[0]] * (n_labels - 1))
    model = random_linear(graph, 2, np.random.default_rng(0), scale=0.0)
    evidence = np.full((2, n_labels), 1, dtype=np.int8)
    evidence[:, 0] = -1
    model = replace(model, base=np.full((2, n_labels), -12.0)).clamp(evidence)
    vectors, log_weights = model.sample(20, 0)
    assert (log_weights < -4000).all()
    np.testing.assert_allclose(log_weights, model.log_prob(vectors) + np.logaddexp(0, -12.0), rtol=1e-10)


def test_no_rows_and_wrong_seeds():
    model = model_of(random_linear, 3, 4, 0)
    for empty in (model.take(slice(0, 0)), random_tables(model.graph, 0, np.random.default_rng(0))):
        vectors, log_weights = empty.sample(10, 0)
        assert vectors.shape == (0, 10, 3)
        assert log_weights.shape == (0, 10)
    with pytest.raises(ParameterError, match="random_state needs to hold one seed of type uint64 for each of 4 rows"):
        model.sample(10, np.zeros(3, dtype=np.uint64))


@pytest.mark.parametrize("linear", [True, False])
def test_rows_may_have_samples_of_their_own_number(linear):
    """A row draws what it would draw alone, and a row without samples nothing."""
    draws, sizes, seeds = np.random.default_rng(8), np.array([0, 7, 100, 0, 1, 30]), row_seeds(4, 6)
    made = random_linear if linear else random_tables
    model = made(random_graph(5, draws), 6, draws)
    whole = model.counted_draws(sizes, seeds)
    vectors, counts, _, _ = whole.padded()
    np.testing.assert_array_equal(counts.sum(axis=1), sizes)
    expanded, _ = whole.expanded(100, seeds)
    for row in np.flatnonzero(sizes):
        alone = model.take(slice(row, row + 1))
        single = alone.counted_draws(int(sizes[row]), seeds[row : row + 1])
        n_differ = single.counts.size
        np.testing.assert_array_equal(counts[row, :n_differ], single.counts)
        np.testing.assert_array_equal(vectors[row, :n_differ], single.padded()[0][0])
        np.testing.assert_array_equal(
            expanded[row, : sizes[row]], alone.sample(int(sizes[row]), seeds[row : row + 1])[0][0]
        )
    assert not expanded[0].any()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("kernels", ["never", "always"])
def test_mean_conditionals_are_those_at_the_drawn_parents(make, known, kernels):
    model, seeds = model_of(make, 7, 9, 3, known=known), row_seeds(2, 9)
    sizes = np.arange(1, 10) * 5
    with using_kernels(kernels):
        draws = model.counted_draws(sizes, seeds)
    vectors, counts, _, _ = draws.padded()
    expected = np.zeros((9, 7))
    for place in range(vectors.shape[1]):
        expected += counts[:, place, None] * model.factors(np.ascontiguousarray(vectors[:, place]))
    np.testing.assert_allclose(draws.mean_conditionals, expected / sizes[:, None], rtol=1e-12)


@pytest.mark.parametrize("far", [60.0, 1000.0])
def test_scores_far_from_0_are_drawn_as_their_parents_move_them(far):
    """The parent moves a score of -1000 to 0: the odds of the one are 0 times infinity in a product of odds."""
    model = random_linear(LabelGraph([[], [0]]), 1, np.random.default_rng(0))
    model = replace(model, base=np.tile([[0.0, -far]], (400, 1)), parent_coef=np.array([[0.0, 0.0], [far, 0.0]]))
    model = replace(model, effects=None)
    few = replace(model, parent_coef=sparse.csr_array(model.parent_coef))
    with using_kernels("always"):
        vectors = model.sample(50, 0)[0].reshape(-1, 2)
        means, _ = few.mean_conditionals(50, row_seeds(0, 400))
    given = vectors[vectors[:, 0] == 1, 1]
    assert abs(given.mean() - 0.5) < 4 * 0.5 / np.sqrt(given.size)
    assert vectors[vectors[:, 0] == 0, 1].mean() < 0.001
    assert abs(means[:, 1].mean() - 0.25) < 4 * 0.25 / np.sqrt(50 * 400)
