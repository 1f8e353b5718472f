"""Label vectors and their numbers against itertools and NumPy's own unique rows."""

from itertools import product

import numpy as np
import pytest

from plait.inference.search.label_vectors import all_label_vectors, distinct_vectors, vector_numbers, vectors_of


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
