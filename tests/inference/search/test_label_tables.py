"""Tables of all label vectors against sums and products written out."""

from itertools import product

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.inference import enumerated_marginals
from plait.inference.search.label_tables import (
    MOST_LABELS,
    LogTable,
    all_label_vectors,
    best_by_table,
    distinct_vectors,
    enumerated_blocks,
    label_sums,
    largest_places,
    table_serves,
    vector_numbers,
    vectors_of,
)
from plait.joint import LinearDistribution
from plait.structure import LabelGraph
from plait.testing import random_evidence, random_graph, random_linear, random_mixture, random_tables


def model_of(make, n_labels, n_rows=9, known=False, seed=0, density=0.6):
    draws = np.random.default_rng(seed)
    model = make(random_graph(n_labels, draws, density), n_rows, draws, scale=1.5)
    return model.clamp(random_evidence((n_rows, n_labels), draws)) if known else model


def whole_table(model, n_entries=1 << 17):
    blocks = list(enumerated_blocks("test", model, n_entries))
    assert [rows.stop for rows, _ in blocks[:-1]] == [rows.start for rows, _ in blocks[1:]]
    return np.concatenate([probabilities for _, probabilities in blocks])


@pytest.mark.parametrize("make", [random_linear, random_tables])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_labels", [1, 2, 5, 8])
def test_the_table_holds_every_vector_at_its_number(make, known, n_labels):
    model = model_of(make, n_labels, known=known)
    vectors = all_label_vectors(n_labels)
    expected = np.exp(model.log_prob(np.broadcast_to(vectors, (9, *vectors.shape))))
    np.testing.assert_allclose(whole_table(model), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_the_order_of_the_graph_and_of_the_parents_does_not_matter(density):
    draws = np.random.default_rng(3)
    graph = random_graph(6, draws, density)
    turned = LabelGraph([tuple(parents[::-1]) for parents in graph.parents], graph.order)
    model = random_linear(graph, 4, np.random.default_rng(1))
    other = random_linear(turned, 4, np.random.default_rng(1))
    other = type(other)(turned, model.base, model.parent_coef)
    np.testing.assert_allclose(whole_table(model), whole_table(other), rtol=1e-13)


def test_a_mixture_is_the_mean_of_its_parts():
    draws = np.random.default_rng(0)
    mixture = random_mixture([random_graph(5, draws) for _ in range(3)], 7, draws)
    parts = [np.exp(w) * whole_table(part) for w, part in zip(mixture.log_weights, mixture.components, strict=True)]
    np.testing.assert_allclose(whole_table(mixture), sum(parts), rtol=1e-13)


@pytest.mark.parametrize("n_entries", [1, 64, 100, 1 << 20])
def test_any_blocks_of_rows_give_the_same_bits(n_entries):
    model = model_of(random_linear, 6, n_rows=13, known=True)
    np.testing.assert_array_equal(whole_table(model, n_entries), whole_table(model))
    whole, log_evidence = enumerated_marginals(model)
    for row in range(13):
        alone = enumerated_marginals(model.take(slice(row, row + 1)))
        np.testing.assert_array_equal(alone[0][0], whole[row])
        assert alone[1][0] == log_evidence[row]


@pytest.mark.parametrize("n_labels", [1, 3, 9])
def test_sums_by_label(n_labels):
    p = np.random.default_rng(0).random((5, 1 << n_labels))
    total, by_label = label_sums(p)
    np.testing.assert_allclose(total, p.sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(by_label, p @ all_label_vectors(n_labels), rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 16])
@pytest.mark.parametrize("size", [16, 2048])
def test_the_largest_places_with_ties(n, size):
    values = np.random.default_rng(n).integers(0, 6, (20, size)).astype(float)
    expected = [sorted(range(size), key=lambda k, row=row: (-row[k], k))[:n] for row in values]
    np.testing.assert_array_equal(largest_places(values, n), expected)


@pytest.mark.parametrize("known", [False, True])
def test_the_best_of_the_table_and_fewer_than_asked_for(known):
    model = model_of(random_linear, 3, known=known)
    table = whole_table(model)
    vectors, log_weights = best_by_table("test", model, 11)
    assert vectors.shape == (9, 11, 3)
    for row in range(9):
        used = np.isfinite(log_weights[row])
        assert used.sum() == (table[row] > 0).sum()
        np.testing.assert_allclose(np.exp(log_weights[row]), np.append(-np.sort(-table[row]), [0.0] * 3), rtol=1e-12)
        np.testing.assert_array_equal(
            table[row, vector_numbers(vectors[row, used])], -np.sort(-table[row])[: used.sum()]
        )


def test_a_table_to_look_up():
    model = model_of(random_linear, 4)
    table = LogTable(np.log(whole_table(model)), None)
    Y = np.random.default_rng(1).integers(0, 2, (9, 5, 4)).astype(np.uint8)
    np.testing.assert_allclose(table.log_prob(Y), model.log_prob(Y), rtol=1e-12)
    np.testing.assert_allclose(table.log_prob(Y[:, 0]), model.log_prob(Y[:, 0]), rtol=1e-12)
    rows = np.array([4, 2])
    np.testing.assert_array_equal(table.take(rows).log_prob(Y[rows]), table.log_prob(Y)[rows])


def test_which_models_have_a_table():
    few, many = model_of(random_linear, 10), model_of(random_linear, 11)
    assert table_serves(few)
    assert table_serves(few, most=1023)
    assert not table_serves(few, most=1022)
    assert not table_serves(many)
    with pytest.raises(ParameterError, match="Exhaustive needs at most 20 labels"):
        next(enumerated_blocks("Exhaustive", model_of(random_linear, 21, density=0.1)))


@pytest.mark.parametrize("n_labels", [0, 1, 2, 5])
def test_all_vectors_come_in_lexicographic_order(n_labels):
    expected = np.array(list(product((0, 1), repeat=n_labels)), dtype=np.uint8).reshape(2**n_labels, n_labels)
    np.testing.assert_array_equal(all_label_vectors(n_labels), expected)
    assert all_label_vectors(n_labels).dtype == np.uint8
    np.testing.assert_array_equal(vector_numbers(expected), np.arange(2**n_labels))


@pytest.mark.parametrize("n_labels", [1, 3, 8, 9, 64, 65, 130])
def test_distinct_vectors_are_those_of_numpy(n_labels):
    rng = np.random.default_rng(n_labels)
    vectors = rng.integers(0, 2, (7, n_labels)).astype(np.uint8)[rng.integers(0, 7, 40)]
    distinct, place = distinct_vectors(vectors)
    np.testing.assert_array_equal(distinct, np.unique(vectors, axis=0))
    np.testing.assert_array_equal(distinct[place], vectors)


@pytest.mark.parametrize("shape", [(0, 1), (5, 2), (3,)])
@pytest.mark.parametrize("n_labels", [1, 3, 31])
def test_vectors_of_numbers_are_their_inverse(shape, n_labels):
    numbers = np.random.default_rng(0).integers(0, 2**n_labels, shape)
    vectors = vectors_of(numbers, n_labels)
    assert vectors.shape == (*shape, n_labels)
    np.testing.assert_array_equal(vector_numbers(vectors), numbers)


def test_as_many_labels_as_are_said_are_gone_through():
    base = np.random.default_rng(0).normal(size=(1, MOST_LABELS))
    alone = LinearDistribution(LabelGraph([[]] * MOST_LABELS), base, np.zeros((MOST_LABELS, MOST_LABELS)))
    np.testing.assert_allclose(enumerated_marginals(alone)[0], 1.0 / (1.0 + np.exp(-base)), rtol=1e-9)
