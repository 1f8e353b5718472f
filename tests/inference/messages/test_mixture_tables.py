import numpy as np
import pytest

from plait.core.logspace import log_sigmoid
from plait.inference.messages._mixtures import fill_linear_logs, fill_logs, fill_terms, log_total
from plait.inference.messages.message_plan import takes_messages
from plait.inference.messages.mixture_tables import has_tables, parts_take_messages, tables_in_blocks
from plait.joint import MixtureDistribution
from plait.structure import LabelGraph
from plait.testing import random_graph, random_linear, random_mixture, random_tables


def test_logarithms_of_both_values():
    scores = np.concatenate([np.linspace(-13.9, 13.9, 1001), [0.0, 1e-9, -1e-9, 600.0, -600.0]])[None]
    logs = np.empty((1, 2 * scores.size))
    fill_logs(scores, 0, logs)
    np.testing.assert_allclose(logs[0, 0::2], log_sigmoid(-scores[0]), rtol=1e-9, atol=3e-16)
    np.testing.assert_allclose(logs[0, 1::2], log_sigmoid(scores[0]), rtol=1e-9, atol=3e-16)


def test_linear_scores_are_shifted_and_clipped():
    base, label, shifts = np.array([[0.5, -20.0]]), np.array([0, 1, 1]), np.array([0.0, 0.0, 21.0])
    logs = np.full((1, 8), np.nan)
    fill_linear_logs(base, label, shifts, 5.0, 1, np.empty(3), logs)
    truth = np.array([0.5, -5.0, 1.0])
    np.testing.assert_allclose(logs[0, 1:7:2], log_sigmoid(-truth), rtol=1e-12)
    np.testing.assert_allclose(logs[0, 2:8:2], log_sigmoid(truth), rtol=1e-12)
    assert np.isnan(logs[0, [0, 7]]).all()


@pytest.mark.parametrize("seed", range(5))
def test_terms_are_the_components_log_probabilities(seed):
    draws = np.random.default_rng(seed)
    made = random_mixture([random_graph(6, draws) for _ in range(3)], 4, draws)
    _, graphs, logs = next(tables_in_blocks(made))
    places, terms = np.empty(18, dtype=np.int64), np.empty(3)
    for row in range(4):
        y = draws.integers(0, 2, 6)
        fill_terms(graphs, made.log_weights, logs[row], y, places, terms)
        vectors = np.tile(y, (4, 1)).astype(np.uint8)
        truth = made.log_weights + [part.log_prob(vectors)[row] for part in made.components]
        np.testing.assert_allclose(terms, truth, rtol=1e-12)
        assert log_total(terms) == pytest.approx(made.log_prob(vectors)[row], rel=1e-12)


def test_which_distributions_have_tables_and_messages():
    draws = np.random.default_rng(0)
    tree, chain = LabelGraph([[], [0], [0]]), LabelGraph([list(range(k)) for k in range(12)])
    simple, wide = random_linear(tree, 1, draws), random_linear(chain, 1, draws)
    assert takes_messages(simple)
    assert has_tables(simple)
    assert not takes_messages(wide)
    assert not has_tables(wide)
    assert not takes_messages(random_tables(tree, 1, draws, probabilistic=False))
    cycle = random_linear(LabelGraph([[], [0], [0, 1]]), 1, draws)
    assert has_tables(cycle)
    assert not takes_messages(cycle)
    inner = MixtureDistribution([0.0], [simple])
    assert parts_take_messages(MixtureDistribution(np.log([0.5, 0.5]), [inner, simple]))
    assert not parts_take_messages(MixtureDistribution(np.log([0.5, 0.5]), [inner, cycle]))
    assert not parts_take_messages(simple)


def test_blocks_of_tables_are_the_tables_of_all_rows(monkeypatch):
    draws = np.random.default_rng(3)
    made = random_mixture([random_graph(5, draws) for _ in range(2)], 7, draws)
    ((_, _, whole),) = tables_in_blocks(made)
    monkeypatch.setattr("plait.inference.messages.mixture_tables._TABLE_SIZE", 3 * whole.shape[1])
    blocks = [(rows, logs) for rows, _, logs in tables_in_blocks(made)]
    assert [rows for rows, _ in blocks] == [slice(0, 3), slice(3, 6), slice(6, 7)]
    for rows, logs in blocks:
        np.testing.assert_array_equal(logs, whole[rows])
