from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from scipy.stats import chi2

from plait.core.sentences import ParameterError
from plait.data import DataError
from plait.data.synthetic import make_label_network
from plait.data.synthetic.label_network import SHAPES, parents_of, topological_order

NETWORKS = st.builds(
    make_label_network,
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(1, 5),
    structure=st.sampled_from(SHAPES),
    strength=st.floats(0, 20),
    random_state=st.integers(0, 99),
)


def plain_probability(network, x, y):
    """Multiply the conditionals, label by label, from the formula."""
    total = 1.0
    for k, parents in enumerate(network.parents):
        score = network.intercept[k] + sum(w * v for w, v in zip(network.coef[k], x, strict=True))
        score += sum(network.parent_coef[k, j] * y[j] for j in parents)
        total *= expit(score) if y[k] else expit(-score)
    return total


@given(NETWORKS)
def test_probabilities_marginals_and_mode_agree_with_the_formula(network):
    X, q = network.dataset.X, network.n_labels
    sets = list(product((0, 1), repeat=q))
    expected = np.array([[plain_probability(network, x, y) for y in sets] for x in X])
    found = network.probabilities(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12, atol=0)
    np.testing.assert_allclose(network.marginals(X), expected @ np.array(sets), rtol=1e-9, atol=1e-12)
    of_mode = [plain_probability(network, x, y) for x, y in zip(X, network.mode(X), strict=True)]
    np.testing.assert_allclose(of_mode, expected.max(axis=1), rtol=1e-9, atol=0)


