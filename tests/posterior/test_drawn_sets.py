"""Draws once some labels are known: exact where all label sets are written out, and honest where they are not."""

import numpy as np
import pytest

from plait.inference import Auto
from plait.joint import LinearDistribution, MixtureDistribution
from plait.posterior import Posterior, SamplingWarning
from plait.structure import LabelGraph


class Fixed:
    """A fitted model whose P(y | x) does not depend on x."""

    def __init__(self, base, coef, parents):
        self.base, self.coef, self.graph = base, coef, LabelGraph(parents)

    def condition(self, X):
        return LinearDistribution(self.graph, np.repeat(self.base[None], len(X), axis=0), self.coef)


def rare_cause(n_labels, n_rows=1):
    """Return a model where a rare first label causes all others, which are a full chain."""
    coef = np.tril(np.full((n_labels, n_labels), 0.01), -1)
    coef[1:, 0] = 9.0
    model = Fixed(np.full(n_labels, -9.0), coef, [list(range(k)) for k in range(n_labels)])
    return Posterior(model, np.zeros((n_rows, 1)), [f"y{k}" for k in range(n_labels)], Auto(), random_state=0)


@pytest.mark.parametrize("seed", range(6))
def test_effects_that_point_at_a_rare_cause_are_drawn_with_it(seed):
    known = rare_cause(3, 2).given({"y1": 1, "y2": 1})
    exact = known.marginals()[:, 0]
    assert (exact > 0.99).all()
    draws = known.sample(400, random_state=seed)
    assert (draws[:, :, 1:] == 1).all()
    # Four deviations of a share of 400 draws.
    spread = 4 * np.sqrt(exact * (1 - exact) / 400)
    assert (np.abs(draws[:, :, 0].mean(axis=1) - exact) <= spread + 1 / 400).all()
    assert known.exact.all()
    assert known.method == "exhaustive"
    assert known.effective_size is None


def test_draws_that_are_worth_little_say_so():
    known = rare_cause(20, 2).given({"y1": 1, "y2": 1})
    with pytest.warns(SamplingWarning, match="in 2 of 2 rows .* 300 draws are worth as few as"):
        draws = known.sample(300)
    assert not known.exact.any()
    assert known.method == "importance sampling with Metropolis-Hastings moves"
    assert (known.effective_size < 30).all()
    # No draw of the start met the rare cause; the moves did.
    assert (draws[:, :, 0].mean(axis=1) > 0.97).all()


def test_a_known_label_that_changes_little_is_drawn_well():
    draws = np.random.default_rng(0)
    n_labels = 18
    coef = np.tril(draws.normal(scale=0.4, size=(n_labels, n_labels)), -1)
    model = Fixed(draws.normal(size=n_labels), coef, [list(range(k)) for k in range(n_labels)])
    posterior = Posterior(model, np.zeros((1, 1)), [f"y{k}" for k in range(n_labels)], Auto(), random_state=1)
    known = posterior.given({"y17": 1})
    drawn = known.sample(2000)[0]
    assert (drawn[:, 17] == 1).all()
    assert not known.exact.any()
    assert 0.9 * 2000 < known.effective_size[0] <= 2000
    # All label sets written out, from the weights alone.
    vectors = (np.arange(1 << n_labels)[:, None] >> np.arange(n_labels)) & 1
    scores = model.base + vectors @ coef.T
    weights = np.exp(-np.logaddexp(0.0, np.where(vectors == 1, -scores, scores)).sum(axis=1)) * vectors[:, 17]
    exact = (weights / weights.sum()) @ vectors
    np.testing.assert_allclose(drawn.mean(axis=0), exact, atol=4 * 0.5 / np.sqrt(2000))


def test_a_mixture_of_long_chains_is_drawn_within_its_components():
    draws = np.random.default_rng(3)
    n_labels, parents = 16, [list(range(k)) for k in range(16)]
    bases, coefs = draws.normal(size=(2, n_labels)), np.tril(draws.normal(scale=0.6, size=(2, n_labels, n_labels)), -1)
    weights = np.array([0.3, 0.7])

    class Mixed:
        def condition(self, X):
            parts = [Fixed(bases[m], coefs[m], parents).condition(X) for m in range(2)]
            return MixtureDistribution(np.log(weights), parts)

    posterior = Posterior(Mixed(), np.zeros((1, 1)), [f"y{k}" for k in range(n_labels)], Auto(), random_state=2)
    known = posterior.given({"y15": 1, "y3": 0})
    drawn = known.sample(2000)[0]
    vectors = (np.arange(1 << n_labels)[:, None] >> np.arange(n_labels)) & 1
    table = np.zeros(len(vectors))
    for m in range(2):
        scores = bases[m] + vectors @ coefs[m].T
        table += weights[m] * np.exp(-np.logaddexp(0.0, np.where(vectors == 1, -scores, scores)).sum(axis=1))
    table *= (vectors[:, 15] == 1) & (vectors[:, 3] == 0)
    np.testing.assert_allclose(drawn.mean(axis=0), (table / table.sum()) @ vectors, atol=4 * 0.5 / np.sqrt(2000))
    assert not known.exact.any()


def long_chain(n_labels=16):
    """Return a posterior of one row over a full chain, and P of all its label sets from the weights alone."""
    draws = np.random.default_rng(5)
    coef = np.tril(draws.normal(scale=0.3, size=(n_labels, n_labels)), -1)
    coef[-1] = 0.0
    coef[-1, :4] = 2.5
    base = draws.normal(size=n_labels)
    base[-1] = -11.0
    model = Fixed(base, coef, [list(range(k)) for k in range(n_labels)])
    vectors = (np.arange(1 << n_labels)[:, None] >> np.arange(n_labels)) & 1
    scores = base + vectors @ coef.T
    table = np.exp(-np.logaddexp(0.0, np.where(vectors == 1, -scores, scores)).sum(axis=1))
    posterior = Posterior(model, np.zeros((1, 1)), [f"y{k}" for k in range(n_labels)], Auto(), random_state=0)
    return posterior, vectors, table


def test_the_sampled_entropy_is_that_given_the_known_labels():
    posterior, vectors, table = long_chain()
    known = posterior.given({"y15": 1})
    share = table * vectors[:, 15]
    assert -np.log(share.sum()) > 0.5
    share = share[share > 0] / share.sum()
    assert known.entropy()[0] == pytest.approx(-(share * np.log(share)).sum(), abs=0.25)
    assert not known.exact.any()


def test_uneven_weights_are_met_by_ten_draws_for_each_wanted_one():
    posterior, _, _ = long_chain()
    known = posterior.given({"y15": 1})
    known.sample(400)
    # A single draw for each would be worth less than half of it.
    distribution = posterior.joint.condition(np.zeros((1, 1))).clamp(known.evidence)
    logs = distribution.sample(400, 0)[1][0]
    weights = np.exp(logs - logs.max())
    assert weights.sum() ** 2 / np.square(weights).sum() < 0.5 * 400
    assert known.effective_size[0] > 0.8 * 400
