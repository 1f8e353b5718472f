import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.inference import entropy, exact_marginals, family_marginals
from plait.joint.graph_distribution import setting_numbers
from plait.testing import enumerated, random_evidence, random_linear, random_polytree, random_tables

pytestmark = pytest.mark.usefixtures("path")


@given(st.integers(0, 2**32), st.integers(1, 10), st.booleans(), st.sampled_from([0.0, 0.4, 1.0]))
@settings(max_examples=80)
def test_entropy_and_families_are_those_of_all_vectors(seed, n_labels, linear, share):
    draws = np.random.default_rng(seed)
    graph = random_polytree(n_labels, draws, most_parents=7, reach=4)
    model = (random_linear if linear else random_tables)(graph, 2, draws, 2.0)
    model = model.clamp(random_evidence((2, n_labels), draws, share)) if share else model
    vectors, probabilities = enumerated(model)
    p = probabilities / probabilities.sum(axis=1, keepdims=True)
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    np.testing.assert_allclose(entropy(model), -(p * logs).sum(axis=1), rtol=1e-9, atol=1e-10)
    for label, parents in enumerate(graph.parents):
        settings_of_parents, values = setting_numbers(vectors, parents), vectors[:, label]
        expected = np.zeros((2, 2 ** len(parents), 2))
        np.add.at(expected, (slice(None), settings_of_parents, values), p)
        np.testing.assert_allclose(family_marginals(model, label), expected, rtol=1e-9, atol=1e-12)


def test_families_agree_with_the_marginals_of_their_labels():
    draws = np.random.default_rng(0)
    model = random_linear(random_polytree(80, draws), 35, draws)
    model = model.clamp(random_evidence((35, 80), draws, 0.1))
    marginals, _ = exact_marginals(model)
    for label in range(0, 80, 7):
        family = family_marginals(model, label)
        np.testing.assert_allclose(family.sum(axis=(1, 2)), 1.0, rtol=1e-12)
        np.testing.assert_allclose(family[:, :, 1].sum(axis=1), marginals[:, label], rtol=1e-10, atol=1e-12)
        for t, parent in enumerate(model.graph.parents[label]):
            on = (np.arange(family.shape[1]) >> t) & 1 == 1
            np.testing.assert_allclose(family[:, on].sum(axis=(1, 2)), marginals[:, parent], rtol=1e-10, atol=1e-12)


def test_blocks_of_rows_change_nothing(monkeypatch):
    draws = np.random.default_rng(1)
    model = random_linear(random_polytree(12, draws), 40, draws)
    whole, family = entropy(model), family_marginals(model, 3)
    monkeypatch.setattr("plait.inference.polytree_entropy._BELIEFS", 300)
    np.testing.assert_allclose(entropy(model), whole, rtol=1e-13)
    np.testing.assert_allclose(family_marginals(model, 3), family, rtol=1e-13)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows(n_rows):
    draws = np.random.default_rng(2)
    model = random_tables(random_polytree(5, draws), n_rows, draws)
    assert entropy(model).shape == (n_rows,)
    assert family_marginals(model, 0).shape[0] == n_rows
