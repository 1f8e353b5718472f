"""The walk over orders against a naive one, against enumeration, and its proposals against their chances."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from plait.baselines.chain_monte_carlo.order_search import (
    ChainPayoff,
    ScoredOrder,
    best_orders,
    links_of,
    place_chances,
    swapped,
)
from plait.core.sentences import ParameterError
from plait.joint import GraphJoint
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.structure import FullChain


def random_payoff(q, seed=0):
    """Return a payoff that is a table of random numbers over all orders."""
    rng = np.random.default_rng(seed)
    table = {order: -float(rng.exponential()) - 0.1 for order in permutations(range(q))}
    return table, lambda order: table[tuple(order)]


def naive_walk(payoff, q, n_steps, n_best, beta, draws):
    """The walk by the words of the paper: a population from which the worst order has to go."""
    s = [int(label) for label in draws.permutation(q)]
    population = {tuple(s): payoff(s)}
    for t in range(n_steps):
        chances = np.array([q ** (-beta * t / (1 + j)) for j in range(q)])
        i, j = draws.choice(q, 2, replace=False, p=chances / chances.sum())
        new = list(s)
        new[i], new[j] = s[j], s[i]
        if tuple(new) in population:
            continue
        value = payoff(new)
        if len(population) == n_best:
            worst = min(population, key=population.get)
            if value <= population[worst]:
                continue
            del population[worst]
        population[tuple(new)] = value
        s = new
    return sorted(((value, order) for order, value in population.items()), reverse=True)


@pytest.mark.parametrize("n_best", [1, 3])
@pytest.mark.parametrize("beta", [0.0, 0.03, 1.0])
def test_the_same_orders_as_a_naive_walk(n_best, beta):
    for seed in range(20):
        _, payoff = random_payoff(4, seed)
        ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
        found = best_orders(payoff, 4, n_steps=15, n_best=n_best, beta=beta, draws=ours)
        assert [tuple(each) for each in found] == naive_walk(payoff, 4, 15, n_best, beta, theirs)


def test_long_walks_find_the_best_of_all_orders():
    for seed in range(10):
        table, payoff = random_payoff(3, seed)
        found = best_orders(payoff, 3, n_steps=300, n_best=6, beta=0.0, draws=np.random.default_rng(seed))
        assert [each.payoff for each in found] == sorted(table.values(), reverse=True)
        assert {each.order for each in found} == set(table)


def test_alone_the_walk_only_goes_uphill_and_never_below_its_start():
    for seed in range(20):
        _, payoff = random_payoff(5, seed)
        met = []
        (best,) = best_orders(
            lambda order, payoff=payoff, met=met: met.append(payoff(order)) or met[-1],
            5,
            n_steps=30,
            n_best=1,
            beta=0.03,
            draws=np.random.default_rng(seed),
        )
        assert best.payoff == max(met)
        assert best.payoff >= met[0]
        assert len(met) == 31


def test_a_difference_of_rounding_is_none():
    start = best_orders(lambda _: -100.0, 4, n_steps=0, n_best=1, beta=0.0, draws=np.random.default_rng(0))
    numbers = iter(-100.0 + 1e-12 * np.arange(100))
    found = best_orders(lambda _: next(numbers), 4, n_steps=20, n_best=1, beta=0.0, draws=np.random.default_rng(0))
    assert found == [ScoredOrder(-100.0, start[0].order)]


def test_one_label_has_one_order():
    found = best_orders(lambda _: -1.0, 1, n_steps=10, n_best=5, beta=0.03, draws=np.random.default_rng(0))
    assert found == [ScoredOrder(-1.0, (0,))]


@pytest.mark.parametrize(("step", "beta"), [(0, 0.03), (40, 0.03), (5, 1.0)])
def test_pairs_are_drawn_with_their_chances(step, beta):
    q, n = 4, 20_000
    draws = np.random.default_rng(0)
    counts = dict.fromkeys([(i, j) for i in range(q) for j in range(i)], 0)
    for _ in range(n):
        order = swapped(range(q), step, beta, draws)
        moved = [place for place in range(q) if order[place] != place]
        assert sorted(order) == list(range(q))
        counts[(moved[1], moved[0])] += 1
    weights = np.array([q ** (-beta * step / (1 + j)) for j in range(q)])
    p = weights / weights.sum()
    np.testing.assert_allclose(place_chances(q, step, beta), p, rtol=1e-12)
    for (i, j), count in counts.items():
        chance = p[i] * p[j] / (1 - p[i]) + p[j] * p[i] / (1 - p[j])
        assert abs(count / n - chance) < 4 * np.sqrt(chance * (1 - chance) / n)


def test_chances_never_vanish():
    chances = place_chances(2, 10**6, 10.0)
    assert (chances > 0).all()
    assert chances[1] == 1.0
    assert swapped([0, 1], 10**6, 10.0, np.random.default_rng(0)) == (1, 0)


def problem(n=80, d=4, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.2).astype(np.uint8)
    Y[:, 1] = Y[:, 0] ^ (rng.random(n) < 0.2)
    return X, Y


def chain_log_probs(learner, X, Y, order, weights=None, asked=None):
    """Return log P(y | x) of each row (asked for) under a chain that is trained from scratch."""
    conditionals = learner.fit(X, Y, FullChain(list(order)).build(X, Y), sample_weight=weights)
    rows, labels = (X, Y) if asked is None else asked
    return GraphJoint(conditionals).condition(rows).log_prob(labels)


LEARNER = LogisticLearner(standardize=False, tol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kind", ["log_likelihood", "probability"])
def test_payoffs_are_those_of_chains_trained_from_scratch(form, kind):
    X, Y = problem()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    plain, weighted = (ChainPayoff(LEARNER, form(X), Y, w, kind) for w in (None, weights))
    of = np.exp if kind == "probability" else np.asarray
    for order in list(permutations(range(4)))[::5]:
        logs = chain_log_probs(LEARNER, X, Y, order)
        np.testing.assert_allclose(plain(order), of(logs).sum(), rtol=1e-7)
        logs = chain_log_probs(LEARNER, X, Y, order, weights)
        np.testing.assert_allclose(weighted(order), weights @ of(logs), rtol=1e-7)


def test_rows_held_out_train_nothing():
    X, Y = problem()
    out = np.arange(0, 80, 3)
    kept = np.setdiff1d(np.arange(80), out)
    payoff = ChainPayoff(LEARNER, X, Y, None, "log_likelihood", out)
    logs = chain_log_probs(LEARNER, X[kept], Y[kept], [2, 0, 3, 1], asked=(X[out], Y[out]))
    np.testing.assert_allclose(payoff([2, 0, 3, 1]), logs.sum(), rtol=1e-7)


def test_any_classifier_with_probabilities():
    X, Y = problem()
    learner = SklearnLearner(GaussianNB())
    logs = chain_log_probs(learner, X, Y, [3, 1, 0, 2])
    np.testing.assert_allclose(ChainPayoff(learner, X, Y, None, "log_likelihood")([3, 1, 0, 2]), logs.sum(), rtol=1e-9)
    theirs = SklearnLearner(LogisticRegression(C=1.0, tol=1e-10, max_iter=1000))
    ours = ChainPayoff(LEARNER, X, Y, None, "log_likelihood")([3, 1, 0, 2])
    np.testing.assert_allclose(ChainPayoff(theirs, X, Y, None, "log_likelihood")([3, 1, 0, 2]), ours, rtol=1e-5)


def test_margins_are_refused():
    X, Y = problem()
    with pytest.raises(ParameterError, match="needs a learner that gives probabilities, but LinearSVMLearner"):
        ChainPayoff(LinearSVMLearner(), X, Y, None, "log_likelihood")([0, 1, 2, 3])


@pytest.mark.parametrize("kind", ["log_likelihood", "probability"])
def test_only_new_links_are_trained(kind):
    X, Y = problem()
    payoff = ChainPayoff(LEARNER, X, Y, None, kind)
    first = payoff([0, 1, 2, 3])
    assert payoff.n_trained == 4
    payoff([0, 2, 1, 3])  # labels 2 and 1 have new labels before them, 0 and 3 have not
    assert payoff.n_trained == 6
    payoff([3, 2, 1, 0])
    assert payoff.n_trained == 10
    assert payoff([0, 1, 2, 3]) == first
    assert payoff.n_trained == 10
    assert links_of([0, 2, 1]) == [(0, frozenset()), (2, frozenset({0})), (1, frozenset({0, 2}))]


def test_few_numbers_for_each_row_are_kept():
    X, Y = problem(q=6)
    payoff = ChainPayoff(LEARNER, X, Y, None, "probability")
    values = {order: payoff(order) for order in list(permutations(range(6)))[::20]}
    assert len(payoff._terms) <= 4 * 6
    for order, value in list(values.items())[:3]:
        np.testing.assert_allclose(payoff(order), value, rtol=1e-6)  # trained again, in other company


def test_labels_with_one_value_have_the_same_share_in_every_order():
    X, Y = problem()
    Y[:, 2] = 0
    payoff = ChainPayoff(LEARNER, X, Y, None, "log_likelihood")
    np.testing.assert_allclose(payoff([2, 0, 1, 3]), payoff([0, 1, 3, 2]), rtol=1e-6)
    alone = ChainPayoff(LEARNER, X, Y[:, [0, 1, 3]], None, "log_likelihood")
    constant = len(Y) * np.log(81 / 82)
    np.testing.assert_allclose(payoff([2, 0, 1, 3]), alone([0, 1, 2]) + constant, rtol=1e-6)
