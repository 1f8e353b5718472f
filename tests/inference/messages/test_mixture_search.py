import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.inference.messages._mixture_search import max_marginals
from plait.inference.messages.mixture_tables import as_mixture, tables_in_blocks
from plait.testing import enumerated, random_evidence, random_forest_graph, random_linear, random_polytree


@given(st.integers(0, 2**32), st.integers(1, 9), st.booleans(), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=150, deadline=None)
def test_best_completions_with_each_value(seed, n_labels, forest, share):
    draws = np.random.default_rng(seed)
    graph = (random_forest_graph if forest else random_polytree)(n_labels, draws)
    model = random_linear(graph, 1, draws, 2.0)
    fixed = random_evidence((1, n_labels), draws, share)
    _, graphs, logs = next(tables_in_blocks(as_mixture(model)))
    below, message, belief = (np.empty((n_labels, 2)) for _ in range(3))
    total = max_marginals(0, graphs, logs[0], fixed[0], below, message, belief)
    vectors, p = enumerated(model.clamp(fixed))
    with np.errstate(divide="ignore"):
        logs_of_all = np.log(p[0])
    assert np.isclose(total, logs_of_all.max(), rtol=1e-9, atol=1e-9)
    for label in range(n_labels):
        # A belief is that of the label's own part of the graph: only differences are compared.
        best = [logs_of_all[vectors[:, label] == value].max() for value in (0, 1)]
        np.testing.assert_allclose(
            np.exp(belief[label] - belief[label].max()), np.exp(np.array(best) - max(best)), rtol=1e-8, atol=1e-12
        )
