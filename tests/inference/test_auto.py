"""`Auto` picks by graph, question and size, and hands on what the one it picked says."""

import numpy as np
import pytest

from plait.inference import Auto
from plait.inference.exhaustive import enumerated_marginals
from plait.joint import LabelDistribution, MixtureDistribution
from plait.structure import LabelGraph
from plait.testing import enumerated, random_evidence, random_linear, random_mixture, random_tables

FOREST = [[], [0], [0], []]
POLYTREE = [[], [], [0, 1], [2]]
CHAIN = [[], [0], [0, 1], [0, 1, 2]]


def model(parents, n_rows=3, seed=0, **options):
    return random_linear(LabelGraph(parents), n_rows, np.random.default_rng(seed), **options)


def full_chain(n_labels):
    return [list(range(label)) for label in range(n_labels)]


def path(n_labels):
    return [[label - 1] if label else [] for label in range(n_labels)]


def mixture(*graphs, n_rows=3, seed=0):
    return random_mixture([LabelGraph(parents) for parents in graphs], n_rows, np.random.default_rng(seed))


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


@pytest.mark.parametrize(
    ("given", "mode", "marginals", "distribution"),
    [
        (model([[]] * 4), "MaxProduct()", "SumProduct()", "Exhaustive()"),
        (model(FOREST), "MaxProduct()", "SumProduct()", "Exhaustive()"),
        (model(POLYTREE), "MaxProduct()", "SumProduct()", "Exhaustive()"),
        (model(path(40)), "MaxProduct()", "SumProduct()", "MonteCarlo()"),
        (model([[]] * 11 + [list(range(11))]), "BestFirst()", "Exhaustive()", "Exhaustive()"),
        (model(CHAIN), "BestFirst()", "Exhaustive()", "Exhaustive()"),
        (model(full_chain(12)), "BestFirst()", "Exhaustive()", "Exhaustive()"),
        (model(full_chain(13)), "BestFirst()", "Exhaustive()", "MonteCarlo()"),
        (model(full_chain(15)), "BestFirst()", "Exhaustive()", "MonteCarlo()"),
        (model(full_chain(16)), "BestFirst()", "MonteCarlo(n_samples=200)", "MonteCarlo()"),
        (model(CHAIN, probabilistic=False), "Greedy()", "Greedy()", "Greedy()"),
        (Unknown(model(CHAIN)), "Exhaustive()", "Exhaustive()", "Exhaustive()"),
        (mixture(FOREST, POLYTREE), "BestFirst()", "SumProduct()", "Exhaustive()"),
        (mixture(path(40), [[]] * 40), "BestFirst()", "SumProduct()", "MonteCarlo()"),
        (mixture(FOREST, CHAIN), "Exhaustive()", "Auto()", "Exhaustive()"),
        (mixture(CHAIN, CHAIN), "Exhaustive()", "Exhaustive()", "Exhaustive()"),
        (mixture(path(13), full_chain(13)), "Exhaustive()", "Auto()", "MonteCarlo()"),
        (mixture(path(16), full_chain(16)), "Annealing()", "Auto()", "MonteCarlo()"),
        # The second component is tables, for which a learner would be called.
        (mixture(full_chain(14), full_chain(14)), "Annealing()", "Auto()", "MonteCarlo()"),
        (
            MixtureDistribution([0.0], [mixture(path(20), path(20))]),
            "BestFirst()",
            "SumProduct()",
            "MonteCarlo()",
        ),
        (Unknown(model(full_chain(16))), "MonteCarlo()", "MonteCarlo(n_samples=200)", "MonteCarlo()"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_the_choice(given, mode, marginals, distribution):
    chosen = {wanted: repr(Auto().choose(given, wanted)) for wanted in ("mode", "marginals", "distribution")}
    assert chosen == {"mode": mode, "marginals": marginals, "distribution": distribution}


MIXED = {"trees": (FOREST, [[1], [2], [], [0]]), "all": (FOREST, POLYTREE, CHAIN)}


@pytest.mark.parametrize("parents", [[[]] * 4, FOREST, POLYTREE, CHAIN, [[]], *MIXED], ids=str)
@pytest.mark.parametrize("evidence", [False, True])
def test_small_models_are_answered_exactly(parents, evidence):
    given = mixture(*MIXED[parents], n_rows=6) if isinstance(parents, str) else model(parents, n_rows=6)
    if evidence:
        given = given.clamp(random_evidence((6, given.n_labels), np.random.default_rng(1)))
    vectors, p = enumerated(given)
    mode, marginals, every = (Auto().infer(given, wanted) for wanted in ("mode", "marginals", "distribution"))
    np.testing.assert_allclose(np.exp(given.log_prob(mode.mode())), p.max(axis=1), rtol=1e-10)
    np.testing.assert_allclose(marginals.marginals, p @ vectors / p.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(every.log_weights), p, rtol=1e-9, atol=1e-15)
    assert mode.exact.all()
    assert marginals.exact.all()
    assert every.exact.all()
    assert all(support.log_evidence is not None for support in (marginals, every))


def test_the_support_says_which_it_was():
    methods = [Auto().infer(model(parents), "mode").method for parents in (FOREST, CHAIN)]
    assert len(set(methods)) == 2
    sample = Auto(n_samples=70).infer(model(full_chain(16)), "distribution", random_state=0)
    assert sample.kind == "sample"
    np.testing.assert_allclose(np.exp(sample.log_weights).sum(axis=1), 70, rtol=1e-12)
    assert not sample.exact.any()


@pytest.mark.parametrize(("n_labels", "marginals"), [(12, "Exhaustive()"), (14, "MonteCarlo(n_samples=200)")])
def test_a_learner_that_must_be_called_is_called_less(n_labels, marginals):
    graph = LabelGraph(full_chain(n_labels))
    called = random_tables(graph, 2, np.random.default_rng(0))
    assert repr(Auto().choose(called, "mode")) == "BestFirst(max_nodes=10000)"
    assert repr(Auto().choose(called, "marginals")) == marginals
    two_parents = LabelGraph([[], [0], *([k - 2, k - 1] for k in range(2, 14))])
    few = random_tables(two_parents, 2, np.random.default_rng(0))
    assert few.n_labels == 14
    assert repr(Auto().choose(few, "marginals")) == "Exhaustive()"


def test_the_limits_are_parameters():
    given = model(full_chain(5))
    assert repr(Auto(max_enumerated=4).choose(given, "distribution")) == "MonteCarlo()"
    assert repr(Auto(max_enumerated=2).choose(given, "marginals")) == "Exhaustive()"
    assert repr(Auto(max_enumerated=1).choose(given, "marginals")) == "MonteCarlo(n_samples=200)"
    assert repr(Auto(n_samples=5, max_enumerated=1).choose(given, "distribution")) == "MonteCarlo(n_samples=5)"
    assert repr(Auto(n_samples=4, max_enumerated=1).choose(given, "marginals")) == "MonteCarlo(n_samples=1)"
    assert repr(Auto(max_enumerated=16).choose(model(full_chain(16)), "distribution")) == "Exhaustive(force=True)"


def test_several_modes():
    given = model(CHAIN)
    vectors, p = enumerated(given)
    support = Auto().infer(given, "mode", n_best=3)
    np.testing.assert_allclose(np.exp(support.log_weights), -np.sort(-p, axis=1)[:, :3], rtol=1e-10)
    assert support.vectors.shape == (3, 3, vectors.shape[1])


@pytest.mark.parametrize("evidence", [False, True])
def test_marginals_of_a_mixture_are_the_mean_of_its_components(evidence):
    """A component that messages reach stays exact beside one that is sampled, which draws its share of the samples."""
    parts = [model(path(16), seed=1, n_rows=4), model(full_chain(16), seed=2, n_rows=4)]
    given = MixtureDistribution(np.log([0.6, 0.4]), parts)
    if evidence:
        given = given.clamp(random_evidence((4, 16), np.random.default_rng(1)))
    exact, log_evidence = enumerated_marginals(given)
    support = Auto(n_samples=20_000).infer(given, "marginals", random_state=0)
    size = support.effective_size
    assert (np.abs(support.marginals - exact) <= 5 * np.sqrt(0.25 / size)[:, None]).all()
    np.testing.assert_allclose(support.log_evidence, log_evidence, rtol=0, atol=0.3)
    assert support.kind == "sample"
    assert "sum-product" in support.method
    assert "Monte Carlo" in support.method
    assert not support.exact.any()
    assert not support.exact_marginals
    if not evidence:
        # 1,600 samples, and a weight of 0.4 in the mean.
        np.testing.assert_allclose(size, 1600 / 0.4**2, rtol=1e-12)


def test_mixtures_of_large_and_small_parts_that_are_all_exact_are_exact():
    given = mixture(FOREST, CHAIN, n_rows=5)
    vectors, p = enumerated(given)
    support = Auto().infer(given, "marginals")
    np.testing.assert_allclose(support.marginals, p @ vectors / p.sum(axis=1, keepdims=True), rtol=1e-9)
    assert support.exact.all()
    assert support.exact_marginals
    assert support.effective_size is None
