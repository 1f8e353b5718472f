import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from plait.inference._lane_kernels import LANES, fill_lanes, limited, odds, set_odds
from plait.inference._row_vectors import WIDTH, load, store
from plait.inference.message_plan import families_of
from plait.inference.polytree_scores import scores_in_blocks
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


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=9))
def test_odds_are_exponentials(scores):
    np.testing.assert_allclose(applied(odds, scores), np.exp(scores), rtol=1e-15)


def test_odds_are_exponentials_everywhere():
    scores = np.concatenate([np.linspace(-30, 30, 40_001), [0.0, 1e-300, -1e-17, np.log(2) / 2]])
    np.testing.assert_allclose(applied(odds, scores), np.exp(scores), rtol=1e-15)


def test_odds_are_limited():
    most = np.exp(SCORE_LIMIT)
    np.testing.assert_array_equal(applied(limited, [np.inf, 0.0, 3.0]), [most, np.exp(-SCORE_LIMIT), 3.0])


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1.0, 30.0, 1000.0]))
def test_tables_hold_the_odds_of_every_setting(seed, linear, scale):
    draws = np.random.default_rng(seed)
    graph = random_polytree(8, draws)
    model = (random_linear if linear else random_tables)(graph, LANES + 3, draws, scale)
    plan = families_of(graph)
    ((_, scores),) = scores_in_blocks(model, plan)
    lanes = np.empty((scores.values.shape[1], LANES))
    fill_lanes(scores, LANES, lanes)
    # Rows past the end repeat the last one.
    rows = np.minimum(LANES + np.arange(LANES), LANES + 2)
    for j, label in enumerate(plan.label):
        begin, end = plan.entry[j], plan.entry[j + 1]
        table = np.empty((end - begin, LANES))
        set_odds(j, begin, end, linear, scores.simple[j], scores.shifts, scores.gains, lanes, table)
        expected = np.exp(np.clip(model.table(label), -SCORE_LIMIT, SCORE_LIMIT))[rows].T
        np.testing.assert_allclose(table, expected, rtol=1e-11)
