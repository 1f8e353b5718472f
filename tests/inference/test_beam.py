"""`Beam` against enumeration, against its own plain version, and at its two ends."""

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.inference import Beam, Greedy
from plait.inference.search.branch_and_bound import beam_search, level_beam
from plait.inference.search.prefixes import rank_in_row
from plait.structure import LabelGraph
from plait.testing import TableDistribution, enumerated, random_evidence, random_graph, random_linear, random_tables

pytestmark = pytest.mark.usefixtures("path")

MAKERS = [random_linear, random_tables]


def model_of(make, n_labels, n_rows, seed, density=0.6, known=False, scale=1.5):
    draws = np.random.default_rng(seed)
    model = make(random_graph(n_labels, draws, density), n_rows, draws, scale=scale)
    return model.clamp(random_evidence((n_rows, n_labels), draws)) if known else model


def plain_beam(model, width):
    """Return the leaves of a beam search written with lists: [(log P, prefix along the order)] of every row."""
    leaves = []
    for row in range(model.n_rows):
        beam = [(0.0, ())]
        for label in model.graph.order:
            grown = []
            for log_prob, prefix in beam:
                values = dict(zip(model.graph.order, prefix, strict=False))
                parents = np.array([[values[p] for p in model.graph.parents[label]]], dtype=np.uint8)
                score = model.scores(label, np.array([row]), parents)[0]
                for value in (0, 1):
                    if model.evidence is not None and model.evidence[row, label] == 1 - value:
                        continue
                    grown.append((log_prob - np.logaddexp(0.0, -score if value else score), (*prefix, value)))
            beam = sorted(grown, key=lambda item: (-item[0], item[1]))[:width]
        leaves.append(beam)
    return leaves


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 40])
def test_vectors_are_those_of_a_plain_beam(make, known, width):
    model = model_of(make, 7, 12, width, known=known)
    n_best = min(width, 3)
    support = Beam(width).infer(model, n_best=n_best)
    for row, leaves in enumerate(plain_beam(model, width)):
        for rank, (log_prob, values) in enumerate(leaves[:n_best]):
            np.testing.assert_array_equal(support.vectors[row, rank, list(model.graph.order)], values)
            np.testing.assert_allclose(support.log_weights[row, rank], log_prob, rtol=1e-12)


@pytest.mark.parametrize("n_labels", [1, 2, 6, 60])
@pytest.mark.parametrize("width", [1, 2, 10, 33, 100])
@pytest.mark.parametrize("known", [False, True])
def test_kernel_is_the_beam_by_levels(n_labels, width, known):
    model = model_of(random_linear, n_labels, 25, n_labels, known=known, scale=1.0)
    n_best = min(width, 4)
    ours, plain = beam_search(model, width, n_best), level_beam(model, width, n_best)
    np.testing.assert_array_equal(ours.vectors, plain.vectors)
    np.testing.assert_allclose(ours.log_weights, plain.log_weights, rtol=1e-11)
    np.testing.assert_array_equal(ours.exact, plain.exact)
    np.testing.assert_array_equal(ours.n_evaluations, plain.n_evaluations)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
def test_one_is_greedy(make, known):
    model = model_of(make, 8, 200, 0, known=known)
    np.testing.assert_array_equal(Beam(1).infer(model).vectors, Greedy().infer(model).vectors)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n_labels", [1, 2, 5, 9])
@pytest.mark.parametrize("known", [False, True])
def test_half_of_all_vectors_is_exact(make, n_labels, known):
    model = model_of(make, n_labels, 40, n_labels, known=known)
    support = Beam(2 ** max(n_labels - 1, 0)).infer(model)
    _, probabilities = enumerated(model)
    np.testing.assert_allclose(support.log_weights[:, 0], np.log(probabilities.max(axis=1)), rtol=1e-10, atol=1e-12)
    assert support.exact.all()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("width", [1, 2, 4, 10])
def test_what_is_said_to_be_exact_is(make, width):
    model = model_of(make, 9, 300, width, scale=2.0)
    n_best = min(width, 2)
    support = Beam(width).infer(model, n_best=n_best)
    best = np.log(np.sort(enumerated(model)[1], axis=1)[:, ::-1][:, :n_best])
    np.testing.assert_allclose(support.log_weights[support.exact], best[support.exact], rtol=1e-10)
    assert 0 < support.exact.sum() < 300 or width == 10


def test_fewer_vectors_than_wanted_leave_places_unused():
    model = model_of(random_linear, 2, 3, 0)
    for case in (model, TableDistribution(model.graph, [model.table(k) for k in range(2)])):
        support = Beam(10).infer(case, n_best=6)
        assert np.isfinite(support.log_weights[:, :4]).all()
        assert (support.log_weights[:, 4:] == -np.inf).all()
        np.testing.assert_allclose(np.exp(support.log_weights).sum(axis=1), 1.0, rtol=1e-12)
        assert support.exact.all()


def test_equal_prefixes_are_kept_smallest_first():
    graph = LabelGraph([range(k) for k in range(5)])
    for model in (
        random_linear(graph, 2, np.random.default_rng(0), scale=0.0),
        TableDistribution(graph, [np.zeros((2, 2**k)) for k in range(5)]),
    ):
        support = Beam(3).infer(model, n_best=3)
        expected = [[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]]
        np.testing.assert_array_equal(support.vectors, [expected, expected])


def test_no_rows():
    model = model_of(random_linear, 4, 3, 0).take(slice(0, 0))
    assert Beam().infer(model, n_best=2).vectors.shape == (0, 2, 4)
    assert level_beam(model, 10, 2).vectors.shape == (0, 2, 4)


def test_ranks_are_those_of_sorting_each_row():
    draws = np.random.default_rng(0)
    rows, values = np.sort(draws.integers(0, 6, 50)), draws.integers(-4, 0, 50).astype(float)
    ranks = rank_in_row(rows, values)
    for row in range(6):
        own = values[rows == row]
        np.testing.assert_array_equal(np.argsort(-own, kind="stable"), np.argsort(ranks[rows == row]))


def test_more_vectors_than_the_beam_is_wide_are_refused():
    with pytest.raises(ParameterError, match=r"Beam needs width to be at least n_best, but it is 2 and n_best is 3"):
        Beam(2).infer(model_of(random_linear, 4, 3, 0), n_best=3)


def test_margins_are_refused():
    model = random_linear(LabelGraph([[], [0]]), 2, np.random.default_rng(0), probabilistic=False)
    with pytest.raises(ParameterError, match="Beam needs a learner that gives probabilities"):
        Beam().infer(model)
