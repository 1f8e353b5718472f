"""`BestFirst` against enumeration, against the published algorithm written with a heap, and its guarantees."""

import heapq
import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.inference import Beam, BestFirst, Exhaustive, Greedy
from plait.inference.best_first import SearchWarning
from plait.inference.search import branch_and_bound
from plait.inference.search.branch_and_bound import search_linear
from plait.joint import LinearDistribution
from plait.joint.counted_draws import LARGEST_SPREAD
from plait.structure import LabelGraph
from plait.testing import (
    TableDistribution,
    enumerated,
    random_evidence,
    random_graph,
    random_linear,
    random_tables,
)

pytestmark = pytest.mark.usefixtures("path")

MAKERS = [random_linear, random_tables]


def model_of(make, n_labels, n_rows, seed, density=0.6, known=False, scale=1.5):
    draws = np.random.default_rng(seed)
    model = make(random_graph(n_labels, draws, density), n_rows, draws, scale=scale)
    return model.clamp(random_evidence((n_rows, n_labels), draws)) if known else model


def published(model, row, epsilon):
    """Return log P of what SPEC 11.3 finds for one row, and how often it pops; PCC's algorithm 2, corrected."""
    order = model.graph.order
    floor = math.log(epsilon) - 1e-12 if epsilon else -math.inf

    def children(log_prob, prefix):
        label, values = order[len(prefix)], dict(zip(order, prefix, strict=False))
        parents = np.array([[values[p] for p in model.graph.parents[label]]], dtype=np.uint8)
        score = model.scores(label, np.array([row]), parents)[0]
        for value in (0, 1):
            if model.evidence is None or model.evidence[row, label] != 1 - value:
                yield log_prob - np.logaddexp(0.0, -score if value else score), (*prefix, value)

    queue, left, n_popped = [(0.0, 0, ())], [], 0
    while queue:
        cost, depth, prefix = heapq.heappop(queue)
        if -depth == len(order):
            return -cost, n_popped
        n_popped += 1
        inside = [(log_prob, child) for log_prob, child in children(-cost, prefix) if log_prob >= floor]
        for log_prob, child in inside:
            heapq.heappush(queue, (-log_prob, depth - 1, child))
        if not inside:
            left.append((-cost, prefix))
    completed = []
    for log_prob, prefix in left:
        while len(prefix) < len(order):
            log_prob, prefix = max(children(log_prob, prefix), key=lambda child: (child[0], -child[1][-1]))
        completed.append(log_prob)
    return max(completed), n_popped


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n_labels", [1, 2, 5, 10])
@pytest.mark.parametrize("density", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_best", [1, 2, 7])
def test_the_best_vectors_are_those_of_enumeration(make, n_labels, density, known, n_best):
    model = model_of(make, n_labels, 25, n_labels, density, known)
    support = BestFirst().infer(model, n_best=n_best)
    vectors, probabilities = enumerated(model)
    expected = np.zeros((25, n_best))
    expected[:, : 2**n_labels] = np.sort(probabilities, axis=1)[:, ::-1][:, :n_best]
    np.testing.assert_allclose(np.exp(support.log_weights), expected, rtol=1e-10, atol=0)
    assert support.exact.all()
    places = (support.vectors[:, :, None] == vectors).all(axis=3).argmax(axis=2)
    found = np.take_along_axis(probabilities, places, axis=1)
    used = expected > 0
    np.testing.assert_allclose(found[used], expected[used], rtol=1e-10)
    assert all(len(set(row[here])) == here.sum() for row, here in zip(places, used, strict=True))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_labels", [1, 3, 6])
def test_epsilon_finds_what_the_published_algorithm_finds(make, known, n_labels):
    model = model_of(make, n_labels, 40, n_labels, known=known, scale=1.0)
    for k in (0, *range(1, n_labels + 1)):
        epsilon = 2.0**-k if k else 0.0
        support = BestFirst(epsilon).infer(model)
        expected = [published(model, row, epsilon)[0] for row in range(40)]
        np.testing.assert_allclose(support.log_weights[:, 0], expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(model.log_prob(support.vectors[:, 0]), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n_labels", [2, 4, 6])
def test_guarantees_of_epsilon_on_thousands_of_trees(make, n_labels):
    n_rows = 2000
    model = model_of(make, n_labels, n_rows, n_labels, density=1.0, scale=1.0)
    mode = enumerated(model)[1].max(axis=1)
    greedy = np.exp(Greedy().infer(model).log_weights[:, 0])
    assert (greedy < mode - 1e-9).any()
    for k in range(1, n_labels + 1):
        # The default of max_nodes is n_labels * 2 ** k, and stopping there would warn: the bound on iterations holds.
        support = BestFirst(2.0**-k).infer(model)
        found = np.exp(support.log_weights[:, 0])
        assert (mode - found).max() <= 2.0**-k - 2.0**-n_labels + 1e-12
        assert (found >= greedy - 1e-12).all()
        reached = mode >= 2.0**-k
        np.testing.assert_allclose(found[reached], mode[reached], rtol=1e-10)
        assert support.exact[reached].all()
        np.testing.assert_allclose(found[support.exact], mode[support.exact], rtol=1e-10)
        # Expansions, and as many completions of what was left, and the greedy walk before.
        assert support.n_evaluations.max() <= 2 * n_labels * 2**k + n_labels


def test_some_epsilon_falls_short_of_the_mode():
    model = model_of(random_tables, 6, 500, 0, density=1.0, scale=1.0)
    mode = np.log(enumerated(model)[1].max(axis=1))
    support = BestFirst(0.25).infer(model)
    short = support.log_weights[:, 0] < mode - 1e-9
    assert short.any()
    assert not support.exact[short].any()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("epsilon", [0.5, 0.8, 1.0])
def test_one_half_is_greedy(make, known, epsilon):
    model = model_of(make, 7, 300, 1, known=known)
    np.testing.assert_array_equal(BestFirst(epsilon).infer(model).vectors, Greedy().infer(model).vectors)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_labels", [1, 4, 9, 14])
@pytest.mark.parametrize("density", [0.3, 1.0])
def test_kernel_is_the_search_by_levels(known, n_labels, density):
    model = model_of(random_linear, n_labels, 60, n_labels, density, known)
    greedy = Greedy().infer(model).log_weights[:, 0]
    for n_best, reached in ((1, greedy), (1, np.full(60, -np.inf)), (5, np.full(60, -np.inf))):
        for k in (0, 1, 2, 5):
            floor = -k * math.log(2) - 1e-12 if k else -math.inf
            (ours, ended), (plain, plain_ended) = (
                search_linear(model, floor, n_best, 10**6, reached),
                branch_and_bound.search_levels(model, floor, n_best, 10**6),
            )
            np.testing.assert_array_equal(ours.vectors, plain.vectors)
            np.testing.assert_allclose(ours.log_weights, plain.log_weights, rtol=1e-11, atol=1e-13)
            np.testing.assert_array_equal(ours.exact, plain.exact)
            assert ended.all()
            assert plain_ended.all()


@pytest.mark.parametrize("known", [False, True])
def test_parents_that_move_scores_far_are_searched_by_the_kernel_too(known, monkeypatch):
    """As those of a chain of many labels do together, though of a row few are 1."""
    model = model_of(random_linear, 12, 40, 3, 1.0, known)
    model = replace(model, parent_coef=200.0 * model.parent_coef, effects=None)
    assert model.along_the_order().spread > LARGEST_SPREAD
    plain = {}
    for n_best, k in itertools.product((1, 4), (0, 2)):
        floor = -k * math.log(2) - 1e-12 if k else -math.inf
        plain[n_best, floor] = branch_and_bound.search_levels(model, floor, n_best, 10**6)[0]
    if not known:  # improbable evidence goes by levels
        monkeypatch.setattr(branch_and_bound, "search_levels", None)
    for (n_best, floor), expected in plain.items():
        ours, _ = search_linear(model, floor, n_best, 10**6, np.full(40, -np.inf))
        np.testing.assert_allclose(ours.log_weights, expected.log_weights, rtol=1e-11, atol=1e-13)
        np.testing.assert_array_equal(ours.exact, expected.exact)
        there = ours.log_weights > -np.inf  # bounded scores make ties, of which either may come first
        np.testing.assert_allclose(
            model.log_prob(ours.vectors)[there], ours.log_weights[there], rtol=1e-11, atol=1e-13, err_msg="own log P"
        )


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n_best", [1, 3])
def test_where_the_cap_bites_the_answer_is_the_best_of_beam_and_greedy_and_says_so(make, n_best):
    model = model_of(make, 12, 30, 0, density=1.0, scale=0.3)
    with pytest.warns(SearchWarning, match=r"BestFirst stopped at max_nodes=20 in \d+ of 30 rows") as caught:
        support = BestFirst(max_nodes=20).infer(model, n_best=n_best)
    assert len(caught) == 1
    stopped = ~support.exact
    assert stopped.any()
    # Of chains of linear scores the beam is wide, since kernels walk along them.
    width = 100 if make is random_linear else 10
    beam, greedy = Beam(width).infer(model, n_best=n_best), Greedy().infer(model)
    assert (support.log_weights >= beam.log_weights - 1e-12).all()
    assert (support.log_weights[:, 0] >= greedy.log_weights[:, 0] - 1e-12).all()
    exact = BestFirst().infer(model, n_best=n_best)
    np.testing.assert_allclose(support.log_weights[support.exact], exact.log_weights[support.exact], rtol=1e-12)
    np.testing.assert_allclose(
        support.log_weights, model.log_prob(support.vectors), rtol=1e-10, atol=0, err_msg="log P of the vectors"
    )
    assert all(len({vector.tobytes() for vector in row}) == n_best for row in support.vectors)


def test_rows_that_finish_keep_their_proof_beside_rows_that_do_not():
    easy, hard = (model_of(random_linear, 40, 20, 0, density=1.0, scale=scale) for scale in (4.0, 0.2))
    model = replace(easy, base=np.concatenate([8 * easy.base, hard.base]), parent_coef=hard.parent_coef, effects=None)
    with pytest.warns(SearchWarning):
        support = BestFirst(max_nodes=2000).infer(model)
    assert support.exact[:20].mean() > 0.8
    assert not support.exact[20:].any()
    assert (support.n_evaluations <= 2000 + 100 * 40 + 2 * 40).all()


def test_thousands_of_flat_labels_end_at_once_and_are_flagged():
    n_labels = 2000
    graph = LabelGraph([[]] + [[k - 1] for k in range(1, n_labels)])
    model = random_linear(graph, 2, np.random.default_rng(0), scale=0.3)
    with pytest.warns(SearchWarning):
        support = BestFirst().infer(model)
    assert not support.exact.any()
    assert (support.log_weights < -700).all()
    np.testing.assert_allclose(support.log_weights[:, 0], model.log_prob(support.vectors[:, 0]), rtol=1e-10)
    assert (support.log_weights >= Greedy().infer(model).log_weights - 1e-9).all()


def test_much_improbable_evidence_does_not_vanish():
    draws = np.random.default_rng(0)
    model = random_linear(random_graph(70, draws, density=0.2), 5, draws, scale=1.0)
    evidence = np.full((5, 70), -1, dtype=np.int8)
    evidence[:, 8:] = 1
    model = replace(model, base=np.where(evidence == 1, -40.0, model.base), effects=None).clamp(evidence)
    support = BestFirst().infer(model, n_best=2)
    assert support.exact.all()
    assert (support.log_weights < -750).all()
    free = np.array(np.meshgrid(*[[0, 1]] * 8)).reshape(8, -1).T
    vectors = np.ones((5, 256, 70), dtype=np.uint8)
    vectors[:, :, :8] = free
    best = np.sort(model.log_prob(vectors), axis=1)[:, ::-1][:, :2]
    np.testing.assert_allclose(support.log_weights, best, rtol=1e-12)


def test_scores_without_exponentials_are_searched_too():
    draws = np.random.default_rng(0)
    model = random_linear(random_graph(7, draws), 12, draws, scale=400.0)
    assert np.abs(model.base).max() > 700
    support = BestFirst().infer(model, n_best=3)
    np.testing.assert_allclose(
        np.exp(support.log_weights), np.sort(enumerated(model)[1], axis=1)[:, ::-1][:, :3], rtol=1e-9
    )


def test_wide_levels_are_searched_in_halves(monkeypatch):
    model = model_of(random_tables, 8, 40, 0, scale=0.7)
    expected = BestFirst().infer(model, n_best=4)
    monkeypatch.setattr(branch_and_bound, "_MOST_PREFIXES", 30)
    halves = BestFirst().infer(model, n_best=4)
    np.testing.assert_array_equal(halves.vectors, expected.vectors)
    np.testing.assert_array_equal(halves.log_weights, expected.log_weights)
    np.testing.assert_array_equal(halves.n_evaluations, expected.n_evaluations)


@dataclass(frozen=True, eq=False)
class Wavering(TableDistribution):
    """Scores whose last digits depend on how many are asked for at a time, as those of matrix products do."""

    share: float = 2e-16

    def scores(self, label, rows, parent_values):
        return super().scores(label, rows, parent_values) * (1.0 + self.share * len(rows))


# Log-odds of a classifier's probability near 1 lose more digits than the slack of a search makes up for.
@pytest.mark.parametrize("share", [2e-16, 1e-9])
@pytest.mark.parametrize("n_best", [1, 2, 3, 5])
def test_last_digits_of_scores_leave_no_vector_out(n_best, share):
    for seed in range(20):
        model = model_of(random_tables, 4, 1, seed, density=1.0)
        wavering = Wavering(model.graph, model.tables, share=share)
        support = BestFirst().infer(wavering, n_best=n_best)
        best = np.sort(enumerated(model)[1], axis=1)[:, ::-1][:, :n_best]
        np.testing.assert_allclose(np.exp(support.log_weights), best, rtol=5e3 * share)


@pytest.mark.parametrize("make", MAKERS)
def test_equal_vectors_come_smallest_first(make):
    model = make(LabelGraph([range(k) for k in range(4)]), 3, np.random.default_rng(0), scale=0.0)
    support = BestFirst().infer(model, n_best=5)
    np.testing.assert_array_equal(support.vectors, Exhaustive().infer(model, n_best=5).vectors)
    assert not BestFirst().infer(model).mode().any()


def test_rows_in_blocks_give_the_same_bits_and_no_rows_nothing():
    for make in MAKERS:
        model = model_of(make, 6, 50, 3)
        whole = BestFirst().infer(model, n_best=2)
        parts = [BestFirst().infer(model.take(slice(start, start + 7)), n_best=2) for start in range(0, 50, 7)]
        np.testing.assert_array_equal(np.concatenate([part.vectors for part in parts]), whole.vectors)
        np.testing.assert_array_equal(np.concatenate([part.log_weights for part in parts]), whole.log_weights)
        assert BestFirst().infer(model.take(slice(0, 0))).vectors.shape == (0, 1, 6)


def test_a_label_without_children_never_branches():
    # Sixty labels that hang on one: two paths are enough, where a search of all flips would never end.
    n_labels = 61
    graph = LabelGraph([[]] + [[0]] * 60)
    for make in MAKERS:
        model = make(graph, 5, np.random.default_rng(0), scale=0.4)
        support = BestFirst().infer(model)
        assert support.exact.all()
        assert support.n_evaluations.max() <= 14 * n_labels


def test_wrong_epsilon_and_margins_are_refused():
    model = model_of(random_linear, 3, 2, 0)
    with pytest.raises(ParameterError, match="BestFirst needs epsilon to be a number"):
        BestFirst(-0.1).infer(model)
    with pytest.raises(ParameterError, match="BestFirst needs a learner that gives probabilities"):
        BestFirst().infer(replace(model, probabilistic=False))


def test_a_label_as_likely_as_not_is_left_out():
    """Its other value is never looked at where it touches no later label: the first one must be 0."""
    model = LinearDistribution(
        LabelGraph([[], [0]]), np.array([[-1.0, 0.0], [2.0, -1.0]]), np.array([[0, 0], [1.0, 0]])
    )
    found, finished = search_linear(model, -math.inf, 1, 10**6, np.full(2, -np.inf))
    np.testing.assert_array_equal(found.vectors[:, 0], [[0, 0], [1, 0]])
    assert finished.all()
