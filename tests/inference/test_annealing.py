"""Annealing against enumeration, against a loop in plain Python, and against the bounds that the theory gives."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.inference import Annealing, BestFirst, MaxProduct, annealing
from plait.inference.annealing import proposals
from plait.inference.search.branch_and_bound import best_vectors
from plait.joint import LabelDistribution, LinearDistribution, MixtureDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing import (
    enumerated,
    random_evidence,
    random_forest_graph,
    random_graph,
    random_linear,
    random_mixture,
    random_polytree,
)

pytestmark = pytest.mark.usefixtures("path")

GRAPHS = {"forest": random_forest_graph, "polytree": random_polytree, "any": random_graph}


def mixture(seed, n_labels, n_parts, graph="forest", scale=1.5, share=0.0, n_rows=5):
    draws = np.random.default_rng(seed)
    made = random_mixture([GRAPHS[graph](n_labels, draws) for _ in range(n_parts)], n_rows, draws, scale)
    return made.clamp(random_evidence((n_rows, n_labels), draws, share)) if share else made


mixtures = st.builds(
    mixture,
    st.integers(0, 2**32),
    st.integers(1, 9),
    st.integers(1, 6),
    st.sampled_from(sorted(GRAPHS)),
    st.sampled_from([0.3, 1.5, 5.0]),
    st.sampled_from([0.0, 0.3, 1.0]),
)


@given(mixtures, st.sampled_from([0, 1, 150]))
@settings(max_examples=100, deadline=None)
def test_what_is_found_keeps_every_bound(given_, n_steps):
    _, p = enumerated(given_)
    support = Annealing(n_steps).infer(given_, random_state=1)
    mode, reached = support.mode(), np.exp(support.log_weights[:, 0])
    number = mode @ (1 << np.arange(given_.n_labels)[::-1])
    np.testing.assert_allclose(reached, p[np.arange(len(p)), number], rtol=1e-9)
    # Never below the mode of any component, and at least 1 / K of the true mode.
    for part in given_.components:
        best = BestFirst().infer(part).mode() @ (1 << np.arange(given_.n_labels)[::-1])
        assert (reached >= p[np.arange(len(p)), best] * (1 - 1e-9)).all()
    assert (reached >= p.max(axis=1) / len(given_.components) * (1 - 1e-9)).all()
    # No single label that is not known gains.
    for label in range(given_.n_labels):
        other = number ^ (1 << (given_.n_labels - 1 - label))
        assert (p[np.arange(len(p)), other] <= reached * (1 + 1e-9)).all()
    # What it claims to be proved is the mode.
    np.testing.assert_allclose(reached[support.exact], p.max(axis=1)[support.exact], rtol=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 9), st.sampled_from(["forest", "polytree"]), st.booleans())
@settings(max_examples=50, deadline=None)
def test_one_component_is_exact(seed, n_labels, graph, known):
    made = mixture(seed, n_labels, 1, graph, share=0.4 if known else 0.0)
    support = Annealing().infer(made, random_state=seed)
    assert support.exact.all()
    np.testing.assert_allclose(np.exp(support.log_weights[:, 0]), enumerated(made)[1].max(axis=1), rtol=1e-9)
    alone = Annealing().infer(made.components[0], random_state=seed)
    np.testing.assert_array_equal(alone.vectors, support.vectors)


@pytest.mark.parametrize("graph", sorted(GRAPHS))
def test_nearly_all_modes_are_found(graph):
    found = []
    for seed in range(60):
        made = mixture(seed, 8, 4, graph)
        reached = np.exp(Annealing().infer(made, random_state=seed).log_weights[:, 0])
        found.extend(reached >= enumerated(made)[1].max(axis=1) * (1 - 1e-9))
    assert np.mean(found) >= 0.97


def test_where_all_components_agree_the_mode_is_proved():
    base = np.array([[4.0, -4.0, 4.0]])
    parts = [LinearDistribution(LabelGraph(parents), base, np.zeros((3, 3))) for parents in ([[], [0], [1]], [[]] * 3)]
    support = Annealing().infer(MixtureDistribution(np.log([0.3, 0.7]), parts), random_state=0)
    assert support.mode().tolist() == [[1, 0, 1]]
    assert support.exact.all()
    other = LinearDistribution(parts[0].graph, -base, np.zeros((3, 3)))
    assert not Annealing().infer(MixtureDistribution(np.log([0.3, 0.7]), [other, parts[1]])).exact.any()


def plain(made, row, start, picks, hurdles):
    """Anneal one row with whole log probabilities, one flip after the other."""

    def log_prob(y):
        return float(made.take(slice(row, row + 1)).log_prob(np.array([y], dtype=np.uint8))[0])

    free = [k for k in range(made.n_labels) if made.evidence is None or made.evidence[row, k] < 0]
    y, total = list(start), log_prob(start)
    best, top = list(y), total
    for pick, hurdle in zip(picks, hurdles, strict=True):
        moved = list(y)
        moved[free[min(int(pick * len(free)), len(free) - 1)]] ^= 1
        there = log_prob(moved)
        if there - total >= hurdle:
            y, total = moved, there
            if total > top + 1e-10:
                best, top = list(y), total
    while True:
        flips = [[v ^ (k == label) for k, v in enumerate(best)] for label in free]
        reached = [log_prob(flip) for flip in flips]
        if max(reached) <= top + 1e-10:
            return best, top
        best, top = flips[int(np.argmax(reached))], max(reached)


@pytest.mark.parametrize("graph", sorted(GRAPHS))
@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize("n_labels", [1, 7, 12])
def test_the_walk_is_that_of_a_plain_loop(monkeypatch, graph, share, n_labels):
    made, seeds = mixture(11, n_labels, 3, graph, 0.7, share, n_rows=4), row_seeds(3, 4)
    if share:  # one row where everything is known
        known = made.evidence.copy()
        known[0] = np.where(known[0] < 0, 0, known[0])
        made = made.clamp(known)
    ours = Annealing(60).infer(made, random_state=seeds)
    picks, hurdles = proposals(np.geomspace(1.0, 0.01, 60), seeds)
    for row in range(4):
        modes = [BestFirst().infer(part.take(slice(row, row + 1))).mode()[0] for part in made.components]
        logs = [made.take(slice(row, row + 1)).log_prob(mode[None])[0] for mode in modes]
        start = modes[int(np.argmax(logs))].tolist()
        if made.evidence is not None and (made.evidence[row] >= 0).all():
            assert ours.vectors[row, 0].tolist() == start
            continue
        labels, log_prob = plain(made, row, start, picks[row], hurdles[row])
        assert ours.vectors[row, 0].tolist() == labels
        assert ours.log_weights[row, 0] == pytest.approx(log_prob, rel=1e-9)
    # Where conditionals cannot be written out as tables, whole vectors are weighed instead, all rows at once.
    monkeypatch.setattr("plait.inference.annealing.has_tables", lambda part: False)
    called = Annealing(60).infer(made, random_state=seeds)
    np.testing.assert_array_equal(called.vectors, ours.vectors)
    np.testing.assert_allclose(called.log_weights, ours.log_weights, rtol=1e-9)
    np.testing.assert_array_equal(called.exact, ours.exact)


def test_many_rows_of_many_components_walk_as_whole_vectors_do(monkeypatch):
    """Flat mixtures, where steps are taken or refused by what all components say together."""
    made, seeds = mixture(7, 14, 8, "forest", 0.3, n_rows=400), row_seeds(0, 400)
    hot = Annealing(40, first_temperature=0.3, last_temperature=0.1)
    ours = hot.infer(made, random_state=seeds)
    monkeypatch.setattr("plait.inference.annealing.has_tables", lambda part: False)
    called = hot.infer(made, random_state=seeds)
    np.testing.assert_array_equal(ours.vectors, called.vectors)
    assert (ours.vectors != Annealing(0).infer(made).vectors).any(axis=(1, 2)).mean() > 0.02


def test_hurdles_follow_the_temperatures_and_chance():
    seeds = row_seeds(0, 20_000)
    picks, hurdles = proposals(np.array([1.0, 0.01]), seeds)
    # A step that loses g is taken with probability exp(-g / T).
    for column, temperature in enumerate([1.0, 0.01]):
        for loss in (0.5, 2.0):
            share = (hurdles[:, column] <= -loss * temperature).mean()
            chance = math.exp(-loss)
            assert abs(share - chance) <= 5 * math.sqrt(chance * (1 - chance) / 20_000)
    assert abs(picks.mean() - 0.5) <= 5 * math.sqrt(1 / 12 / 40_000)
    assert ((picks > 0) & (picks < 1)).all()
    assert (hurdles < 0).all()
    assert abs(np.corrcoef(picks[:, 0], hurdles[:, 0])[0, 1]) < 0.05


def test_the_same_for_any_blocks_of_rows(monkeypatch):
    made, seeds = mixture(5, 9, 4, "polytree", 0.5, n_rows=30), row_seeds(9, 30)
    whole = Annealing().infer(made, random_state=9)
    np.testing.assert_array_equal(Annealing().infer(made, random_state=seeds).vectors, whole.vectors)
    for rows in (slice(0, 7), slice(7, 30), np.array([4, 29, 2])):
        part = Annealing().infer(made.take(rows), random_state=seeds[rows])
        np.testing.assert_array_equal(part.vectors, whole.vectors[rows])
        np.testing.assert_array_equal(part.log_weights, whole.log_weights[rows])
    monkeypatch.setattr("plait.inference.messages.mixture_tables._TABLE_SIZE", 500)
    small = Annealing().infer(made, random_state=9)
    np.testing.assert_array_equal(small.vectors, whole.vectors)
    np.testing.assert_array_equal(small.log_weights, whole.log_weights)


@pytest.mark.parametrize("graph", sorted(GRAPHS))
@pytest.mark.parametrize("n_best", [2, 5, 600])
def test_several_vectors_are_honest(graph, n_best):
    proved = 0
    for seed in range(15):
        made = mixture(seed, 5, 2 + seed % 2, graph, share=0.3 * (seed % 2))
        _, p = enumerated(made)
        truth = -np.sort(-p, axis=1)[:, : min(n_best, 32)]
        support = Annealing().infer(made, n_best=n_best, random_state=seed)
        assert support.vectors.shape == (5, min(n_best, 32), 5)
        found = np.where(np.isfinite(support.log_weights), np.exp(made.log_prob(support.vectors)), 0.0)
        np.testing.assert_allclose(np.exp(support.log_weights), found, rtol=1e-9, atol=1e-300)
        assert (np.diff(support.log_weights[:, : int((truth > 0).sum(axis=1).min())], axis=1) <= 0).all()
        for row in range(5):
            used = support.vectors[row][np.isfinite(support.log_weights[row])]
            assert len({tuple(y) for y in used}) == len(used)
        np.testing.assert_allclose(np.exp(support.log_weights)[support.exact], truth[support.exact], rtol=1e-9)
        proved += support.exact.sum()
    assert proved >= (15 * 5 if n_best == 600 else 1)


def test_mixtures_of_mixtures_and_weights_of_zero():
    made = mixture(2, 6, 3)
    with np.errstate(divide="ignore"):
        nested = MixtureDistribution(np.log([0.25, 0.75, 0.0]), [made, made.components[1], made.components[0]])
    weights = 0.25 * np.exp(made.log_weights)
    weights[1] += 0.75
    flat = MixtureDistribution(np.log(weights), made.components)
    one, two = Annealing().infer(nested, random_state=0), Annealing().infer(flat, random_state=0)
    np.testing.assert_array_equal(one.vectors, two.vectors)
    np.testing.assert_allclose(one.log_weights, two.log_weights, rtol=1e-12)


class Unknown(LabelDistribution):
    """A distribution of which only the contract is known."""

    def __init__(self, inner):
        self.inner = inner
        self.n_rows, self.n_labels, self.evidence = inner.n_rows, inner.n_labels, inner.evidence

    def log_prob(self, Y):
        return self.inner.log_prob(Y)

    def sample(self, n_samples, random_state=None):
        return self.inner.sample(n_samples, random_state)

    def clamp(self, evidence):
        return Unknown(self.inner.clamp(evidence))

    def take(self, rows):
        return Unknown(self.inner.take(rows))


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_components_of_unknown_form(share):
    made = mixture(4, 6, 2, share=share)
    hidden = MixtureDistribution(made.log_weights, [made.components[0], Unknown(made.components[1])])
    support = Annealing().infer(hidden, n_best=3, random_state=0)
    np.testing.assert_allclose(made.log_prob(support.mode()), support.log_weights[:, 0], rtol=1e-9)
    modes = MaxProduct().infer(made.components[0]).mode()
    assert (support.log_weights[:, 0] >= made.log_prob(modes) - 1e-9).all()
    assert not support.exact.any()


def test_many_labels():
    draws = np.random.default_rng(0)
    made = random_mixture([random_forest_graph(300, draws) for _ in range(4)], 3, draws, 2.0)
    support = Annealing().infer(made, random_state=0)
    np.testing.assert_allclose(made.log_prob(support.mode()), support.log_weights[:, 0], rtol=1e-9)
    modes = np.concatenate([MaxProduct().infer(part).vectors for part in made.components], axis=1)
    assert (support.log_weights[:, 0] >= made.log_prob(modes).max(axis=1) - 1e-9).all()


def test_margins_are_refused():
    margins = random_linear(LabelGraph([[], [0]]), 2, np.random.default_rng(0), probabilistic=False)
    fine = random_linear(LabelGraph([[], [0]]), 2, np.random.default_rng(0))
    for inference in (Annealing(), BestFirst()):
        with pytest.raises(ParameterError, match="needs a learner that gives probabilities"):
            inference.infer(MixtureDistribution(np.log([0.5, 0.5]), [fine, margins]))


def test_of_many_labels_the_least_sure_are_flipped_and_what_is_known_stays():
    q, rng = 150, np.random.default_rng(0)
    graph = LabelGraph([list(range(k)) for k in range(q)])
    weights = np.tril(rng.normal(size=(q, q)) * (rng.random((q, q)) < 0.1), -1)
    parts = [LinearDistribution(graph, rng.normal(size=(6, q)) - 2.0, weights * scale) for scale in (1.0, 1.5)]
    evidence = np.full((6, q), -1, dtype=np.int8)
    evidence[:, :3] = [0, 1, 1]
    mixture = MixtureDistribution(np.log([0.4, 0.6]), parts).clamp(evidence)
    found = Annealing().infer(mixture, random_state=0)
    modes = found.mode()
    np.testing.assert_array_equal(modes[:, :3], np.tile([0, 1, 1], (6, 1)))
    np.testing.assert_allclose(found.log_weights[:, 0], mixture.log_prob(modes), rtol=1e-12)
    for part in mixture.components:  # never below the best vector of a component
        best = best_vectors(part, 1, 10**4)[0].vectors[:, 0]
        assert (mixture.log_prob(modes) >= mixture.log_prob(best) - 1e-9).all()


def test_of_many_labels_those_are_flipped_that_some_component_is_least_sure_of(monkeypatch):
    monkeypatch.setattr(annealing, "_MANY_LABELS", 5)
    monkeypatch.setattr(annealing, "_FLIPPED", 3)
    draws = np.random.default_rng(5)
    model = MixtureDistribution(np.log([0.4, 0.6]), [random_linear(random_graph(9, draws), 6, draws) for _ in range(2)])
    vectors = draws.integers(0, 2, (6, 9)).astype(np.uint8)
    free = np.ones((6, 9), dtype=bool)
    free[0, :7] = False
    places, n_free = annealing._places(model, vectors, free)
    assert n_free.tolist() == [2, 3, 3, 3, 3, 3]
    for row, y in enumerate(vectors):
        # How much more probable a label's value is than the other, given the labels before it.
        sure = {}
        for label in np.flatnonzero(free[row]):
            scores = [part.scores_at(vectors)[row, label] for part in model.components]
            sure[label] = min(score if y[label] else -score for score in scores)
        assert places[row, : n_free[row]].tolist() == sorted(sure, key=sure.get)[:3]
