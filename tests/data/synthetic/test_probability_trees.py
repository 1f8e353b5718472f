from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data.synthetic import random_probability_trees


@given(st.integers(1, 6), st.integers(1, 3), st.floats(0.1, 5), st.integers(0, 99))
def test_a_label_set_has_the_product_along_its_path(n_labels, n_trees, concentration, seed):
    trees = random_probability_trees(n_labels, n_trees, concentration=concentration, random_state=seed)
    assert trees.n_labels == n_labels
    found = trees.probabilities()
    assert found.shape == (n_trees, 2**n_labels)
    for at, labels in enumerate(product((0, 1), repeat=n_labels)):
        expected = np.ones(n_trees)
        for k, value in enumerate(labels):
            on = trees.conditional(labels[:k])
            expected = expected * (on if value else 1 - on)
        np.testing.assert_allclose(found[:, at], expected, rtol=1e-12, atol=0)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12, atol=0)


def test_every_node_has_a_number_of_its_own():
    trees = random_probability_trees(5, random_state=0)
    nodes = [trees.conditional(labels)[0] for k in range(5) for labels in product((0, 1), repeat=k)]
    assert nodes == trees.conditionals[0].tolist()


@pytest.mark.parametrize("a", [0.5, 1.0, 4.0])
def test_conditionals_have_the_moments_of_a_beta(a):
    values = random_probability_trees(10, 20, concentration=a, random_state=0).conditionals.ravel()
    variance = 1 / (4 * (2 * a + 1))
    assert abs(values.mean() - 0.5) < 4 * np.sqrt(variance / values.size)
    np.testing.assert_allclose(values.var(), variance, rtol=0.03, atol=0)


def test_same_seed_same_bits():
    first, again, other = (random_probability_trees(4, random_state=seed).conditionals for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).all()


@pytest.mark.parametrize(("name", "value"), [("n_labels", 21), ("n_trees", 0), ("concentration", 0.0)])
def test_wrong_parameters(name, value):
    with pytest.raises(ParameterError, match=f"random_probability_trees needs {name} to be"):
        random_probability_trees(**({"n_labels": 2} | {name: value}))
