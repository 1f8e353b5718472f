"""Suspicions of records against enumeration of all neighbouring label sets, and their limits."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from plait.inference import Auto
from plait.joint import LinearDistribution, MixtureDistribution
from plait.posterior import Posterior
from plait.structure import LabelGraph
from plait.trust.neighbour_sets import ErrorRates, partial_suspicions, suspicions


def random_chain(n_rows, n_labels, rng, strength=1.5):
    graph = LabelGraph(tuple(tuple(range(k)) for k in range(n_labels)))
    parent_coef = np.tril(rng.normal(scale=strength, size=(n_labels, n_labels)), -1)
    return LinearDistribution(graph, rng.normal(size=(n_rows, n_labels)), parent_coef)


def random_mixture(n_rows, n_labels, rng):
    parts = [random_chain(n_rows, n_labels, rng) for _ in range(2)]
    return MixtureDistribution(np.log([0.3, 0.7]), parts)


def enumerated(distribution, recorded, rates):
    """P(z | x, r) over all neighbours of every row, by the definition."""
    n_rows, n_labels = recorded.shape
    wrong, likeliest = np.zeros(recorded.shape), np.zeros_like(recorded)
    for row in range(n_rows):
        record = recorded[row]
        absent = int((record == 0).sum())
        weighted = [(1.0, record.copy())]
        for k in range(n_labels):
            near = record.copy()
            near[k] ^= 1
            rate = rates.missed if record[k] == 0 else rates.false
            weighted.append((rate / (1 - rate), near))
        for k, j in product(range(n_labels), repeat=2):
            if record[k] == 1 and record[j] == 0:
                near = record.copy()
                near[k], near[j] = 0, 1
                weighted.append((rates.swapped / absent, near))
        part = distribution.take(np.array([row]))
        mass = [weight * np.exp(part.log_prob(near[None]))[0] for weight, near in weighted]
        for share, (_, near) in zip(mass, weighted, strict=True):
            wrong[row] += share / sum(mass) * (near != record)
        likeliest[row] = weighted[int(np.argmax(mass))][1]
    return wrong, likeliest


@settings(max_examples=25, deadline=None)
@given(
    n_labels=st.integers(1, 8),
    seed=st.integers(0, 10**6),
    swapped=st.sampled_from([0.0, 0.05, 0.3]),
    mixed=st.booleans(),
)
def test_every_suspicion_is_that_of_the_enumerated_neighbours(n_labels, seed, swapped, mixed):
    rng = np.random.default_rng(seed)
    distribution = (random_mixture if mixed else random_chain)(4, n_labels, rng)
    recorded = rng.integers(0, 2, size=(4, n_labels)).astype(np.uint8)
    rates = ErrorRates(0.05, 0.02, swapped)
    found = suspicions(distribution, recorded, rates)
    wrong, likeliest = enumerated(distribution, recorded, rates)
    np.testing.assert_allclose(found.wrong, wrong, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found.likeliest, likeliest)


def test_rates_of_one_half_and_a_single_doubtful_label_are_the_conditional_doubt():
    rng = np.random.default_rng(0)
    distribution = random_chain(5, 3, rng)
    certain = LinearDistribution(distribution.graph, distribution.base + np.array([0.0, 40.0, 40.0]), np.zeros((3, 3)))
    recorded = np.ones((5, 3), dtype=np.uint8)
    found = suspicions(certain, recorded, ErrorRates(0.5, 0.5, 0.0))
    np.testing.assert_allclose(found.wrong[:, 0], expit(-certain.base[:, 0]), rtol=1e-5)


def test_small_rates_leave_the_odds_of_the_conditional_doubt():
    rng = np.random.default_rng(1)
    distribution = random_chain(6, 4, rng)
    recorded = rng.integers(0, 2, size=(6, 4)).astype(np.uint8)
    tiny = 1e-9
    found = suspicions(distribution, recorded, ErrorRates(tiny, tiny, 0.0))
    odds = np.exp(distribution.flip_log_ratios(recorded))
    np.testing.assert_allclose(found.wrong / tiny, odds, rtol=1e-6)


def test_a_swap_is_seen_where_conditioning_on_the_records_is_blind():
    """One of two labels that exclude each other: x says the first, the record the second."""
    graph = LabelGraph(((), (0,)))
    distribution = LinearDistribution(graph, np.array([[3.0, 6.0]]), np.array([[0.0, 0.0], [-12.0, 0.0]]))
    recorded = np.array([[0, 1]], dtype=np.uint8)
    conditional = expit(distribution.flip_log_ratios(recorded))
    assert conditional.max() < 0.06
    found = suspicions(distribution, recorded, ErrorRates(0.05, 0.05, 0.2))
    assert found.wrong.min() > 0.7
    np.testing.assert_array_equal(found.likeliest, [[1, 0]])


@pytest.mark.parametrize("order", [[2, 0, 1], [1, 2, 0]])
def test_rows_in_another_order_have_the_same_suspicions(order):
    rng = np.random.default_rng(2)
    distribution = random_chain(3, 5, rng)
    recorded = rng.integers(0, 2, size=(3, 5)).astype(np.uint8)
    rates = ErrorRates(0.05, 0.03, 0.05)
    whole, moved = (
        suspicions(distribution, recorded, rates),
        suspicions(distribution.take(order), recorded[order], rates),
    )
    np.testing.assert_allclose(moved.wrong, whole.wrong[order], rtol=1e-12)


class Scores:
    """A chain whose rows of features are the scores of the labels."""

    def __init__(self, distribution):
        self.distribution = distribution

    def condition(self, X):
        return LinearDistribution(self.distribution.graph, np.asarray(X), self.distribution.parent_coef)


def test_unknown_labels_are_summed_over():
    rng = np.random.default_rng(3)
    chain = random_chain(4, 5, rng)
    answer = Posterior(Scores(chain), chain.base, list("abcde"), Auto(), "subset", 0)
    recorded = rng.integers(0, 2, size=(4, 5)).astype(np.int8)
    recorded[0, 2] = recorded[1, 0] = recorded[1, 4] = recorded[3, 1] = -1
    rates = ErrorRates(0.05, 0.02, 0.1)
    wrong, likeliest, surprise = partial_suspicions(answer, recorded, rates)
    sets = np.array(list(product([0, 1], repeat=5)), dtype=np.uint8)
    for row, record in enumerate(recorded):
        known = record >= 0
        p = np.exp(answer[np.full(32, row)].log_prob(sets))
        zeros, mass, differs = int((record == 0).sum()), {}, {}
        for weight, one in zip(p, sets, strict=True):
            off = np.flatnonzero(known & (record == 1) & (one == 0))
            on = np.flatnonzero(known & (record == 0) & (one == 1))
            rate = {
                (0, 0): 1.0,
                (1, 0): rates.false / (1 - rates.false),
                (0, 1): rates.missed / (1 - rates.missed),
                (1, 1): rates.swapped / max(zeros, 1),
            }.get((len(off), len(on)), 0.0)
            key = (*off, *on)
            mass[key] = mass.get(key, 0.0) + weight * rate
            differs[key] = known & (one != record)
        total = sum(mass.values())
        expected = sum(share * differs[key] for key, share in mass.items()) / total
        np.testing.assert_allclose(wrong[row, known], expected[known], rtol=1e-9)
        assert np.isnan(wrong[row, ~known]).all()
        best = max(mass, key=mass.get)
        np.testing.assert_array_equal(likeliest[row], known & (np.where(differs[best], 1 - record, record) == 1))
        observed = np.log(p[((sets == record) | ~known).all(axis=1)].sum())
        by_set = [np.log(p[((sets == one) | ~known).all(axis=1)].sum()) for one in sets]
        assert abs(surprise[row] - (observed - p @ by_set)) < 1.0  # 32 draws


def test_rows_without_gaps_are_judged_alike_either_way():
    rng = np.random.default_rng(4)
    chain = random_chain(5, 4, rng)
    answer = Posterior(Scores(chain), chain.base, list("abcd"), Auto(), "subset", 0)
    recorded = rng.integers(0, 2, size=(5, 4))
    rates = ErrorRates(0.05, 0.02, 0.1)
    whole = suspicions(chain, recorded.astype(np.uint8), rates)
    wrong, likeliest, _ = partial_suspicions(answer, recorded.astype(np.int8), rates)
    np.testing.assert_allclose(wrong, whole.wrong, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(likeliest, whole.likeliest)
