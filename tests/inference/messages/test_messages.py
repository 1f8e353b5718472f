"""Messages against a plain recursion over the factor graph in log space, one row at a time."""

from itertools import product

import numpy as np
import pytest
from numba import njit

from plait.core._lanes import load, store
from plait.inference.messages._factors import ROWS, fill_lanes
from plait.inference.messages._messages import begin_ratios, held, send, weigh_settings
from plait.inference.messages.message_plan import families_of
from plait.inference.messages.polytree_scores import scores_in_blocks
from plait.testing import random_evidence, random_linear, random_polytree, random_tables


def plain_messages(model, plan, join):
    """Return log ratios of all messages (n_labels, n_rows), each by going through all values of its family."""
    n_labels = model.n_labels
    messages = np.zeros((n_labels, model.n_rows))
    for row in range(model.n_rows):
        below = np.zeros((n_labels, 2))
        if model.evidence is not None:
            for v, label in enumerate(plan.label):
                if model.evidence[row, label] >= 0:
                    below[v, 1 - model.evidence[row, label]] = -np.inf
        for j, label in enumerate(plan.label):
            family = [j, *plan.parents[plan.first[j] : plan.first[j + 1]]]
            sides = ([], [])
            for values in product((0, 1), repeat=len(family)):
                score = model.scores(label, np.array([row]), np.array([values[1:]], dtype=np.uint8))[0]
                log = -np.logaddexp(0, -score if values[0] else score)
                log += sum(below[v, y] for v, y in zip(family, values, strict=True) if v != plan.target[j])
                sides[values[family.index(plan.target[j])]].append(log)
            pair = [join(side) for side in sides]
            messages[j, row] = pair[1] - pair[0]
            below[plan.target[j]] += pair
    return messages


@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("made", [random_linear, random_tables])
@pytest.mark.parametrize("evidence", [True, False])
def test_messages_are_those_of_the_plain_recursion(best, made, evidence):
    draws = np.random.default_rng(0)
    for most_parents in (1, 3, 8):
        graph = random_polytree(25, draws, most_parents=most_parents, reach=4)
        model = made(graph, 3, draws, 2.0)
        model = model.clamp(random_evidence((3, 25), draws)) if evidence else model
        plan = families_of(graph)
        ((_, scores),) = scores_in_blocks(model, plan)
        lanes, ratio = np.empty((scores.values.shape[1], ROWS)), np.empty((25, ROWS))
        message, power = np.empty((25, ROWS)), np.empty((0, ROWS))
        table, weight = np.empty((2**plan.most_parents, ROWS)), np.empty((2**plan.most_parents, ROWS))
        known = model.evidence if evidence else np.empty((0, 0), dtype=np.int8)
        fill_lanes(scores, 0, lanes)
        begin_ratios(known, 0, plan.label, ratio, power)
        send(plan, scores, best, evidence, lanes, ratio, power, message, table, weight)
        expected = plain_messages(model, plan, max if best else np.logaddexp.reduce)
        np.testing.assert_allclose(np.log(message[:, :3]), expected, rtol=1e-10, atol=1e-12)


def test_weights_of_settings_are_products():
    draws = np.random.default_rng(1)
    ratio = np.exp(3 * draws.normal(size=(9, ROWS)))
    for n_parents, skipped in product((0, 1, 3, 7), (-1, 2)):
        parents = draws.permutation(9)[:n_parents]
        weight = np.empty((2**n_parents, ROWS))
        assert weigh_settings(0, n_parents, skipped, parents, ratio, weight) == 2**n_parents
        sides = np.where(parents[:, None] == skipped, 1.0, ratio[parents])
        expected = np.array(
            [np.prod(sides[[t for t in range(n_parents) if m >> t & 1]], axis=0) for m in range(2**n_parents)]
        )
        scale = np.maximum(sides, 1.0).prod(axis=0) if n_parents > 6 else 1.0
        np.testing.assert_allclose(weight, expected / scale, rtol=1e-12)


def test_ratios_are_held():
    @njit
    def hold(numbers):
        store(numbers, 0, 0, held(load(numbers, 0, 0)))

    numbers = np.array([[np.inf, 0.0, 0.25, 1.0, 2.0, 2.0**116, 2.0**118, 2.0**-118]])
    expected = np.clip(numbers, 2.0**-117, 2.0**117)
    hold(numbers)
    np.testing.assert_array_equal(numbers, expected)
