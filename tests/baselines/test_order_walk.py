"""The walk over orders against a naive one, against enumeration, and its proposals against their chances."""

from itertools import permutations

import numpy as np
import pytest

from plait.baselines.order_walk import ScoredOrder, best_orders, place_chances, swapped


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
