"""`Exhaustive` against products written out by hand, for every kind of distribution."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from plait.core.sentences import ParameterError
from plait.inference import Exhaustive
from plait.inference.exhaustive import enumerated_marginals
from plait.inference.search import label_tables
from plait.joint import LabelDistribution, LinearDistribution, MixtureDistribution
from plait.structure import LabelGraph


def random_chain(n_labels, n_rows, seed, density=0.6, scale=1.0):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_labels)
    place = np.argsort(order)
    parents = [[j for j in rng.permutation(n_labels) if place[j] < place[k] and rng.random() < density]
               for k in range(n_labels)]  # fmt: skip
    coef = np.zeros((n_labels, n_labels))
    for k, group in enumerate(parents):
        coef[k, group] = scale * rng.normal(size=len(group))
    return LinearDistribution(LabelGraph(parents, order.tolist()), rng.normal(size=(n_rows, n_labels)), coef)


def naive(chain):
    """Return {vector: probability} of every row, by one product for each vector."""
    tables = []
    for row in range(chain.n_rows):
        table = {}
        for y in product((0, 1), repeat=chain.n_labels):
            p = 1.0
            for k, parents in enumerate(chain.graph.parents):
                score = chain.base[row, k] + sum(chain.parent_coef[k, j] * y[j] for j in parents)
                p *= expit(score) if y[k] else expit(-score)
            known = [] if chain.evidence is None else chain.evidence[row]
            table[y] = 0.0 if any(e in (0, 1) and e != v for e, v in zip(known, y, strict=False)) else p
        tables.append(table)
    return tables


def with_evidence(chain, seed=0):
    return chain.clamp(np.random.default_rng(seed).integers(-1, 2, (chain.n_rows, chain.n_labels)).astype(np.int8))


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


@pytest.fixture(params=[1, 2, 5], ids=lambda q: f"q={q}")
def chain(request):
    return random_chain(request.param, 4, request.param)


@pytest.mark.parametrize("form", [lambda c: c, with_evidence, Unknown], ids=["plain", "evidence", "unknown"])
def test_distribution_marginals_and_evidence_by_hand(chain, form):
    distribution = form(chain)
    support = Exhaustive().infer(distribution, "distribution")
    tables = naive(getattr(distribution, "inner", distribution))
    np.testing.assert_allclose(
        np.exp(support.log_weights), [[table[tuple(v)] for v in support.vectors[0]] for table in tables], rtol=1e-12
    )
    totals = np.array([sum(table.values()) for table in tables])
    sums = [[sum(p for y, p in table.items() if y[k]) for k in range(chain.n_labels)] for table in tables]
    np.testing.assert_allclose(support.marginals, np.array(sums) / totals[:, None], rtol=1e-12)
    np.testing.assert_allclose(support.log_evidence, np.log(totals), rtol=1e-12, atol=1e-12)
    assert support.kind == "distribution"
    assert support.exact.all()
    assert support.vectors.base is not None, "vectors are a view of one table"
    assert support.vectors.strides[0] == 0
    marginals, log_evidence = enumerated_marginals(distribution)
    np.testing.assert_allclose(marginals, support.marginals, rtol=1e-14)
    np.testing.assert_array_equal(log_evidence, support.log_evidence)


@pytest.mark.parametrize("form", [lambda c: c, with_evidence], ids=["plain", "evidence"])
@pytest.mark.parametrize("n_best", [1, 3, 100])
def test_the_best_vectors_by_hand(chain, form, n_best):
    distribution = form(chain)
    support = Exhaustive().infer(distribution, "mode", n_best)
    assert support.kind == "modes"
    for row, table in enumerate(naive(distribution)):
        expected = sorted(table.items(), key=lambda pair: (-pair[1], pair[0]))[:n_best]
        used = np.isfinite(support.log_weights[row])
        expected = [(y, p) for y, p in expected if p > 0]
        assert [tuple(v) for v in support.vectors[row][used]] == [y for y, _ in expected]
        np.testing.assert_allclose(np.exp(support.log_weights[row][used]), [p for _, p in expected], rtol=1e-12)


def test_ties_come_in_the_order_of_the_vectors_whatever_the_order_of_the_chain():
    chain = LinearDistribution(LabelGraph([[2], [], [1]], [1, 2, 0]), np.zeros((1, 3)), np.zeros((3, 3)))
    best = Exhaustive().infer(chain, "mode", 5).vectors[0]
    assert [tuple(v) for v in best] == list(product((0, 1), repeat=3))[:5]


def test_marginals_come_without_a_table_of_all_vectors(monkeypatch):
    first, second = random_chain(6, 5, 0), random_chain(6, 5, 1)
    mixture = MixtureDistribution(np.log([0.3, 0.7]), [first, second])
    everything = [Exhaustive().infer(each, "distribution") for each in (first, mixture)]
    monkeypatch.setattr(label_tables, "_table", None)
    for each, every in zip((first, mixture), everything, strict=True):
        support = Exhaustive().infer(each, "marginals")
        np.testing.assert_allclose(support.marginals, every.marginals, rtol=1e-13)
        assert support.vectors.shape == (5, 0, 6)
        assert support.exact.all()


def test_blocks_of_rows_change_nothing(monkeypatch):
    chain = with_evidence(random_chain(5, 17, 3))
    whole = Exhaustive().infer(chain, "distribution")
    best = Exhaustive().infer(chain, "mode", 2)
    monkeypatch.setattr(label_tables, "_BLOCK", 100)
    np.testing.assert_array_equal(Exhaustive().infer(chain, "distribution").log_weights, whole.log_weights)
    np.testing.assert_array_equal(Exhaustive().infer(chain, "mode", 2).vectors, best.vectors)


def test_strong_scores_are_clipped_and_lose_no_digits():
    chain = LinearDistribution(LabelGraph([[], [0]]), np.array([[50.0, -50.0]]), np.zeros((2, 2)))
    support = Exhaustive().infer(chain, "distribution")
    np.testing.assert_allclose(np.exp(support.log_weights).sum(), 1.0, rtol=1e-15)
    np.testing.assert_allclose(support.log_weights, chain.log_prob(np.asarray(support.vectors)), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(1 - support.marginals[0, 0], 1e-6, rtol=1e-9)


@pytest.mark.parametrize(
    ("n_labels", "force", "sentence"),
    [
        (16, False, r"Exhaustive\(\) needs at most 15 labels, .* but there are 16\. force=True allows 20, or use Best"),
        (21, False, r"Exhaustive\(\) needs at most 15 labels, .* but there are 21\. Use BestFirst\(\)"),
        (21, True, r"Exhaustive\(force=True\) needs at most 20 labels, .* but there are 21\. Use BestFirst\(\)"),
    ],
)
def test_too_many_labels(n_labels, force, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Exhaustive(force=force).infer(random_chain(n_labels, 1, 0, density=0.1), "marginals")
    with pytest.raises(ParameterError, match="enumerated_marginals needs at most 20 labels"):
        enumerated_marginals(random_chain(21, 1, 0, density=0.1))


def test_sixteen_labels_by_force_and_in_bounded_memory():
    chain = random_chain(16, 3, 0, density=1.0, scale=0.3)
    Exhaustive(force=True).infer(random_chain(3, 1, 0), "marginals")
    tracemalloc.start()
    support = Exhaustive(force=True).infer(chain, "marginals")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    vectors, _ = chain.sample(20000, random_state=0)
    np.testing.assert_allclose(vectors.mean(axis=1), support.marginals, atol=5 * np.sqrt(0.25 / 20000))
    assert peak < 100 * 2**20


def test_margins_have_no_probabilities():
    chain = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.zeros((2, 2)), None, probabilistic=False)
    with pytest.raises(ParameterError, match="Exhaustive needs a learner that gives probabilities"):
        Exhaustive().infer(chain)


@pytest.mark.parametrize("evidence", [False, True])
def test_mixtures_are_the_weighted_sums_of_their_components(evidence):
    parts = [random_chain(5, 3, seed) for seed in range(3)]
    inner = MixtureDistribution(np.log([0.4, 0.6]), [parts[0], Unknown(parts[1])])
    mixture = MixtureDistribution(np.log([0.7, 0.3]), [inner, parts[2]])
    weights = [0.28, 0.42, 0.3]
    if evidence:
        known = np.random.default_rng(0).integers(-1, 2, (3, 5)).astype(np.int8)
        parts, mixture = [part.clamp(known) for part in parts], mixture.clamp(known)
    truth = sum(w * np.array([list(table.values()) for table in naive(part)])
                for w, part in zip(weights, parts, strict=True))  # fmt: skip
    support = Exhaustive().infer(mixture, "distribution")
    np.testing.assert_allclose(np.exp(support.log_weights), truth, rtol=1e-10, atol=1e-15)
    if evidence:
        np.testing.assert_allclose(support.log_evidence, np.log(truth.sum(axis=1)), rtol=1e-10)
    best = Exhaustive().infer(mixture, "mode", n_best=3)
    np.testing.assert_allclose(np.exp(best.log_weights), -np.sort(-truth, axis=1)[:, :3], rtol=1e-10)
    marginals, _ = enumerated_marginals(mixture)
    np.testing.assert_allclose(marginals, support.marginals, rtol=1e-12)


@pytest.mark.parametrize("n_labels", [1, 3, 6])
def test_every_conditional_of_every_prefix_is_evaluated_once(n_labels):
    chain = random_chain(n_labels, 2, 0)
    for wanted in ("distribution", "marginals", "mode"):
        found = Exhaustive().infer(chain, wanted).n_evaluations
        # 1 for the first label, 2 for the second, 4 for the third.
        assert found.tolist() == [sum(2**k for k in range(n_labels))] * 2
