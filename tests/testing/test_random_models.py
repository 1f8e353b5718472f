"""The oracles themselves: probabilities sum to one and agree with the distributions' own."""

import numpy as np
import pytest

from plait.testing import enumerated, random_evidence, random_graph, random_linear, random_tables


@pytest.mark.parametrize("make", [random_linear, random_tables])
@pytest.mark.parametrize("n_labels", [1, 2, 6])
def test_all_vectors_sum_to_one_and_agree_with_log_prob(make, n_labels):
    draws = np.random.default_rng(n_labels)
    model = make(random_graph(n_labels, draws), 4, draws)
    vectors, probabilities = enumerated(model)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    log_prob = model.log_prob(np.broadcast_to(vectors, (4, *vectors.shape)))
    np.testing.assert_allclose(np.exp(log_prob), probabilities, rtol=1e-12)


def test_evidence_takes_out_what_contradicts_it():
    draws = np.random.default_rng(0)
    model = random_tables(random_graph(5, draws), 3, draws)
    evidence = random_evidence((3, 5), draws, share=0.5)
    vectors, probabilities = enumerated(model.clamp(evidence))
    agrees = ((evidence[:, None] < 0) | (evidence[:, None] == vectors)).all(axis=2)
    assert (probabilities[~agrees] == 0).all()
    assert (probabilities[agrees] > 0).all()


def test_random_graphs_put_parents_first_and_have_the_asked_density():
    draws = np.random.default_rng(1)
    graph = random_graph(60, draws, density=0.25)
    assert 0.2 < len(graph.edges) / (60 * 59 / 2) < 0.3
    place = {label: t for t, label in enumerate(graph.order)}
    assert all(place[parent] < place[child] for parent, child in graph.edges)
