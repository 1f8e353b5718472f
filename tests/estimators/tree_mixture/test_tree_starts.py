"""Tree-EM over fixed scores: its likelihood, its trees, and that digits decide nothing."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from plait.estimators.tree_mixture import tree_starts
from plait.estimators.tree_mixture.tree_starts import start_trees


def drawn(n=600, seed=0):
    """Return labels of a chain 0 - 1 - 2 - 3 of strong pairs, and scores that say little."""
    rng = np.random.default_rng(seed)
    scores = 0.3 * rng.normal(size=(n, 4))
    Y = np.zeros((n, 4), dtype=np.uint8)
    for label in range(4):
        parent = 4.0 * Y[:, label - 1] - 2.0 if label else 0.0
        Y[:, label] = rng.random(n) < expit(scores[:, label] + parent)
    return scores, Y


def test_one_component_is_the_tree_of_the_strongest_pairs():
    scores, Y = drawn()
    start = start_trees(scores, Y, np.ones(len(Y)), 1, 3, np.random.default_rng(0))
    edges = {frozenset(edge) for edge in start.graphs[0].edges}
    assert edges == {frozenset((k, k + 1)) for k in range(3)}
    np.testing.assert_array_equal(start.shares, 1.0)


def test_the_likelihood_is_that_of_binned_scores_and_offsets():
    scores, Y = drawn(200)
    model = tree_starts._TreeEM(scores, Y, np.arange(200) % 3 + 1.0)
    parts = np.random.default_rng(1).dirichlet([1.0, 1.0], size=200).T
    offsets = np.zeros((2, 4, 5, 2))
    for _ in range(20):
        gains = model._fitted(parts, offsets)
    bins = np.column_stack([tree_starts._bins(column) for column in scores.T])
    binned = model.bin_scores[np.arange(4), bins]
    for part, label, parent in product(range(2), range(4), range(4)):
        if label == parent:
            assert gains[part, label, parent] == -np.inf
            continue
        weights = (parts[part] + 1e-9) * model.rows
        signs = 2.0 * Y[:, label] - 1.0
        given = signs * (binned[:, label] + offsets[part, label, parent][Y[:, parent]])
        alone = signs * (binned[:, label] + offsets[part, label, 4, 0])
        expected = weights @ (np.logaddexp(0, -alone) - np.logaddexp(0, -given))
        np.testing.assert_allclose(gains[part, label, parent], expected, rtol=1e-9, atol=1e-9)
        # At the optimum the slope of the log-likelihood is the ridge of one.
        for value in (0, 1):
            rows = Y[:, parent] == value
            p = expit(binned[rows, label] + offsets[part, label, parent, value])
            slope = weights[rows] @ (Y[rows, label] - p)
            np.testing.assert_allclose(slope, offsets[part, label, parent, value], atol=1e-6)


def test_spanning_trees_are_the_heaviest():
    rng = np.random.default_rng(0)
    gains = rng.normal(size=(5, 5, 5))
    gains = gains + np.swapaxes(gains, 1, 2)
    for part, parents in zip(gains, tree_starts._spanning_trees(gains), strict=True):
        found = sum(part[label, parent] for label, parent in enumerate(parents) if parent < 5)
        best = max(
            sum(part[label, parent] for label, parent in zip(range(1, 5), chosen, strict=True))
            for chosen in product(range(5), repeat=4)
            if reaches_all(chosen)
        )
        assert parents[0] == 5
        assert found == pytest.approx(best, rel=1e-12)


def reaches_all(parents):
    known = {0}
    for _ in range(4):
        known |= {label for label, parent in zip(range(1, 5), parents, strict=True) if parent in known}
    return len(known) == 5


def test_last_digits_and_ties_of_scores_decide_nothing():
    scores, Y = drawn(300)
    scores = scores.round(1)
    moved = scores * (1.0 + 1e-9 * np.random.default_rng(3).normal(size=scores.shape))
    one, other = (start_trees(some, Y, np.ones(300), 2, 10, np.random.default_rng(0)) for some in (scores, moved))
    assert one.graphs == other.graphs
    np.testing.assert_allclose(one.shares, other.shares, rtol=1e-4, atol=1e-6)
    for column, near in zip(scores.T, moved.T, strict=True):
        np.testing.assert_array_equal(tree_starts._bins(column), tree_starts._bins(near))


@pytest.mark.parametrize("n_starts", [1, 2, 7])
def test_as_many_starts_are_drawn_as_asked_for(n_starts, monkeypatch):
    draws, drawn, draw = np.random.default_rng(0), [], tree_starts._signed_trees
    monkeypatch.setattr(tree_starts, "_signed_trees", lambda *given: drawn.append(1) or draw(*given))
    monkeypatch.setattr(tree_starts, "_ENTRIES", 1)  # one after the other
    start_trees(draws.normal(size=(50, 4)), draws.integers(0, 2, (50, 4)), np.ones(50), 2, n_starts, draws)
    assert len(drawn) == n_starts


def test_a_tree_in_unequal_parts_is_as_likely_as_the_whole():
    scores, Y = drawn(2000)
    model = tree_starts._TreeEM(scores, Y, np.ones(2000))
    whole = model.run(np.ones((1, 2000, 1)), 3, 0.0)[1]
    parts = np.broadcast_to(np.array([0.8, 0.2]), (1, 2000, 2))
    # Smaller parts are held back more by the ridge.
    np.testing.assert_allclose(model.run(parts, 3, 0.0)[1], whole, rtol=0.01)
