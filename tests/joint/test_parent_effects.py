"""The matrix of the parents along the order, against loops."""

import numpy as np
import pytest
from scipy import sparse

from plait.joint import GraphJoint
from plait.joint.linear_distribution import effects_along
from plait.learners import LinearConditionals
from plait.structure import LabelGraph
from plait.testing import random_graph


@pytest.mark.parametrize("n_labels", [1, 2, 31, 32, 33, 70])
def test_matrix_and_reach_are_those_of_loops(n_labels):
    draws = np.random.default_rng(n_labels)
    graph = random_graph(n_labels, draws, density=0.2)
    coef = np.zeros((n_labels, n_labels))
    for label, parents in enumerate(graph.parents):
        coef[label, list(parents)] = draws.normal(size=len(parents))
    effects = effects_along(graph, coef)
    order = graph.order
    expected = np.array([[coef[order[b], order[a]] for b in range(n_labels)] for a in range(n_labels)])
    np.testing.assert_array_equal(effects.matrix, expected)
    reach = [1 + max([b for b in range(n_labels) if expected[a, b] != 0], default=a) for a in range(n_labels)]
    np.testing.assert_array_equal(effects.reach, reach)
    np.testing.assert_allclose(effects.factors, np.exp(expected), rtol=1e-15)
    np.testing.assert_allclose(effects.spread, max(sum(abs(column)) for column in expected.T), rtol=1e-12, atol=0)
    assert effects.order is None or effects.order.tolist() == list(order)
    few = effects_along(graph, sparse.csr_array(coef))
    np.testing.assert_array_equal(few.matrix.toarray(), expected)
    np.testing.assert_array_equal(few.reach, reach)


def test_the_labels_own_order_needs_no_copy():
    assert effects_along(LabelGraph([[], [0]]), np.zeros((2, 2))).order is None


def test_blocks_of_rows_share_one_matrix():
    graph = LabelGraph([[], [0], [0, 1]])
    conditionals = LinearConditionals(graph, np.ones((3, 2)), np.tril(np.ones((3, 3)), -1), np.zeros(3))
    joint = GraphJoint(conditionals)
    first, second = joint.condition(np.ones((4, 2))), joint.condition(np.ones((2, 2)))
    assert first.along_the_order() is second.take(slice(0, 1)).along_the_order()
    assert joint.__getstate__() == {"conditionals": conditionals}
