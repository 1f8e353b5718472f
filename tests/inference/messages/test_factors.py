import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from plait.core._lanes import load, store
from plait.inference.messages._factors import ROWS, WIDTH, fill_lanes, limited, set_odds
from plait.inference.messages.message_plan import families_of
from plait.inference.messages.polytree_scores import scores_in_blocks
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.testing import random_linear, random_polytree, random_tables


@njit
def of_all(numbers, function, out):
    for r in range(0, numbers.shape[1], WIDTH):
        store(out, 0, r, function(load(numbers, 0, r)))


def applied(function, numbers):
    """Apply a kernel to any amount of numbers, eight at a time."""
    padded = np.ones((1, -(-len(numbers) // WIDTH) * WIDTH))
    padded[0, : len(numbers)] = numbers
    out = np.empty_like(padded)
    of_all(padded, function, out)
    return out[0, : len(numbers)]


def test_odds_are_limited():
    most = np.exp(SCORE_LIMIT)
    np.testing.assert_array_equal(applied(limited, [np.inf, 0.0, 3.0]), [most, np.exp(-SCORE_LIMIT), 3.0])


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1.0, 30.0, 1000.0]))
def test_tables_hold_the_odds_of_every_setting(seed, linear, scale):
    draws = np.random.default_rng(seed)
    graph = random_polytree(8, draws)
    model = (random_linear if linear else random_tables)(graph, ROWS + 3, draws, scale)
    plan = families_of(graph)
    ((_, scores),) = scores_in_blocks(model, plan)
    lanes = np.empty((scores.values.shape[1], ROWS))
    fill_lanes(scores, ROWS, lanes)
    # Rows past the end repeat the last one.
    rows = np.minimum(ROWS + np.arange(ROWS), ROWS + 2)
    for j, label in enumerate(plan.label):
        begin, end = plan.entry[j], plan.entry[j + 1]
        table = np.empty((end - begin, ROWS))
        set_odds(j, begin, end, linear, scores.simple[j], scores.shifts, scores.gains, lanes, table)
        expected = np.exp(np.clip(model.table(label), -SCORE_LIMIT, SCORE_LIMIT))[rows].T
        np.testing.assert_allclose(table, expected, rtol=1e-11)
