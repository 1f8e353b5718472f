"""Random models of every kind against an enumeration of our own: every exact question, and the frequencies of draws.

Graphs are paths, forests, polytrees, DAGs and full chains, alone and in mixtures with components of weight 0; weights
are normal, whole numbers, 0 and as large as 1e6; half the models have evidence. `make test` tries two thousand, `make
test-all` a hundred thousand.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats

from plait.core.kernel_policy import using_kernels
from plait.inference import Auto
from plait.joint import LinearDistribution, MixtureDistribution
from plait.losses import F1, Hamming, Jaccard, Subset
from plait.posterior import Posterior
from plait.structure import LabelGraph

# Scores are clipped where P is one millionth from 0 or 1.
LIMIT = np.log((1 - 1e-6) / 1e-6)
LOSSES = (Subset(), Hamming(), F1(), Jaccard())
A_ROUND = 100


class Fixed:
    """A fitted model whose P(y | x) is the same whatever X holds: rows are taken by number."""

    def __init__(self, distribution):
        self.distribution = distribution

    def condition(self, X):
        return self.distribution.take(X[:, 0].astype(np.int64))


def random_parents(kind, q, draws):
    order = draws.permutation(q)
    parents = [[] for _ in range(q)]
    for place in range(1, q):
        before = [int(j) for j in order[:place]]
        if kind == "path":
            chosen = before[-1:]
        elif kind == "forest":
            chosen = [int(draws.choice(before))] if draws.random() < 0.8 else []
        elif kind == "dag":
            chosen = [j for j in before if draws.random() < 0.5]
        else:
            chosen = before if kind == "chain" else []
        parents[order[place]] = chosen
    if kind == "polytree":  # edges of a random tree, each pointing either way
        for place in range(1, q):
            a, b = int(order[place]), int(order[draws.integers(place)])
            parent, child = (a, b) if draws.random() < 0.5 else (b, a)
            parents[child].append(parent)
    return parents


def random_weights(shape, draws):
    kind = draws.choice(["normal", "whole", "zero", "50", "700", "1e6"], p=[0.5, 0.2, 0.05, 0.1, 0.1, 0.05])
    if kind == "normal":
        return draws.normal(scale=draws.choice([0.5, 1.5, 4.0]), size=shape)
    if kind == "whole":
        return draws.integers(-3, 4, size=shape).astype(float)
    return float(kind if kind != "zero" else 0.0) * draws.choice([-1.0, 1.0], size=shape)


class RandomModel:
    """A model, and all its probabilities written out from the weights alone."""

    def __init__(self, seed):
        self.draws = draws = np.random.default_rng(seed)
        self.q, self.n = int(draws.integers(1, 8)), int(draws.integers(1, 12))
        self.vectors = np.array(list(product((0, 1), repeat=self.q)), dtype=np.uint8)
        n_parts = int(draws.integers(1, 4)) if draws.random() < 0.35 else 0
        pairs = [self.component() for _ in range(max(1, n_parts))]
        if n_parts:
            weights = draws.dirichlet(np.ones(n_parts)) * (draws.random(n_parts) < 0.8)
            weights = weights / weights.sum() if weights.sum() > 0 else np.ones(n_parts) / n_parts
            with np.errstate(divide="ignore"):
                self.distribution = MixtureDistribution(np.log(weights), [part for part, _ in pairs])
            self.table = sum(w * table for w, (_, table) in zip(weights, pairs, strict=True))
        else:
            ((self.distribution, self.table),) = pairs
        X = np.arange(self.n, dtype=float).reshape(-1, 1)
        names = [f"y{k}" for k in range(self.q)]
        self.posterior = Posterior(Fixed(self.distribution), X, names, Auto(), random_state=int(seed))
        if draws.random() < 0.5:
            self.know()

    def component(self):
        kind = self.draws.choice(["path", "forest", "polytree", "dag", "chain", "none"])
        parents = random_parents(kind, self.q, self.draws)
        coef = np.zeros((self.q, self.q))
        for label, some in enumerate(parents):
            coef[label, some] = random_weights(len(some), self.draws)
        base = random_weights((self.n, self.q), self.draws)
        scores = np.clip(base[:, None, :] + (self.vectors @ coef.T)[None], -LIMIT, LIMIT)
        one = 1.0 / (1.0 + np.exp(-scores))
        table = np.where(self.vectors[None] == 1, one, 1.0 - one).prod(axis=2)
        return LinearDistribution(LabelGraph(parents), base, coef), table

    def know(self):
        known = np.where(
            self.draws.random((self.n, self.q)) < 0.3, self.draws.integers(0, 2, (self.n, self.q)), -1
        ).astype(float)
        against = ((known[:, None, :] >= 0) & (known[:, None, :] != self.vectors[None])).any(axis=2)
        self.table = np.where(against, 0.0, self.table)
        self.table /= self.table.sum(axis=1, keepdims=True)
        self.posterior = self.posterior.given(np.where(known < 0, np.nan, known))


def check_exact_questions(model):
    posterior, P, V = model.posterior, model.table, model.vectors
    rows = np.arange(model.n)
    near = {"rtol": 1e-7, "atol": 1e-12}
    at = model.draws.integers(0, len(V), model.n)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.exp(posterior.log_prob(V[at])), P[rows, at], **near)
    np.testing.assert_allclose(posterior.marginals(), P @ V, **near)
    assert posterior.exact.all()
    best = P.max(axis=1)
    mode = posterior.mode() @ (1 << np.arange(model.q)[::-1])
    assert posterior.exact.all()
    np.testing.assert_allclose(P[rows, mode], best, **near)
    k = int(model.draws.integers(1, 5))
    top = posterior.top(k)
    wanted = -np.sort(-P, axis=1)[:, :k]
    np.testing.assert_allclose(top.probabilities[:, : wanted.shape[1]], wanted, **near)
    logs = np.log(np.where(P > 0, P, 1.0))
    np.testing.assert_allclose(posterior.entropy(), -(P * logs).sum(axis=1), rtol=1e-7, atol=1e-9)


@cache
def costs_of(number, q):
    """Return the loss of every decision (columns) against every truth (rows), by the definition of the loss."""
    V = np.array(list(product((0, 1), repeat=q)), dtype=np.uint8)
    return np.array([[LOSSES[number].value(y[None], h[None])[0] for h in V] for y in V])


def check_decisions(model):
    number = int(model.draws.integers(len(LOSSES)))
    loss, risks = LOSSES[number], model.table @ costs_of(number, model.q)
    answer = model.posterior.decide(loss).astype(np.int64)
    chosen = risks[np.arange(model.n), answer @ (1 << np.arange(model.q)[::-1])]
    np.testing.assert_allclose(chosen, risks.min(axis=1), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.posterior.expected_loss(answer, loss), chosen, rtol=1e-7, atol=1e-9)


def check_doubts(model):
    P, rows = model.table, np.arange(model.n)[:, None]
    at = np.array([model.draws.choice(np.flatnonzero(row > 0)) for row in P])[:, None]
    other = at ^ (1 << np.arange(model.q)[::-1])  # the same set with one label turned
    expected = P[rows, other] / (P[rows, other] + P[rows, at])
    np.testing.assert_allclose(model.posterior.doubts(model.vectors[at[:, 0]]), expected, rtol=1e-6, atol=1e-9)


def chance_of_draws(model):
    """Return the chance of draws as odd as those of the first row: exact tests of the frequencies of its label sets."""
    n, P = 200, model.table[0]
    drawn = model.posterior.sample(n)[0] @ (1 << np.arange(model.q)[::-1])
    seen = np.bincount(drawn, minlength=len(P))
    assert not seen[P == 0].any()
    rare = n * P < 5
    counts = np.append(seen[~rare], seen[rare].sum())
    shares = np.minimum(1.0, np.append(P[~rare], P[rare].sum()))
    tails = np.minimum(stats.binom.cdf(counts, n, shares), stats.binom.sf(counts - 1, n, shares))
    return 2 * tails.min() * len(counts)


def attack(seeds):
    chances = []
    for seed in seeds:
        model = RandomModel(seed)
        with using_kernels("always" if seed % 4 == 0 else "auto"):
            check_exact_questions(model)
            if model.q <= 5:
                check_decisions(model)
            check_doubts(model)
            if seed % 3 == 0:
                chances.append(chance_of_draws(model))
    # Hundreds of tests at once: the least chance may be small, but not this small.
    assert min(chances) > 1e-7


@pytest.mark.parametrize("turn", range(20))
def test_random_models_answer_as_enumeration_does(turn):
    attack(range(turn * A_ROUND, (turn + 1) * A_ROUND))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("turn", range(100))
def test_a_hundred_thousand_random_models(turn):
    attack(range(10**6 + turn * 1000, 10**6 + (turn + 1) * 1000))
