"""What every structure promises: an acyclic graph over all labels, the same bits for the same seed, clear refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import plait.structure
from plait.core.naming import registry, resolve
from plait.core.sentences import ParameterError
from plait.structure import (
    ConditionalTree,
    FullChain,
    Independent,
    InformationOrder,
    KDependence,
    LabelGraph,
    LabelTree,
    PairDependence,
    Polytree,
    Structure,
    Trellis,
    UserGraph,
)
from plait.testing import StructureConformance

NAMED = registry(plait.structure, Structure)
STRUCTURES = {
    **{name: kind() for name, kind in NAMED.items()},
    "random chain": FullChain("random"),
    "chain by information": FullChain(InformationOrder(second_term=True)),
    "two before, most frequent first": KDependence(2, "frequency"),
    "trellis of width 2": Trellis(2, "random"),
    "plain tree": LabelTree("mi"),
    "marginal polytree": Polytree("nmi", test="gtest"),
}


@pytest.mark.parametrize("structure", list(STRUCTURES.values()), ids=list(STRUCTURES))
class TestConformance(StructureConformance):
    """Every structure of the room, and some with other parameters."""


def test_every_structure_is_found_by_its_name():
    for word, kind in NAMED.items():
        assert isinstance(resolve("JointClassifier", "structure", word, plait.structure, Structure), kind)
    assert isinstance(resolve("JointClassifier", "structure", "k_dependence", plait.structure, Structure), KDependence)


def random_pairs(rng, q, n=50):
    likelihood = -rng.exponential(10.0, size=(q, q))
    return PairDependence(likelihood, -rng.exponential(10.0, size=q), rng.normal(0.05, 0.1, size=(q, q)), n)


@st.composite
def inputs(draw):
    n, q = draw(st.integers(1, 20)), draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    Y = (rng.random((n, q)) < rng.choice([0.0, 0.3, 0.6, 1.0], size=q)).astype(np.uint8)
    return rng.normal(size=(n, 3)), Y, random_pairs(rng, q)


@pytest.mark.parametrize("structure", list(STRUCTURES.values()), ids=list(STRUCTURES))
@settings(deadline=None, max_examples=30)
@given(given_input=inputs(), seed=st.integers(0, 99))
def test_a_graph_over_all_labels_and_the_same_for_the_same_seed(structure, given_input, seed):
    X, Y, pairs = given_input
    graph = structure.build(X, Y, pairs=pairs, random_state=seed)
    assert isinstance(graph, LabelGraph)  # acyclic, parents first: LabelGraph refuses anything else
    assert graph.n_labels == Y.shape[1]
    assert clone(structure).build(X, Y, pairs=pairs, random_state=seed) == graph
    shapes = (sparse.csr_array(X), sparse.csr_matrix(Y)), (X.tolist(), Y.astype(bool))
    for other_X, other_Y in shapes:
        assert structure.build(other_X, other_Y, pairs=pairs, random_state=seed) == graph


def test_generators_move_on_and_seeds_do_not():
    X, Y = np.zeros((5, 1)), np.eye(5, 9, dtype=np.uint8)
    stream = np.random.default_rng(0)
    orders = {FullChain("random").build(X, Y, random_state=stream).order for _ in range(5)}
    assert len(orders) == 5
    assert len({FullChain("random").build(X, Y, random_state=3).order for _ in range(5)}) == 1


@pytest.mark.parametrize(
    ("X", "Y", "more", "words"),
    [
        ([[0.0]], [[0], [1]], {}, r"the same number of rows, but X has shape \(1, 1\) and Y has 2 rows"),
        ([0.0, 1.0], [[0], [1]], {}, r"X has shape \(2,\)"),
        ([[0.0]], [[2]], {}, "only 0 and 1, but it holds 2"),
        ([[0.0]], [0], {}, "two dimensions, one column for each label"),
        ([[0.0]], np.array([["a"]]), {}, "only 0 and 1, but it holds 'a'"),
        ([[0.0]], [[np.inf]], {}, "only 0 and 1, but it holds inf"),
        ([[0.0]], [[0, 1]], {"label_names": ["a"]}, "label_names to hold 2 names, but it holds 1"),
        ([[0.0]], [[0, 1]], {"pairs": "many"}, "pairs to be a PairDependence of 2 labels"),
        ([[0.0]], [[0, 1]], {"pairs": random_pairs(np.random.default_rng(0), 3)}, "PairDependence of 2 labels"),
        ([[0.0]], [[0, 1]], {"random_state": -1}, "random_state"),
    ],
)
def test_wrong_input(X, Y, more, words):
    with pytest.raises(ParameterError, match=f"Independent needs .*{words}"):
        Independent().build(X, Y, **more)


def test_no_rows():
    assert FullChain().build(np.zeros((0, 2)), np.zeros((0, 2))).parents == ((), (0,))


def permuted(graph, order):
    """Return the graph of labels that were numbered anew: label k is now called order.index(k)."""
    place = {int(label): new for new, label in enumerate(order)}
    return [sorted(place[p] for p in graph.parents[int(label)]) for label in order]


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_labels_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    Y = rng.random((300, 6)) < 0.4
    for j in range(1, 6):
        Y[:, j] = np.where(rng.random(300) < 0.6, Y[:, rng.integers(0, j)], Y[:, j])
    X, pairs, order = rng.normal(size=(300, 4)) + Y[:, :4], random_pairs(rng, 6), rng.permutation(6)
    moved = PairDependence(
        pairs.log_likelihood[np.ix_(order, order)],
        pairs.log_likelihood_alone[order],
        pairs.directed_information[np.ix_(order, order)],
        pairs.n_held_out,
    )
    place = np.argsort(order)
    for one, other in (
        (LabelTree(root=2), LabelTree(root=int(place[2]))),
        (ConditionalTree(), ConditionalTree()),
        (KDependence(2, "information"), KDependence(2, "information")),
        (FullChain(InformationOrder("all", second_term=True)),) * 2,
    ):
        graph = one.build(X, Y, pairs=pairs)
        again = other.build(X, Y[:, order], pairs=moved)
        assert [sorted(group) for group in again.parents] == permuted(graph, order)


def test_user_graph_is_a_structure_without_edges_by_default():
    assert UserGraph().build([[0.0]], [[0, 1]]) == LabelGraph([[], []])
