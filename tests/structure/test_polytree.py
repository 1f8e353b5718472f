import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from plait.core.sentences import ParameterError
from plait.information import g_test
from plait.structure import LabelGraph, LabelTree, PairDependence, Polytree, maximum_spanning_forest
from plait.structure.polytree import directed_edges


def labels_of(*columns):
    Y = np.column_stack(columns).astype(np.uint8)
    return np.zeros((Y.shape[0], 1)), Y


def collider(n=5000, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, n)) < 0.5
    return labels_of(a, b, (a | b) ^ (rng.random(n) < 0.05))


def markov_chain(flip, length=3, n=5000, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.random(n) < 0.5]
    for _ in range(length - 1):
        columns.append(columns[-1] ^ (rng.random(n) < flip))
    return labels_of(*columns)


def known(information, n_held_out=1000):
    q = information.shape[0]
    return PairDependence(np.zeros((q, q)), np.zeros(q), information, n_held_out)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("test", ["ratio", "gtest"])
def test_a_collider_is_found(seed, test):
    assert Polytree("nmi", test=test, alpha=1e-3).build(*collider(seed=seed)).parents == ((), (), (0, 1))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("test", ["ratio", "gtest"])
@pytest.mark.parametrize("flip", [0.02, 0.1])
def test_a_strong_chain_has_no_collider(seed, test, flip):
    for length in (3, 5):
        graph = Polytree("nmi", test=test).build(*markov_chain(flip, length, seed=seed))
        assert graph.parents == ((), *((k,) for k in range(length - 1)))


def test_the_ratio_takes_weak_chains_for_colliders_and_the_g_test_does_not():
    given = markov_chain(0.3, n=20_000)  # correlation 0.4 for each link
    assert Polytree("nmi", test="ratio").build(*given).parents == ((), (0, 2), ())
    assert Polytree("nmi", test="gtest").build(*given).parents == ((), (0,), (1,))


def symmetric(numbers, q):
    weights = np.zeros((q, q))
    weights[np.triu_indices(q, 1)] = numbers
    return weights + weights.T


@st.composite
def weightings(draw, most=9):
    q = draw(st.integers(1, most))
    n = q * (q - 1) // 2
    values = st.one_of(st.integers(0, 3).map(float), st.floats(0.0, 1.0))
    return symmetric(draw(st.lists(values, min_size=n, max_size=n)), q)


def varying(q):
    """Rows in which every label varies."""
    Y = np.vstack([np.zeros(q), np.ones(q)]).astype(np.uint8)
    return np.zeros((2, 1)), Y


@settings(deadline=None, max_examples=200)
@given(weightings(), st.floats(0.0, 2.0), st.integers(1, 4))
def test_always_a_polytree_over_the_skeleton(weights, ratio, max_parents):
    q = weights.shape[0]
    structure = Polytree("conditional", ratio=ratio, max_parents=max_parents)
    graph = structure.build(*varying(q), pairs=known(weights))
    assert sorted((min(edge), max(edge)) for edge in graph.edges) == maximum_spanning_forest(weights)
    assert graph.is_polytree
    assert max(len(group) for group in graph.parents) <= max_parents
    levels = graph.levels
    assert list(graph.order) == sorted(range(q), key=lambda label: (levels[label], label))


@settings(deadline=None)
@given(weightings(), st.floats(0.0, 2.0))
def test_every_second_parent_was_tested(weights, ratio):
    """Where a label has several parents, each of them passed the test with another neighbour that is no child."""
    q = weights.shape[0]
    graph = Polytree("conditional", ratio=ratio, max_parents=q).build(*varying(q), pairs=known(weights))
    children = graph.children
    for j, group in enumerate(graph.parents):
        if len(group) > 1:
            weakest = min(weights[j, n] for n in (*group, *children[j]))
            untested = [a for a in group if not any(weights[a, b] < ratio * weakest for b in group if b != a)]
            # At most the one that was a parent before the label was visited.
            assert len(untested) <= 1


@settings(deadline=None)
@given(weightings())
def test_no_colliders_give_a_plain_rooted_tree(weights):
    q = weights.shape[0]
    graph = Polytree("conditional", ratio=0.0).build(*varying(q), pairs=known(weights))
    assert graph.is_forest
    edges = maximum_spanning_forest(weights)
    roots = [k for k, group in enumerate(graph.parents) if not group]
    # Each part of the forest is rooted at its smallest label.
    assert len(roots) == q - len(edges)
    for label in range(q):
        root = label
        while graph.parents[root]:
            root = graph.parents[root][0]
        assert root <= label


