"""`LabelSupport`: weights, marginals and merged vectors against plain dictionaries."""

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.inference.search.label_tables import all_label_vectors


def support(vectors, log_weights, kind="sample", **known):
    rows = len(log_weights)
    return LabelSupport(vectors, np.asarray(log_weights, float), kind, "test", np.zeros(rows, bool), **known)


def sample(n_rows=4, n_vectors=50, n_labels=3, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(0, 2, (n_rows, n_vectors, n_labels)).astype(np.uint8)
    log_weights = rng.normal(size=(n_rows, n_vectors)) - 800
    log_weights[:, :3] = -np.inf
    return support(vectors, log_weights)


def as_dictionaries(given):
    for vectors, logs in zip(given.vectors, given.log_weights, strict=True):
        table = {}
        for vector, log_weight in zip(vectors, logs, strict=True):
            table[tuple(vector)] = table.get(tuple(vector), 0.0) + np.exp(log_weight + 800)
        yield {key: weight for key, weight in table.items() if weight > 0}


def test_merged_puts_equal_vectors_together_heaviest_first():
    given = sample()
    merged = given.merged()
    for table, vectors, logs in zip(as_dictionaries(given), merged.vectors, merged.log_weights, strict=True):
        used = np.isfinite(logs)
        assert [tuple(v) for v in vectors[used]] == sorted(table, key=lambda key: (-table[key], key))
        np.testing.assert_allclose(np.exp(logs[used] + 800), sorted(table.values(), reverse=True), rtol=1e-10)
    np.testing.assert_array_equal(given.mode(), merged.vectors[:, 0])


def test_weights_and_marginals():
    given = sample()
    weights = given.weights()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-13)
    for table, row in zip(as_dictionaries(given), given.marginal_estimate(), strict=True):
        total = sum(table.values())
        expected = [sum(w for key, w in table.items() if key[k]) / total for k in range(3)]
        np.testing.assert_allclose(row, expected, rtol=1e-10)


def test_a_tie_of_equal_weights_is_exactly_one_half():
    vectors = np.repeat(np.array([[0, 1], [1, 1]], dtype=np.uint8), 500, axis=0)[None]
    given = support(vectors, np.full((1, 1000), np.log(0.3)))
    assert given.marginal_estimate().tolist() == [[0.5, 1.0]]
    assert given.mode().tolist() == [[0, 1]]


@pytest.mark.parametrize("counts", [(3, 7, 10), (250, 250, 500), (113, 271, 384), (49, 1, 50)])
def test_a_tie_of_counted_draws_is_exactly_one_half(counts):
    vectors = np.array([[[1, 0], [1, 1], [0, 1]]], dtype=np.uint8)
    given = support(vectors, np.log([counts]))
    assert given.marginal_estimate()[0, 0] == 0.5
    np.testing.assert_array_equal(given.weights(), [np.array(counts) / sum(counts)])


def test_weights_that_are_not_counts_stay_as_they_are():
    vectors = np.array([[[1, 0], [0, 1]], [[1, 0], [0, 1]]], dtype=np.uint8)
    given = support(vectors, [[0.5, 900.0], [np.log(2), np.log(3) + 1e-6]])
    expected = [[np.exp(-899.5), 1.0], [2 / (2 + 3 * np.exp(1e-6)), 1 - 2 / (2 + 3 * np.exp(1e-6))]]
    np.testing.assert_allclose(given.weights(), expected, rtol=1e-14)


def test_shared_vectors_are_seen_and_give_the_same_sums():
    rng = np.random.default_rng(1)
    vectors = np.broadcast_to(all_label_vectors(4), (5, 16, 4))
    logs = rng.normal(size=(5, 16))
    shared, apart = support(vectors, logs), support(vectors.copy(), logs)
    assert shared.shared_vectors() is not None
    assert apart.shared_vectors() is None
    np.testing.assert_allclose(shared.marginal_estimate(), apart.marginal_estimate(), rtol=1e-13)


def test_known_marginals_are_handed_on():
    known = np.array([[0.25, 0.75]])
    given = support(np.zeros((1, 1, 2), np.uint8), [[0.0]], "modes", marginals=known)
    assert given.marginal_estimate() is known


@pytest.mark.parametrize("n_vectors", [0, 4])
def test_no_rows(n_vectors):
    given = support(np.zeros((0, n_vectors, 3), np.uint8), np.zeros((0, n_vectors)))
    assert given.marginal_estimate().shape == (0, 3)
    assert given.merged().n_rows == 0
    assert given.weights().shape == (0, n_vectors)


def test_marginals_without_vectors_answer_what_they_can():
    known = np.array([[0.25, 0.75]])
    given = support(np.zeros((1, 0, 2), np.uint8), np.zeros((1, 0)), "modes", marginals=known)
    np.testing.assert_array_equal(given.marginal_estimate(), known)
    for question in (given.mode, given.weights):
        with pytest.raises(ParameterError, match="needs label vectors, but test was asked for marginals"):
            question()


def test_two_rows_share_their_vectors_only_where_these_are_the_same():
    own = np.array([[[0, 1], [1, 1]], [[0, 0], [1, 0]]], dtype=np.uint8)
    assert support(own, np.zeros((2, 2))).shared_vectors() is None
    alike = support(np.broadcast_to(own[:1], (2, 2, 2)), np.zeros((2, 2)))
    np.testing.assert_array_equal(alike.shared_vectors(), own[0])
    np.testing.assert_array_equal(support(own[1:], np.zeros((1, 2))).shared_vectors(), own[1])
