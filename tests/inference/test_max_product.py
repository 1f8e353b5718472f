import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.inference import MaxProduct
from plait.inference.messages._factors import ROWS
from plait.joint import LinearDistribution
from plait.structure import LabelGraph
from plait.testing import (
    enumerated,
    random_evidence,
    random_forest_graph,
    random_linear,
    random_polytree,
    random_tables,
)

pytestmark = pytest.mark.usefixtures("path")


@st.composite
def models(draw, most_labels=12):
    """Linear distributions and tables on random forests and polytrees, with evidence or without."""
    draws = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_labels = draw(st.integers(1, most_labels))
    joined = draw(st.sampled_from([0.0, 0.5, 0.9, 1.0]))
    if draw(st.booleans()):
        graph = random_forest_graph(n_labels, draws, joined)
    else:
        graph = random_polytree(
            n_labels, draws, joined, most_parents=draw(st.integers(2, 9)), reach=draw(st.integers(1, 12))
        )
    made = draw(st.sampled_from([random_linear, random_tables]))
    n_rows = draw(st.integers(1, 3))
    model = made(graph, n_rows, draws, scale=draw(st.sampled_from([0.3, 1.0, 2.0])))
    if draw(st.booleans()):
        model = model.clamp(random_evidence((n_rows, n_labels), draws, draw(st.sampled_from([0.1, 0.5, 1.0]))))
    return model


def in_order(probabilities, n_best):
    """Return the largest numbers of each row, 0 where there are fewer."""
    return -np.sort(-probabilities, axis=1)[:, :n_best]


@given(models())
@settings(max_examples=150)
def test_the_mode_is_that_of_all_vectors(model):
    support = MaxProduct().infer(model)
    _, probabilities = enumerated(model)
    np.testing.assert_allclose(np.exp(support.log_weights[:, 0]), probabilities.max(axis=1), rtol=1e-10)
    np.testing.assert_allclose(model.log_prob(support.vectors), support.log_weights, rtol=1e-10)
    assert support.exact.all()


@given(models(most_labels=9), st.integers(2, 150))
@settings(max_examples=150)
def test_the_best_vectors_are_those_of_all(model, n_best):
    support = MaxProduct().infer(model, n_best=n_best)
    _, probabilities = enumerated(model)
    np.testing.assert_allclose(np.exp(support.log_weights), in_order(probabilities, n_best), rtol=1e-9)
    assert (np.diff(np.where(np.isfinite(support.log_weights), support.log_weights, -1e9), axis=1) <= 0.0).all()
    for row, (vectors, logs) in enumerate(zip(support.vectors, support.log_weights, strict=True)):
        used = np.isfinite(logs)
        assert len(np.unique(vectors[used], axis=0)) == used.sum()
        np.testing.assert_allclose(model.log_prob(support.vectors)[row, used], logs[used], rtol=1e-10)


@given(models(most_labels=40))
@settings(max_examples=40)
def test_one_best_of_many_is_the_mode(model):
    one, many = MaxProduct().infer(model), MaxProduct().infer(model, n_best=3)
    np.testing.assert_allclose(many.log_weights[:, 0], one.log_weights[:, 0], rtol=1e-10)


def test_a_label_with_many_parents():
    """With more than six parents weights are scaled; with eleven of them all settings are gone through."""
    draws = np.random.default_rng(0)
    graph = LabelGraph([list(range(1, 12)), *([] for _ in range(11))])
    for model in (random_linear(graph, 5, draws), random_tables(graph, 5, draws)):
        known = model.clamp(random_evidence((5, 12), draws, 0.4))
        for each in (model, known):
            _, probabilities = enumerated(each)
            support = MaxProduct().infer(each, n_best=20)
            np.testing.assert_allclose(np.exp(support.log_weights), in_order(probabilities, 20), rtol=1e-10)
            mode = MaxProduct().infer(each).log_weights[:, 0]
            np.testing.assert_allclose(mode, support.log_weights[:, 0], rtol=1e-10)


def test_linear_scores_and_their_tables_agree():
    """Also where parents add so much that exponentials overflow."""
    draws = np.random.default_rng(1)
    for scale in (1.0, 30.0, 1000.0):
        graph = random_polytree(40, draws)
        linear = random_linear(graph, 70, draws, scale)
        tables = as_tables(linear)
        ours, theirs = MaxProduct().infer(linear), MaxProduct().infer(tables)
        np.testing.assert_allclose(ours.log_weights, theirs.log_weights, rtol=1e-10)
        np.testing.assert_allclose(linear.log_prob(ours.vectors), theirs.log_weights, rtol=1e-10)


def as_tables(linear):
    draws = np.random.default_rng(0)
    made = random_tables(linear.graph, linear.n_rows, draws)
    return type(made)(linear.graph, [linear.table(label) for label in range(linear.n_labels)], linear.evidence)


def test_without_parents_every_label_decides_for_itself():
    draws = np.random.default_rng(2)
    model = random_linear(LabelGraph([[] for _ in range(7)]), 50, draws)
    np.testing.assert_array_equal(MaxProduct().infer(model).mode(), model.base > 0)