def test_ratio_zero_is_the_label_tree():
    rng = np.random.default_rng(3)
    Y = (rng.random((300, 7)) < 0.5).astype(np.uint8)
    X = np.zeros((300, 1))
    assert Polytree("nmi", ratio=0.0).build(X, Y) == LabelTree(root=0).build(X, Y)


def test_too_many_parents_keep_the_most_independent():
    """A star: the centre's six neighbours are independent, but 1 and 2 a little less than the others."""
    q = 7
    weights = np.full((q, q), 0.01)
    weights[1, 2] = weights[2, 1] = 0.05
    weights[0, 1:] = weights[1:, 0] = 1.0
    for most, expected in ((6, (1, 2, 3, 4, 5, 6)), (4, (3, 4, 5, 6)), (5, (1, 3, 4, 5, 6))):
        graph = Polytree("conditional", max_parents=most).build(*varying(q), pairs=known(weights))
        assert graph.parents[0] == expected
        assert all(graph.parents[k] == (() if k in expected else (0,)) for k in range(1, q))


def test_flow_goes_outward_and_earlier_directions_stay():
    # 0 -> 2 <- 1 meets at 2; then 2 -> 3; at 3 the neighbours 2 and 4 are independent, so 4 -> 3 as well.
    q = 6
    weights = np.full((q, q), 0.5)
    for a, b in ((0, 2), (1, 2), (2, 3), (3, 4), (3, 5)):
        weights[a, b] = weights[b, a] = 1.0
    for a, b in ((0, 1), (2, 4)):
        weights[a, b] = weights[b, a] = 0.0
    graph = Polytree("conditional").build(*varying(q), pairs=known(weights))
    assert graph.parents == ((), (), (0, 1), (2, 4), (), (3,))


def test_flow_goes_on_through_labels_that_were_visited_before():
    # 0 - 1 - 2 with 3 -> 2 <- 4: only at 2 is it known that 2 -> 1, and so 1 -> 0 follows.
    q = 5
    weights = np.full((q, q), 0.5)
    for a, b in ((0, 1), (1, 2), (2, 3), (2, 4)):
        weights[a, b] = weights[b, a] = 1.0
    weights[3, 4] = weights[4, 3] = 0.0
    graph = Polytree("conditional").build(*varying(q), pairs=known(weights))
    assert graph.parents == ((1,), (2,), (3, 4), (), ())


