"""Both rank losses against all permutations."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.inference.search.label_tables import all_label_vectors
from plait.losses import Rank


def distribution(n_labels, n_rows, seed):
    rng = np.random.default_rng(seed)
    vectors = np.broadcast_to(all_label_vectors(n_labels), (n_rows, 2**n_labels, n_labels))
    logs = 2 * rng.normal(size=(n_rows, 2**n_labels))
    return LabelSupport(vectors, logs, "distribution", "random", np.ones(n_rows, bool))


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("n_labels", [1, 2, 3, 4, 5, 6])
def test_no_permutation_is_better(normalized, n_labels):
    loss, support = Rank(normalized=normalized), distribution(n_labels, 3, n_labels)
    own = loss.expected(support, loss.decide(support))
    orders = np.array(list(permutations(range(n_labels))), dtype=float)
    risks = support.weights() @ loss.pairwise(support.vectors[0], orders)
    np.testing.assert_allclose(own, risks.min(axis=1), rtol=0, atol=1e-12)


def test_the_two_forms_differ_where_sizes_tell():
    # Label 0 alone is rarer than the large set {1, 2, 3}, but its pairs weigh more: 1/4 against 1/6.
    vectors = np.array([[[1, 0, 0, 0, 0], [0, 1, 1, 1, 0]]], dtype=np.uint8)
    support = LabelSupport(vectors, np.log([[0.45, 0.55]]), "distribution", "by hand", np.ones(1, bool))
    np.testing.assert_allclose(Rank(normalized=False).decide(support), [[0.45, 0.55, 0.55, 0.55, 0]], rtol=1e-14)
    np.testing.assert_allclose(Rank().decide(support), [[0.45 / 4] + [0.55 / 6] * 3 + [0]], rtol=1e-14)


def test_vectors_of_each_row_are_its_own():
    rng = np.random.default_rng(0)
    vectors = rng.integers(0, 2, (5, 30, 4)).astype(np.uint8)
    support = LabelSupport(vectors, rng.normal(size=(5, 30)), "sample", "random", np.zeros(5, bool))
    sizes = vectors.sum(axis=2)
    pair_weight = np.where((sizes > 0) & (sizes < 4), 1 / np.maximum(sizes * (4 - sizes), 1), 0)
    expected = np.einsum("nm,nm,nmk->nk", support.weights(), pair_weight, vectors)
    np.testing.assert_allclose(Rank().decide(support), expected, rtol=1e-12)
    assert Rank().decide(support).dtype == np.float64


def test_marginals_of_a_search_are_the_scores():
    marginals = np.array([[0.3, 0.8, 0.5]])
    vectors = np.array([[[0, 1, 0]]], dtype=np.uint8)
    support = LabelSupport(vectors, np.zeros((1, 1)), "modes", "by hand", np.ones(1, bool), marginals=marginals)
    for normalized in (True, False):
        np.testing.assert_array_equal(Rank(normalized=normalized).decide(support), marginals)


def test_known_marginals_do_not_stand_for_a_distribution():
    """Without its sizes a set does not tell what its pairs weigh."""
    support = distribution(4, 3, 0)
    known = replace(support, marginals=support.marginal_estimate())
    np.testing.assert_array_equal(Rank().decide(known), Rank().decide(support))


def test_a_wrong_parameter_is_named():
    with pytest.raises(ParameterError, match="Rank needs normalized to be True or False, but it is 1"):
        Rank(normalized=1).value(np.zeros((1, 2)), np.zeros((1, 2)))