@given(NETWORKS)
def test_log_prob_is_that_of_the_label_set_and_sparse_equals_dense(network):
    X, Y = network.dataset.X, network.dataset.Y
    expected = [np.log(plain_probability(network, x, y)) for x, y in zip(X, Y, strict=True)]
    np.testing.assert_allclose(network.log_prob(X, Y), expected, rtol=1e-9, atol=1e-12)
    from_sparse = network.log_prob(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    np.testing.assert_allclose(from_sparse, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("structure", SHAPES)
def test_labels_are_drawn_from_the_distribution(structure):
    network = make_label_network(1, 2, 4, structure=structure, random_state=5)
    x, n = np.array([[0.3, -0.8]]), 20_000
    drawn = network.sample(np.repeat(x, n, axis=0), random_state=0)
    found = np.bincount(drawn @ [8, 4, 2, 1], minlength=16)
    expected = n * network.probabilities(x)[0]
    assert expected.min() > 5  # enough for the test to hold
    # A right sampler fails once in a hundred thousand seeds, and the seed is fixed.
    assert ((found - expected) ** 2 / expected).sum() < chi2.ppf(1 - 1e-5, 15)


def test_the_data_set_is_a_sample_too():
    network = make_label_network(5000, 3, 5, structure="polytree", random_state=1)
    marginals = network.marginals(network.dataset.X)
    sigma = np.sqrt((marginals * (1 - marginals)).sum(axis=0))
    assert (np.abs(network.dataset.Y.sum(axis=0) - marginals.sum(axis=0)) < 4 * sigma).all()
    assert network.dataset.Y.mean(axis=0).min() > 0.05


def test_strength_zero_makes_labels_independent_given_x():
    network = make_label_network(4, 2, 3, structure="full", strength=0.0, random_state=0)
    X, marginals = network.dataset.X, network.marginals(network.dataset.X)
    np.testing.assert_allclose(marginals, expit(X @ network.coef.T + network.intercept), rtol=1e-12, atol=0)
    np.testing.assert_allclose(network.probabilities(X)[:, 7], marginals.prod(axis=1), rtol=1e-9, atol=0)


@given(NETWORKS)
def test_only_parents_have_weight_and_strength_is_its_length(network):
    for k, parents in enumerate(network.parents):
        assert set(np.flatnonzero(network.parent_coef[k])) <= set(parents)


def test_strength_is_the_length_of_the_parents_weights():
    network = make_label_network(1, 2, 6, structure="full", strength=3.0, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(network.parent_coef[1:], axis=1), 3, rtol=1e-12, atol=0)


def test_given_parents():
    network = make_label_network(10, 2, 3, structure=[[1], [2], []], random_state=0)
    assert network.parents == ((1,), (2,), ())
    assert network.order == (2, 1, 0)


def test_many_rows_are_enumerated_in_parts():
    network = make_label_network(3000, 2, 11, structure="tree", random_state=0)
    X = network.dataset.X
    np.testing.assert_allclose(network.marginals(X)[-5:], network.marginals(X[-5:]), rtol=1e-12, atol=0)
    np.testing.assert_array_equal(network.mode(X)[-5:], network.mode(X[-5:]))


@settings(max_examples=10)
@given(st.integers(0, 9))
def test_same_seed_same_bits(seed):
    first, again = (make_label_network(10, 2, 4, structure="polytree", random_state=seed) for _ in range(2))
    assert first.dataset == again.dataset
    assert first.parents == again.parents
    assert (first.parent_coef == again.parent_coef).all()
    assert (first.sample(first.dataset.X, seed) == again.sample(first.dataset.X, seed)).all()
    assert first.dataset != make_label_network(10, 2, 4, structure="polytree", random_state=seed + 1).dataset


def test_more_labels_than_can_be_enumerated():
    network = make_label_network(20, 2, 40, structure="chain", random_state=0)
    assert np.isfinite(network.log_prob(network.dataset.X, network.dataset.Y)).all()
    for ask in (network.probabilities, network.marginals, network.mode):
        with pytest.raises(ParameterError, match="at most 12 labels, but there are 40"):
            ask(network.dataset.X)


def test_wrong_shapes():
    network = make_label_network(4, 2, 3, random_state=0)
    with pytest.raises(DataError, match=r"X to have shape \(n_samples, 2\), but it has \(4, 3\)"):
        network.mode(np.zeros((4, 3)))
    with pytest.raises(DataError, match=r"Y to have shape \(4, 3\), but it has \(4, 2\)"):
        network.log_prob(network.dataset.X, np.zeros((4, 2)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_samples", 0),
        ("n_features", 0),
        ("n_labels", 0),
        ("strength", -1.0),
        ("structure", "ring"),
        ("random_state", 1.5),
    ],
)
def test_wrong_parameters(name, value):
    with pytest.raises(ParameterError, match=f"make_label_network needs {name} to be"):
        make_label_network(**({"n_samples": 3, "n_features": 2, "n_labels": 2} | {name: value}))


def shape(structure, n_labels, seed=0):
    return parents_of("Mine", structure, n_labels, np.random.default_rng(seed))


@given(st.sampled_from(SHAPES), st.integers(1, 12), st.integers(0, 50))
def test_parents_come_first_in_the_order(structure, n_labels, seed):
    parents = shape(structure, n_labels, seed)
    order = topological_order("Mine", parents)
    assert sorted(order) == list(range(n_labels))
    for at, k in enumerate(order):
        assert set(parents[k]) <= set(order[:at])


def test_named_shapes():
    assert shape("independent", 3) == ((), (), ())
    assert shape("chain", 3) == ((), (0,), (1,))
    assert shape("full", 3) == ((), (0,), (0, 1))


@given(st.sampled_from(["tree", "polytree"]), st.integers(1, 12), st.integers(0, 50))
def test_trees_have_one_path_between_any_two_labels(structure, n_labels, seed):
    parents = shape(structure, n_labels, seed)
    edges = [(p, k) for k, of_label in enumerate(parents) for p in of_label]
    group = list(range(n_labels))
    for a, b in edges:
        assert group[a] != group[b]  # an edge inside a group would close a second path
        group = [group[a] if g == group[b] else g for g in group]
    assert len(set(group)) == 1
    if structure == "tree":
        assert all(len(of_label) == (k > 0) for k, of_label in enumerate(parents))


def test_polytrees_can_have_several_parents():
    assert max(len(of_label) for seed in range(20) for of_label in shape("polytree", 8, seed)) >= 2


def test_given_parents_stay_and_the_smallest_label_goes_first():
    parents = shape([[2], [], [1], ()], 4)
    assert parents == ((2,), (), (1,), ())
    assert topological_order("Mine", parents) == (1, 2, 0, 3)


def test_a_ring_is_named():
    with pytest.raises(ParameterError, match=r"acyclic, but labels \[0, 1\] wait for each other"):
        topological_order("Mine", ((1,), (0,), ()))


@pytest.mark.parametrize("structure", ["star", 7, [[0]], [[], [0, 0]], [[], [2]], [[], [1]], [[], ["a"]], [[], [-1]]])
def test_what_is_refused(structure):
    with pytest.raises(ParameterError, match="Mine needs structure to be"):
        shape(structure, 2)