def test_parents_from_before_count_towards_the_limit():
    # 0 -> 2 <- 1, so 2 -> 3; the neighbours 2, 4, 5, 6 of 3 are all independent, and 2 is a parent already.
    q = 7
    weights = np.full((q, q), 0.5)
    for a, b in ((0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (3, 6)):
        weights[a, b] = weights[b, a] = 1.0
    weights[0, 1] = weights[1, 0] = 0.0
    weights[np.ix_([2, 4, 5, 6], [2, 4, 5, 6])] = 0.0
    weights[5, 6] = weights[6, 5] = 0.1
    for most, expected in ((2, (2, 4)), (3, (2, 4, 5)), (6, (2, 4, 5, 6))):
        graph = Polytree("conditional", max_parents=most).build(*varying(q), pairs=known(weights))
        assert graph.parents[3] == expected


def test_the_g_test_is_that_of_the_information_room():
    rng = np.random.default_rng(0)
    near = 0
    for _ in range(200):
        a, b = rng.random((2, 400)) < 0.5
        X, Y = labels_of(a, b, (a | b) ^ (rng.random(400) < 0.05))
        test = g_test(a, b)
        near += 2.7 < test.statistic < 5.5  # where nats and bits decide differently, on either side of 3.84
        graph = Polytree("nmi", test="gtest").build(X, Y)
        assert (len(graph.parents[2]) == 2) == (not test.significant(0.05))
    assert near > 10


def test_auto_needs_a_learner_up_to_75_labels():
    assert [Polytree().needs_pairs(q) for q in (1, 2, 75, 76)] == [False, True, True, False]
    assert not Polytree("nmi").needs_pairs(5)
    assert Polytree("conditional").needs_pairs(500)
    with pytest.raises(ParameterError, match="Polytree needs pairs to be a PairDependence of 3 labels, but it is None"):
        Polytree().build(*collider())


def test_more_labels_than_that_are_built_without_one():
    rng = np.random.default_rng(0)
    Y = (rng.random((200, 80)) < 0.3).astype(np.uint8)
    X = np.zeros((200, 1))
    with pytest.warns(UserWarning, match="80 labels, more than 75"):
        assert Polytree().build(X, Y) == Polytree("nmi").build(X, Y)


def test_the_tree_comes_from_the_conditional_numbers_and_the_test_from_where_it_is_told():
    X, Y = collider()
    weights = symmetric([0.4, 0.5, 0.0], 3)  # 1 - 0 - 2, and the ends independent given X
    assert Polytree().build(X, Y, pairs=known(weights)).parents == ((1, 2), (), ())
    # Marginally 1 and 2 depend on each other about as much as 0 and 2.
    marginal = Polytree(zero_mi="marginal", ratio=0.9).build(X, Y, pairs=known(weights))
    assert marginal.parents == ((), (0,), (0,))


def test_directions_are_averaged_and_clipped():
    directed = np.array([[0.0, 0.5, -0.4], [0.1, 0.0, 0.2], [-0.1, 0.2, 0.0]])
    graph = Polytree("conditional", ratio=0.0).build(*varying(3), pairs=known(directed))
    assert graph.edges == ((0, 1), (1, 2))


def test_the_g_test_on_conditional_numbers_counts_the_rows_held_out():
    limit = chi2.isf(0.05, 1)
    for n_held_out in (50, 1000):
        for factor, parents in ((0.99, ((), (0, 2), ())), (1.01, ((), (0,), (1,)))):
            weights = symmetric([1.0, factor * limit / (2 * n_held_out), 1.0], 3)
            graph = Polytree("conditional", test="gtest").build(*varying(3), pairs=known(weights, n_held_out))
            assert graph.parents == parents


def test_constant_labels_stand_alone():
    X, Y = collider()
    Y = np.column_stack([Y[:, 0], np.ones(len(Y)), Y[:, 1], np.zeros(len(Y)), Y[:, 2]]).astype(np.uint8)
    assert Polytree("nmi").build(X, Y).parents == ((), (), (), (), (0, 2))
    graph = Polytree("conditional").build(X, Y, pairs=known(np.full((5, 5), 1e-9)))
    assert graph.parents[1] == graph.parents[3] == ()
    assert not any(edge[0] in (1, 3) for edge in graph.edges)


def test_a_permutation_of_labels_keeps_the_skeleton():
    rng = np.random.default_rng(5)
    X, Y = markov_chain(0.2, length=8, n=800)
    order = rng.permutation(8)
    graph, moved = (Polytree("nmi").build(X, matrix) for matrix in (Y, Y[:, order]))
    skeleton = {frozenset(edge) for edge in graph.edges}
    assert {frozenset(int(order[end]) for end in edge) for edge in moved.edges} == skeleton


def test_one_label():
    assert Polytree().build([[0.0], [1.0]], [[0], [1]]) == LabelGraph([[]])


def naive_nmi(a, b):
    def entropy(*columns):
        counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1] / len(a)
        return -(counts * np.log(counts)).sum()

    return (entropy(a) + entropy(b) - entropy(a, b)) / min(entropy(a), entropy(b))


@pytest.mark.parametrize("limit", [0.0, 0.01, 0.1])
def test_every_earlier_label_that_shares_enough_is_a_parent_too(limit):
    X, Y = markov_chain(0.2, length=6, n=300, seed=3)
    plain = Polytree("nmi").build(X, Y)
    graph = Polytree("nmi", earlier=limit).build(X, Y)
    assert graph.order == plain.order
    for place, label in enumerate(graph.order):
        shares = {a for a in graph.order[:place] if naive_nmi(Y[:, a], Y[:, label]) > limit}
        assert set(graph.parents[label]) == shares | set(plain.parents[label])


@pytest.mark.parametrize("seed", range(5))
def test_of_too_many_parents_those_least_alike_are_kept(seed):
    """What a label shares with itself, in the diagonal, makes no difference."""
    draws = np.random.default_rng(seed)
    weights = draws.random((5, 5))
    weights += weights.T
    star = [(0, other) for other in range(1, 5)]
    found = directed_edges(5, star, lambda a, b, j: True, weights, 2)
    apart = [sum(weights[a, b] for b in range(1, 5) if b != a) for a in range(1, 5)]
    assert found[0] == sorted(1 + np.argsort(apart)[:2])


def test_the_g_test_asks_the_numbers_that_it_is_told_to():
    X, Y = collider()
    pairs = known(symmetric([0.4, 0.5, 0.0], 3))
    assert Polytree(test="gtest").build(X, Y, pairs=pairs).parents == ((1, 2), (), ())
    assert Polytree(test="gtest", zero_mi="marginal").build(X, Y, pairs=pairs).parents == ((), (0,), (0,))
    alone = Polytree("nmi", test="gtest").build(X, Y)
    assert Polytree("nmi", test="gtest").build(X, Y, pairs=known(symmetric([0.4, 0.0, 0.5], 3))) == alone