def test_a_chain_by_the_algorithm_of_viterbi():
    """A chain with one parent each, against the textbook recursion along the order."""
    draws = np.random.default_rng(3)
    q, n = 60, 20
    model = random_linear(LabelGraph([[], *([k] for k in range(q - 1))]), n, draws)
    best = np.zeros((n, 2))
    for k in range(q):
        scores = model.table(k) if k else np.repeat(model.table(0), 2, axis=1)
        logs = np.stack([-np.logaddexp(0, scores), -np.logaddexp(0, -scores)], axis=2)
        best = (best[:, :, None] + logs).max(axis=1) if k else logs[:, 0]
    np.testing.assert_allclose(MaxProduct().infer(model).log_weights[:, 0], best.max(axis=1), rtol=1e-12)


def test_renaming_labels_renames_the_mode():
    draws = np.random.default_rng(4)
    graph = random_polytree(30, draws)
    model = random_linear(graph, 40, draws)
    names = draws.permutation(30)
    parents = [[] for _ in range(30)]
    for label, group in enumerate(graph.parents):
        parents[names[label]] = [int(names[parent]) for parent in group]
    base, coef = np.empty_like(model.base), np.empty_like(model.parent_coef)
    base[:, names], coef[np.ix_(names, names)] = model.base, model.parent_coef
    renamed = LinearDistribution(LabelGraph(parents), base, coef)
    ours, theirs = MaxProduct().infer(model), MaxProduct().infer(renamed)
    np.testing.assert_array_equal(theirs.mode()[:, names], ours.mode())
    np.testing.assert_allclose(theirs.log_weights, ours.log_weights, rtol=1e-12)


@pytest.mark.parametrize("n_rows", [0, 1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS + 5])
def test_any_number_of_rows_in_any_order_gives_the_same_bits(n_rows):
    draws = np.random.default_rng(5)
    model = random_linear(random_polytree(25, draws), n_rows, draws)
    whole = MaxProduct().infer(model)
    assert whole.vectors.shape == (n_rows, 1, 25)
    rows = draws.permutation(n_rows)
    part = MaxProduct().infer(model.take(rows))
    np.testing.assert_array_equal(part.vectors, whole.vectors[rows])
    np.testing.assert_array_equal(part.log_weights, whole.log_weights[rows])


def test_equal_vectors_have_equal_values():
    """All scores 0: every vector is a mode; each choice between equals takes the 0."""
    for graph in (LabelGraph([[1, 2, 3], [], [], [], [0]]), LabelGraph([[], [0], [1]])):
        q = graph.n_labels
        model = LinearDistribution(graph, np.zeros((2, q)), np.zeros((q, q)))
        support = MaxProduct().infer(model)
        np.testing.assert_allclose(support.log_weights, -q * np.log(2.0), rtol=1e-14)
        assert not support.mode().any()
        every = MaxProduct().infer(model, n_best=2**q)
        np.testing.assert_allclose(every.log_weights, -q * np.log(2.0), rtol=1e-14)
        assert len(np.unique(every.vectors[0], axis=0)) == 2**q


def test_a_deep_chain_and_a_wide_star():
    draws = np.random.default_rng(6)
    chain = random_linear(LabelGraph([[], *([k] for k in range(4999))]), 3, draws)
    star = random_linear(LabelGraph([[], *([0] for _ in range(1000))]), 3, draws)
    for model in (chain, star):
        support = MaxProduct().infer(model, n_best=4)
        np.testing.assert_allclose(model.log_prob(support.vectors), support.log_weights, rtol=1e-11)
        np.testing.assert_allclose(MaxProduct().infer(model).log_weights, support.log_weights[:, :1], rtol=1e-11)


def test_a_hub_whose_messages_would_overflow():
    """A thousand children of the strongest kind for 1, then as many for 0, and one that decides."""
    q, strong = 2001, 40.0
    graph = LabelGraph([[], *([0] for _ in range(q - 1))])
    coef, known = np.zeros((q, q)), np.full((2, q), 1, dtype=np.int8)
    coef[1:1001, 0], coef[1001:, 0] = strong, -strong
    base = np.full((2, q), -strong / 2)
    base[:, 1001:] = strong / 2
    base[:, 0], known[:, 0] = (0.3, -0.3), -1
    support = MaxProduct().infer(LinearDistribution(graph, base, coef).clamp(known))
    assert support.mode()[:, 0].tolist() == [1, 0]


def test_other_graphs_and_too_many_parents_are_refused_in_one_sentence():
    ring = LabelGraph([[], [0], [0], [1, 2]])
    model = LinearDistribution(ring, np.zeros((1, 4)), np.zeros((4, 4)))
    with pytest.raises(
        ParameterError, match=r"^MaxProduct needs a graph whose skeleton is a forest .* Use BestFirst\(\)"
    ):
        MaxProduct().infer(model)
    wide = LabelGraph([list(range(1, 22)), *([] for _ in range(21))])
    model = LinearDistribution(wide, np.zeros((1, 22)), np.zeros((22, 22)))
    with pytest.raises(ParameterError, match="at most 20 parents, but one has 21"):
        MaxProduct().infer(model)
    with pytest.raises(ParameterError, match="needs a distribution over one graph"):
        MaxProduct().infer("no distribution")
