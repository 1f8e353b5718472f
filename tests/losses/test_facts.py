"""Two facts about modes and marginals, in which subset and Hamming loss have one answer [PCC 4.2, OCC 4.1]."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from plait.inference import Exhaustive, Greedy
from plait.inference.search.label_tables import all_label_vectors
from plait.joint import LinearDistribution
from plait.losses import Hamming, Subset
from plait.structure import LabelGraph
from plait.testing import TableDistribution


def chain_of(probabilities, order):
    """Return the chain along an order whose conditionals are those of the joint probabilities (n_rows, 2 ** q)."""
    vectors = all_label_vectors(len(order))
    parents, tables = [()] * len(order), [np.empty(0)] * len(order)
    for place, label in enumerate(order):
        before = tuple(order[:place])
        table = np.empty((len(probabilities), 2**place))
        for setting in range(2**place):
            agrees = (vectors[:, list(before)] == [(setting >> t) & 1 for t in range(place)]).all(axis=1)
            one, zero = (probabilities[:, agrees & (vectors[:, label] == value)].sum(axis=1) for value in (1, 0))
            table[:, setting] = np.log(one) - np.log(zero)
        parents[label], tables[label] = before, table
    return TableDistribution(LabelGraph(parents, order), tables)


def test_a_chain_along_any_order_is_the_joint_it_came_from():
    p = np.random.default_rng(0).dirichlet(np.ones(8), size=3)
    for order in permutations(range(3)):
        support = Exhaustive().infer(chain_of(p, order), "distribution")
        np.testing.assert_allclose(np.exp(support.log_weights), p, rtol=1e-10)


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_independent_labels_have_the_mode_of_their_marginals(n_labels, seed):
    base = np.random.default_rng(seed).normal(size=(6, n_labels))
    independent = LinearDistribution(LabelGraph([[]] * n_labels), base, np.zeros((n_labels, n_labels)))
    support = Exhaustive().infer(independent, "distribution")
    np.testing.assert_allclose(support.marginals, expit(base), rtol=1e-12)
    np.testing.assert_array_equal(Subset().decide(support), Hamming().decide(support))
    np.testing.assert_array_equal(Subset().decide(support), base > 0)


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1), st.floats(0.501, 0.98))
def test_a_mode_above_one_half_is_everybodys_answer_for_any_order(n_labels, seed, share):
    rng = np.random.default_rng(seed)
    p = (1 - share) * rng.dirichlet(np.ones(2**n_labels), size=2)
    heavy = rng.integers(0, 2**n_labels, 2)
    p[np.arange(2), heavy] += share
    p = 0.999 * p + 0.001 / 2**n_labels  # every conditional is defined
    mode = all_label_vectors(n_labels)[heavy]
    for order in permutations(range(n_labels)):
        chain = chain_of(p, order)
        support = Exhaustive().infer(chain, "distribution")
        np.testing.assert_array_equal(Subset().decide(support), mode)
        np.testing.assert_array_equal(Hamming().decide(support), mode)
        np.testing.assert_array_equal(Greedy().infer(chain).mode(), mode)


def test_below_one_half_the_three_differ():
    # P(11) = 0.4, P(10) = 0, P(01) = P(00) = 0.3: the mode has label 0, its marginal is 0.4, greedy starts with 0.
    p = np.array([[0.3, 0.3, 1e-9, 0.4 - 1e-9]])
    chain = chain_of(p, (0, 1))
    support = Exhaustive().infer(chain, "distribution")
    assert Subset().decide(support).tolist() == [[1, 1]]
    assert Hamming().decide(support).tolist() == [[0, 1]]
    assert Greedy().infer(chain).mode()[0, 0] == 0
    assert Subset().expected(support, Subset().decide(support))[0] == pytest.approx(0.6, rel=1e-6)
    assert Hamming().expected(support, Hamming().decide(support))[0] == pytest.approx((0.4 + 0.3) / 2, rel=1e-6)
